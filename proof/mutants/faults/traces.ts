import type { NamedFault } from './fault.ts'

const tracer = 'packages/platform/src/trace/tracer.ts'
const spanExport = 'packages/platform/src/trace/span-export.ts'
const traceContext = 'packages/platform/src/trace/trace-context.ts'
const tracerTest = 'packages/platform/src/trace/tracer.test.ts'
const tracingTest = 'packages/platform/src/trace/tracing.test.ts'

/** Faults in what stands beside the OpenTelemetry SDK. */
export const faultsOfTraces: readonly NamedFault[] = [
  ['OT1 any attribute leaves the process', tracer, 'if (allowed.has(key)) found', 'found', tracerTest],
  [
    'OT2 a caller that does not record gets spans',
    'packages/platform/src/trace/tracing.ts',
    "name.startsWith('parentbased_')",
    "name.startsWith('parentbased_always_off')",
    tracingTest,
  ],
  [
    'OT3 the context of a caller is not handed on when it is not recorded',
    tracer,
    'return parent ? { context: parent, span } : undefined',
    'return undefined',
    tracerTest,
  ],
  [
    'OT4 the bytes of waiting spans have no bound',
    spanExport,
    ' || heldBytes + bytes > limits.maxBytes',
    '',
    tracingTest,
  ],
  ['OT5 bytes that were sent still count', spanExport, 'heldBytes -= bytesOf(span)', 'bytesOf(span)', tracingTest],
  [
    'OT6 rejected spans count as exported',
    spanExport,
    'Math.min(spans.length, takeRejected())',
    'Math.min(0, takeRejected())',
    tracingTest,
  ],
  [
    'OT7 the end of a process waits for the collector',
    spanExport,
    'await Promise.race([batches.shutdown().catch(() => undefined), bound])',
    'await Promise.all([batches.shutdown().catch(() => undefined), bound])',
    tracingTest,
  ],
  [
    'OT8 flags that are not defined are handed on',
    traceContext,
    'context.traceFlags & knownFlags',
    'context.traceFlags',
    'packages/platform/src/trace/trace-context.test.ts',
  ],
]
