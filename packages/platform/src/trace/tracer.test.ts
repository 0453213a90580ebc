import { expect, test } from 'vitest'
import { createTracer } from './tracer.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const start = { name: 'work', kind: 'internal', attributes: { 'a.known': 'x' } } as const

const openTracer = (sampleRatio = 1) => {
  const spans: Record<string, unknown>[] = []
  let ms = 1_000
  const clock = { now: () => new Date(1_790_000_000_000 + ms), monotonicMs: () => ms }
  const exporter = { add: (text: string) => void spans.push(JSON.parse(text)) }
  const allowed = new Set(['a.known', 'error.type'])
  return { spans, tracer: createTracer({ exporter, allowed, sampleRatio, clock }), pass: (by: number) => (ms += by) }
}

test('a span stands under its parent, takes as long as its work, and says what failed', () => {
  const { tracer, spans, pass } = openTracer()
  const request = tracer.enter({ traceparent, tracestate: 'v=1' }, { ...start, agoMs: 250 })
  pass(100)
  const inner = request && tracer.start(request.context, start)
  pass(50)
  inner?.end({ error: 'model_error' })
  request?.span?.end()
  request?.span?.end()
  expect(spans).toMatchObject([
    { parentSpanId: request?.context.spanId, status: { code: 2 }, traceState: 'v=1' },
    { parentSpanId: '00f067aa0ba902b7', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
  ])
  expect(spans[0]?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'model_error' } })
  const took = spans.map(
    (span) => Number(BigInt(String(span.endTimeUnixNano)) - BigInt(String(span.startTimeUnixNano))) / 1e6,
  )
  expect(took).toEqual([50, 400])
})

test('an attribute that is not listed never leaves the process, and a long one is cut (platformBounds.spanText)', () => {
  const { tracer, spans } = openTracer()
  const attributes = { 'a.known': 'x'.repeat(1000), 'a.secret': 'do not tell' }
  tracer.enter({}, { ...start, attributes })?.span?.end({ attributes: { prompt: 'do not tell' } })
  expect(spans[0]?.attributes).toEqual([{ key: 'a.known', value: { stringValue: 'x'.repeat(256) } }])
})

test('a caller that does not record has no spans, and its context is handed on', () => {
  const { tracer, spans } = openTracer()
  const request = tracer.enter({ traceparent: traceparent.replace(/1$/, '0') }, start)
  expect(request).toMatchObject({ context: { spanId: '00f067aa0ba902b7', flags: 0 }, span: undefined })
  expect(request && tracer.start(request.context, start)).toBeUndefined()
  if (request) tracer.record(request.context, start, { from: new Date(0), to: new Date(1) })
  expect(spans).toEqual([])
})

test('without a caller’s context, the ratio decides', () => {
  expect(openTracer(0).tracer.enter({}, start)).toBeUndefined()
  expect(openTracer(1).tracer.enter({ traceparent: 'nonsense' }, start)?.span).toBeDefined()
  const { tracer } = openTracer(0.25)
  const sampled = Array.from({ length: 4000 }, () => tracer.enter({}, start)).filter((traced) => traced !== undefined)
  expect(sampled.length).toBeGreaterThan(800)
  expect(sampled.length).toBeLessThan(1200)
  expect(new Set(sampled.map(({ context }) => context.traceId)).size).toBe(sampled.length)
})
