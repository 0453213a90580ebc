import type { Clock } from '../clock.ts'
import { pooledRandomBytes } from '../crypto.ts'
import { type Attributes, encodeSpan, type SpanKind } from './otlp.ts'
import type { SpanExporter } from './span-exporter.ts'
import { isSampled, readTraceContext, sampledFlag, type TraceContext } from './trace-context.ts'

/**
 * Makes spans. Contexts are passed explicitly, because statements are shared between runs: a current span would belong to
 * one run of a batch. A process without a collector has no tracer and does none of this.
 */
export type Tracer = {
  /** Continues the trace of a caller, or begins one for a share of the requests. Undefined: the request is in no trace. */
  enter(headers: TraceHeaders, start: SpanStart): Traced | undefined
  /** A span under `parent`. Undefined: the trace is not recorded. */
  start(parent: TraceContext, start: SpanStart): Span | undefined
  /** A span that has ended already. */
  record(parent: TraceContext, start: SpanStart, times: { readonly from: Date; readonly to: Date }): void
}

type TraceHeaders = Readonly<Record<string, unknown>>

/** `context` is what the request hands on. Without a `span` the caller has decided that the trace is not recorded. */
export type Traced = { readonly context: TraceContext; readonly span: Span | undefined }

export type SpanStart = {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  /** How long ago it began; 0 if missing. */
  readonly agoMs?: number | undefined
}

export type Span = {
  /** The context of what happens inside the span. */
  readonly context: TraceContext
  /** Only the first call counts. */
  end(outcome?: SpanEnd): void
}

export type SpanEnd = {
  readonly attributes?: Attributes
  /** Set if it failed: a code, never a message, because messages may quote content. */
  readonly error?: string | undefined
}

type Options = {
  readonly exporter: Pick<SpanExporter, 'add'>
  /** The attributes that may leave the process. */
  readonly allowed: ReadonlySet<string>
  /** The share of the requests without a caller's context that begin a trace, from 0 to 1. */
  readonly sampleRatio: number
  readonly clock: Clock
  /** For tests: random bytes. */
  readonly random?: (count: number) => Buffer
}

export const createTracer = ({ exporter, allowed, sampleRatio, clock, random }: Options): Tracer => {
  const nextBytes = random ?? pooledRandomBytes
  const newSpanId = (): string => nextBytes(8).toString('hex')

  const open = (parent: TraceContext | null, context: TraceContext, start: SpanStart): Span => {
    const startedMs = clock.monotonicMs() - (start.agoMs ?? 0)
    let isOpen = true
    return {
      context,
      end: ({ attributes, error } = {}) => {
        if (!isOpen) return
        isOpen = false
        // The wall clock is read once, and the duration is that of the monotonic clock.
        const nowMs = clock.monotonicMs()
        const endMs = clock.now().getTime()
        write(parent, context, start, {
          attributes: { ...start.attributes, ...attributes },
          error,
          startMs: endMs - (nowMs - startedMs),
          endMs,
        })
      },
    }
  }

  const write = (
    parent: TraceContext | null,
    context: TraceContext,
    { name, kind }: SpanStart,
    { attributes, error, startMs, endMs }: SpanEnd & { attributes: Attributes; startMs: number; endMs: number },
  ): void => {
    const told = error === undefined ? attributes : { ...attributes, 'error.type': error }
    const span = { context, parentSpanId: parent?.spanId, name, kind, startMs, endMs, attributes: told }
    exporter.add(encodeSpan({ ...span, hasFailed: error !== undefined }, allowed))
  }

  const childOf = (parent: TraceContext): TraceContext => ({ ...parent, spanId: newSpanId() })

  const begin = (start: SpanStart): Traced | undefined => {
    const traceId = nextBytes(16)
    // The last bytes decide, as samplers of other services do, so that they agree where their ratios are equal.
    if (traceId.readUIntBE(10, 6) / 2 ** 48 >= sampleRatio) return
    const context = { traceId: traceId.toString('hex'), spanId: newSpanId(), flags: sampledFlag, state: undefined }
    return { context, span: open(null, context, start) }
  }

  return {
    enter: ({ traceparent, tracestate }, start) => {
      const parent = traceparent === undefined ? null : readTraceContext(traceparent, tracestate)
      if (!parent) return begin(start)
      if (!isSampled(parent)) return { context: parent, span: undefined }
      const context = childOf(parent)
      return { context, span: open(parent, context, start) }
    },
    start: (parent, start) => (isSampled(parent) ? open(parent, childOf(parent), start) : undefined),
    record: (parent, start, { from, to }) => {
      if (!isSampled(parent)) return
      const { attributes } = start
      write(parent, childOf(parent), start, { attributes, startMs: from.getTime(), endMs: to.getTime() })
    },
  }
}
