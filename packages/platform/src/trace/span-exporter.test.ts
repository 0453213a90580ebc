import { type OtlpReceiver, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { encodeSpan } from './otlp.ts'
import { createSpanExporter, type ExporterLimits, type SpanExporter } from './span-exporter.ts'

let collector: OtlpReceiver
let exporter: SpanExporter
const logLines: string[] = []
beforeEach(async () => {
  logLines.length = 0
  collector = await startOtlpReceiver()
})
afterEach(async () => {
  await exporter.close()
  await collector.close()
})

const open = (limits: Partial<ExporterLimits> = {}, endpoint = collector.url) => {
  const scope = { name: 'test', version: '1', schemaUrl: 'https://opentelemetry.io/schemas/1.41.0' }
  exporter = createSpanExporter({
    endpoint,
    headers: { authorization: 'Bearer of-the-operator' },
    source: { resource: { 'service.name': 'test' }, scope },
    log: createLog({ level: 'debug', write: (line) => logLines.push(line) }),
    limits: { gatherMs: 5, firstRetryMs: 5, maxRetryMs: 20, closeMs: 200, ...limits },
  })
}

const span = (n: number): string => {
  const context = {
    traceId: `a${n.toString(16).padStart(31, '0')}`,
    spanId: `b${n.toString(16).padStart(15, '0')}`,
    flags: 1,
    state: undefined,
  }
  const times = { startMs: 1_790_000_000_000, endMs: 1_790_000_000_001.5 }
  const attributes = { text: 'ü', count: n, ratio: 0.5, isSet: true, list: ['a', 'b'] }
  const all = {
    context,
    parentSpanId: undefined,
    name: 'work',
    kind: 'internal',
    attributes,
    hasFailed: false,
  } as const
  return encodeSpan({ ...all, ...times }, new Set(Object.keys(attributes)))
}

const add = (count: number) => {
  for (let n = 1; n <= count; n++) exporter.add(span(n))
}

test('every span arrives once, in batches that are bounded in count and bytes (platformBounds.spanBatch)', async () => {
  open({ maxBatchSpans: 100 })
  add(1050)
  await expect.poll(() => collector.spans().length).toBe(1050)
  expect(collector.faults()).toEqual([])
  expect(new Set(collector.spans().map(({ spanId }) => spanId)).size).toBe(1050)
  expect(collector.spans()[6]).toMatchObject({
    attributes: { text: 'ü', count: 7, ratio: 0.5, isSet: true, list: ['a', 'b'] },
    resource: { 'service.name': 'test' },
    startNano: 1_790_000_000_000_000_000n,
    endNano: 1_790_000_000_001_500_000n,
  })
  expect(collector.bodies().length).toBeGreaterThanOrEqual(11)
  expect(collector.headers()[0]?.authorization).toBe('Bearer of-the-operator')
  // The answer to the last batch may still be on its way.
  await expect
    .poll(() => exporter.counts())
    .toMatchObject({ exported: 1050, dropped: { queue_full: 0, unavailable: 0 } })
})

test('while the collector hangs, spans are dropped at the bound, and nobody waits (platformBounds.spansQueued, platformBounds.spanTries, platformBounds.spanRequest)', async () => {
  collector.answer('hang')
  open({ maxQueuedSpans: 200, maxBatchSpans: 50, requestTimeoutMs: 50, tries: 2 })
  add(10_000)
  // One batch was on its way before the queue was full.
  expect(exporter.counts().dropped.queue_full).toBe(10_000 - 250)
  await expect.poll(() => exporter.counts().dropped.unavailable).toBeGreaterThan(0)
  collector.answer(undefined)
  await expect.poll(() => collector.spans().length).toBeGreaterThan(0)
  const { exported, dropped } = exporter.counts()
  expect(exported).toBeLessThanOrEqual(250)
  expect(dropped.queue_full).toBe(10_000 - 250)
})

test('the queue is bounded in bytes', () => {
  const bytes = Buffer.byteLength(span(1))
  open({ maxQueuedBytes: 10 * bytes, gatherMs: 60_000 })
  for (let n = 0; n < 30; n++) exporter.add(span(1))
  expect(exporter.counts().dropped.queue_full).toBe(20)
})

test('a collector that is busy gets the same batch again, one that refuses does not', async () => {
  open({ tries: 10_000 })
  collector.answer({ status: 503, headers: { 'retry-after': '0.001' } })
  add(3)
  await expect.poll(() => collector.headers().length).toBeGreaterThan(0)
  collector.answer(undefined)
  await expect.poll(() => collector.spans().length).toBe(3)
  collector.answer({ status: 401, body: 'no' })
  add(2)
  await expect.poll(() => exporter.counts().dropped.refused).toBe(2)
  expect(exporter.counts().exported).toBe(3)
})

test('spans that the collector rejects are counted', async () => {
  open()
  const body = JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } })
  collector.answer({ status: 200, body })
  add(5)
  await expect.poll(() => exporter.counts()).toMatchObject({ exported: 3, dropped: { rejected: 2 } })
})

test('without a collector the process goes on, says so once, and tells no credential', async () => {
  const { url } = collector
  await collector.close()
  open({ tries: 1 }, url)
  for (const count of [1, 2, 3]) {
    add(1)
    await expect.poll(() => exporter.counts().dropped.unavailable).toBe(count)
  }
  expect(logLines.filter((line) => line.includes('spans could not be exported'))).toHaveLength(1)
  expect(logLines.join('')).not.toContain('of-the-operator')
  collector = await startOtlpReceiver()
})

test('queued spans are sent before the process ends, but a hung collector does not delay its end (platformBounds.spanClose)', async () => {
  open({ gatherMs: 60_000, maxBatchSpans: 10, closeMs: 30_000 })
  for (let n = 1; n <= 9; n++) exporter.add(span(n))
  await exporter.close()
  expect(collector.spans()).toHaveLength(9)
  open({ gatherMs: 60_000, closeMs: 50 })
  collector.answer('hang')
  add(3)
  await exporter.close()
  expect(exporter.counts().dropped.unavailable).toBe(3)
})
