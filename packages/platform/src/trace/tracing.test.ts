import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OtlpReceiver, startOtlpReceiver } from '@ars/testkit/otlp-receiver'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { createLog } from '../log/log.ts'
import { createSelfSigned } from '../self-signed.ts'
import type { ExportLimits } from './span-export.ts'
import { openTracing, type Tracing } from './tracing.ts'

let collector: OtlpReceiver
let tracing: Tracing
const logLines: string[] = []
beforeEach(async () => {
  logLines.length = 0
  collector = await startOtlpReceiver()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await tracing.close()
  await collector.close()
})

type Options = Parameters<typeof openTracing>[0]

const open = (limits: Partial<ExportLimits> = {}, changes: Partial<Options> = {}) => {
  tracing = openTracing({
    url: `${collector.url}/v1/traces`,
    headers: { authorization: 'Bearer of-the-operator' },
    protocol: 'http/protobuf',
    resource: { 'service.name': 'test' },
    scope: { name: 'test', version: '1', schemaUrl: 'https://opentelemetry.io/schemas/1.41.0' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    allowed: new Set(['text', 'count', 'ratio', 'isSet', 'list', 'error.type']),
    log: createLog({ level: 'debug', write: (line) => logLines.push(line) }),
    limits: { gatherMs: 5, closeMs: 200, ...limits },
    ...changes,
  })
}

const start = { name: 'work', kind: 'internal', attributes: {} } as const
const dates = { from: new Date(1_790_000_000_000), to: new Date(1_790_000_000_001) }
const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }

const add = (count: number, text = 'ü') => {
  for (let n = 1; n <= count; n++) {
    const attributes = { text, count: n, ratio: 0.5, isSet: true, list: ['a', 'b'] }
    tracing.tracer.record(parent, { ...start, attributes }, dates)
  }
}

describe.each(['http/protobuf', 'http/json'] as const)('as %s', (protocol) => {
  test('every span arrives once, in batches with at most platformBounds.spanBatch', async () => {
    open({ maxBatchSpans: 100 }, { protocol })
    add(1050)
    await expect.poll(() => collector.spans().length).toBe(1050)
    expect(collector.faults()).toEqual([])
    expect(new Set(collector.spans().map(({ spanId }) => spanId)).size).toBe(1050)
    expect(collector.spans()[6]).toMatchObject({
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      attributes: { text: 'ü', count: 7, ratio: 0.5, isSet: true, list: ['a', 'b'] },
      resource: { 'service.name': 'test' },
      startNano: 1_790_000_000_000_000_000n,
      endNano: 1_790_000_000_001_000_000n,
    })
    expect(collector.bodies().length).toBeGreaterThanOrEqual(11)
    expect(collector.headers()[0]).toMatchObject({ authorization: 'Bearer of-the-operator' })
    // The answer to the last batch may still be on its way.
    await expect
      .poll(() => tracing.counts())
      .toMatchObject({ exported: 1050, dropped: { queue_full: 0, unavailable: 0 } })
  })

  test('spans that the collector rejects are counted', async () => {
    open({}, { protocol })
    const rejected = {
      'http/json': JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } }),
    }
    const body = protocol === 'http/json' ? rejected[protocol] : Buffer.from('0a0b08021207746f6f206f6c64', 'hex')
    collector.answer({ status: 200, body })
    add(5)
    await expect.poll(() => tracing.counts()).toMatchObject({ exported: 3, dropped: { rejected: 2 } })
  })
})

test('while the collector hangs, spans are dropped at the bound, and nobody waits (platformBounds.spansQueued, platformBounds.spanRequest)', async () => {
  collector.answer('hang')
  open({ maxSpans: 200, maxBatchSpans: 50, requestTimeoutMs: 50 })
  add(10_000)
  // The requests that hang count, too.
  expect(tracing.counts().dropped.queue_full).toBe(10_000 - 200)
  await expect.poll(() => tracing.counts().dropped.unavailable).toBeGreaterThan(0)
  collector.answer(undefined)
  await expect.poll(() => tracing.counts().exported + tracing.counts().dropped.unavailable).toBe(200)
  expect(tracing.counts().dropped.queue_full).toBe(10_000 - 200)
  // There is room again.
  add(200)
  expect(tracing.counts().dropped.queue_full).toBe(10_000 - 200)
})

test('the queue is bounded in bytes, and what was sent leaves it (platformBounds.spansQueued)', async () => {
  // A span counts as 3 KiB, and two bytes for each of these 206 characters.
  open({ maxBytes: 10 * (3072 + 2 * 206), gatherMs: 20 })
  add(30, 'x'.repeat(200))
  expect(tracing.counts().dropped.queue_full).toBe(20)
  await expect.poll(() => tracing.counts().exported).toBe(10)
  add(30, 'x'.repeat(200))
  expect(tracing.counts().dropped.queue_full).toBe(40)
})

test('a collector that is busy gets the same batch again, one that refuses does not', async () => {
  open()
  collector.answer({ status: 503, headers: { 'retry-after': new Date(0).toUTCString() }, times: 2 })
  add(3)
  await expect.poll(() => collector.spans().length).toBe(3)
  expect(collector.headers()).toHaveLength(3)
  collector.answer({ status: 401, body: 'no' })
  add(2)
  await expect.poll(() => tracing.counts().dropped.refused).toBe(2)
  expect(tracing.counts().exported).toBe(3)
  expect(logLines.join('')).toContain('"reason":"status 401"')
})

test('without a collector the process goes on, says so once, and tells no credential', async () => {
  const { url } = collector
  await collector.close()
  open({ requestTimeoutMs: 100 }, { url: `${url}/v1/traces` })
  for (const count of [1, 2, 3]) {
    add(1)
    await expect.poll(() => tracing.counts().dropped.unavailable).toBe(count)
  }
  expect(logLines.filter((line) => line.includes('spans could not be exported'))).toHaveLength(1)
  expect(logLines.join('')).not.toContain('of-the-operator')
  collector = await startOtlpReceiver()
})

test('queued spans are sent before the process ends, but a hung collector does not delay its end (platformBounds.spanClose)', async () => {
  open({ gatherMs: 60_000, maxBatchSpans: 10, closeMs: 30_000 })
  add(25)
  await tracing.close()
  expect(collector.spans()).toHaveLength(25)
  // Nothing is taken after it.
  add(1)
  expect(tracing.counts()).toMatchObject({ exported: 25, dropped: { queue_full: 1 } })
  open({ gatherMs: 60_000, closeMs: 50 })
  collector.answer('hang')
  add(3)
  await tracing.close()
  expect(tracing.counts().dropped.unavailable).toBe(3)
  // The request was not given up by its own time-out, which is logged.
  expect(logLines).toEqual([])
})

test('OTEL_EXPORTER_OTLP_… choose compression and the certificate authority, and a request takes no longer than platformBounds.spanRequest', async () => {
  const { certificate: cert, key } = createSelfSigned({ names: ['127.0.0.1'], nowMs: Date.now(), days: 2 })
  const folder = mkdtempSync(join(tmpdir(), 'otlp-'))
  writeFileSync(join(folder, 'ca.pem'), cert)
  await collector.close()
  collector = await startOtlpReceiver({ tls: { cert, key } })
  vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip')
  vi.stubEnv('OTEL_EXPORTER_OTLP_CERTIFICATE', join(folder, 'ca.pem'))
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '60000')
  open()
  rmSync(folder, { recursive: true })
  add(2)
  await expect.poll(() => tracing.counts().exported).toBe(2)
  expect(collector.headers()[0]).toMatchObject({ 'content-encoding': 'gzip' })
  expect(collector.spans()).toHaveLength(2)
})

test('a list of a span has the items and the characters of platformBounds.spanList and platformBounds.spanText', async () => {
  open()
  const long = 'x'.repeat(1_000)
  const list = Array.from({ length: 100 }, () => long)
  tracing.tracer.record(parent, { ...start, name: long, attributes: { list } }, dates)
  await expect.poll(() => collector.spans().length).toBe(1)
  const [span] = collector.spans()
  const text = 'x'.repeat(platformBounds.spanText.chars)
  expect(span?.name).toBe(text)
  expect(span?.attributes.list).toEqual(Array.from({ length: platformBounds.spanList.count }, () => text))
})

const quiet = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00` }
const loud = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` }

test.each([
  ['parentbased_always_on', { root: true, quiet: false, loud: true }],
  ['parentbased_always_off', { root: false, quiet: false, loud: true }],
  ['parentbased_traceidratio', { root: false, quiet: false, loud: true }],
  ['always_on', { root: true, quiet: true, loud: true }],
  ['always_off', { root: false, quiet: false, loud: false }],
  ['traceidratio', { root: false, quiet: false, loud: false }],
] as const)('the sampler %s decides about requests without a context, and about those of callers', (name, expected) => {
  open({}, { sampler: { name, ratio: 0 } })
  const { enter } = tracing.tracer
  const isRecorded = (headers: Record<string, string>) => enter(headers, start)?.span !== undefined
  expect({ root: isRecorded({}), quiet: isRecorded(quiet), loud: isRecorded(loud) }).toEqual(expected)
  // A context that is not recorded is handed on as it came.
  if (!expected.loud) expect(enter(loud, start)?.context).toMatchObject({ spanId: 'd'.repeat(16), traceFlags: 1 })
  if (!expected.root) expect(enter({}, start)).toBeUndefined()
})

test('the ratio of a sampler is the share of the requests', () => {
  open({}, { sampler: { name: 'parentbased_traceidratio', ratio: 0.25 } })
  const entered = Array.from({ length: 4000 }, () => tracing.tracer.enter({}, start)).filter(
    (each) => each !== undefined,
  )
  expect(entered.length).toBeGreaterThan(800)
  expect(entered.length).toBeLessThan(1200)
  expect(new Set(entered.map(({ context }) => context.traceId)).size).toBe(entered.length)
})
