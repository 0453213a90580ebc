import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { createTracer } from './tracer.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const start = { name: 'work', kind: 'internal', attributes: { 'a.known': 'x' } } as const

const openTracer = () => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  let ms = 1_000
  const clock = { monotonicMs: () => ms }
  const allowed = new Set(['a.known', 'error.type'])
  const tracer = createTracer({ sdk: provider.getTracer('test'), allowed, clock })
  return { spans: () => exporter.getFinishedSpans(), tracer, pass: (by: number) => (ms += by) }
}

test('a span stands under its parent, takes as long as its work, and says what failed', () => {
  const { tracer, spans, pass } = openTracer()
  const request = tracer.enter({ traceparent, tracestate: 'v=1' }, { ...start, agoMs: 250 })
  pass(100)
  const inner = request && tracer.start(request.context, start)
  pass(50)
  inner?.end({ error: 'model_error' })
  request?.span?.end()
  pass(50)
  request?.span?.end({ error: 'too late' })
  const [first, second, ...more] = spans()
  expect(more).toEqual([])
  expect(first).toMatchObject({ parentSpanContext: { spanId: request?.context.spanId }, status: { code: 2 } })
  expect(first?.attributes).toEqual({ 'a.known': 'x', 'error.type': 'model_error' })
  expect(second).toMatchObject({ parentSpanContext: { spanId: '00f067aa0ba902b7' }, status: { code: 0 } })
  for (const span of spans()) {
    expect(span.spanContext().traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    expect(span.spanContext().traceState?.serialize()).toBe('v=1')
  }
  expect(spans().map(({ duration: [seconds, nanos] }) => seconds * 1e3 + nanos / 1e6)).toEqual([50, 400])
})

test('an attribute that is not listed never leaves the process', () => {
  const { tracer, spans } = openTracer()
  const attributes = { 'a.known': 'x', 'a.secret': 'do not tell' }
  tracer.enter({}, { ...start, attributes })?.span?.end({ attributes: { prompt: 'do not tell' } })
  tracer.record({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }, { ...start, attributes }, dates)
  expect(spans().map((span) => span.attributes)).toEqual([{ 'a.known': 'x' }, { 'a.known': 'x' }])
})

const dates = { from: new Date(0), to: new Date(1) }

test('a caller that does not record has no spans, and its context is handed on', () => {
  const { tracer, spans } = openTracer()
  const request = tracer.enter({ traceparent: traceparent.replace(/1$/, '0') }, start)
  expect(request).toMatchObject({ context: { spanId: '00f067aa0ba902b7', traceFlags: 0 }, span: undefined })
  expect(request && tracer.start(request.context, start)).toBeUndefined()
  if (request) tracer.record(request.context, start, dates)
  expect(spans()).toEqual([])
})

test('a malformed traceparent is ignored', () => {
  const { tracer } = openTracer()
  const request = tracer.enter({ traceparent: `${traceparent}-more`, tracestate: 'v=1' }, start)
  expect(request?.context.traceId).not.toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  expect(request?.context.traceState).toBeUndefined()
})
