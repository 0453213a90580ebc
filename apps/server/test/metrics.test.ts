import { type MetricRow, metricList } from '@ars/core/metric-list'
import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { version } from '../src/version.ts'
import { type App, startApp } from './app.ts'

let app: App
beforeAll(async () => {
  // With a collector, because some metrics are about it.
  app = await startApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } })
})
afterAll(() => app.stop())

type Sample = { name: string; labels: Record<string, string>; value: number }

const scrape = async (): Promise<string> => (await request(`${app.metricsUrl}/metrics`)).body.text()

const samplesOf = (text: string): Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })

const read = async (name: string, labels: Record<string, string> = {}): Promise<number | undefined> =>
  samplesOf(await scrape()).find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value

const list: Readonly<Record<string, MetricRow>> = metricList

test('names say what is counted and in which unit, as Prometheus asks', () => {
  for (const [name, { kind, labels, description }] of Object.entries(list)) {
    expect(name).toMatch(/^(ars|process|nodejs)_[a-z0-9_]+$/)
    expect(name.endsWith('_total'), name).toBe(kind === 'counter')
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/)
    expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes|kb|mb|count|sum|bucket)$/)
    expect(labels.every((label) => /^[a-z_]+$/.test(label) && label !== 'le')).toBe(true)
    expect(description).toMatch(/\.$/)
  }
})

test('every metric of the list is served with its labels, and no other', async () => {
  const { body: run } = await app.call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'hello' } },
  })
  expect(run.status).toBe('completed')
  expect((await app.call('GET', '/v2/runs', { key: 'ars_live_wrong' })).status).toBe(401)
  const batch = { agent_id: app.tenant.agents['test-echo'], items: [{ input: { query: 'hello' } }] }
  expect((await app.call('POST', '/v2/batches', { body: batch })).status).toBe(201)
  const absent = (name: string): boolean => list[name]?.description.includes('Absent until the first') ?? false
  const familyOf = (name: string): string =>
    Object.hasOwn(list, name) ? name : name.replace(/_(bucket|sum|count)$/, '')
  const isServed = async (): Promise<string[]> => {
    const served = new Set(samplesOf(await scrape()).map(({ name }) => familyOf(name)))
    return Object.keys(list).filter((name) => !served.has(name) && !absent(name) && !seldom.has(name))
  }
  // Some need an event of the process: a garbage collection, a step, a round of each job.
  await expect.poll(isServed).toEqual([])
  for (const { name, labels } of samplesOf(await scrape())) {
    const row = list[familyOf(name)]
    expect(row, name).toBeDefined()
    expect([...(row?.labels ?? []), 'le'], name).toEqual(expect.arrayContaining(Object.keys(labels)))
  }
})

/** They need rights of the database, a webhook, a rule that asks a model or a host, a priced model, a fallback or a lucky moment. */
const seldom = new Set([
  'ars_backup_archive_timestamp_seconds',
  'ars_backup_base_timestamp_seconds',
  'ars_peer_certificate_expiry_timestamp_seconds',
  'ars_replication_slot_retained_bytes',
  'ars_database_disk_free_bytes',
  'ars_delivery_attempt_duration_seconds',
  'ars_delivery_lag_seconds',
  'ars_guardrail_remote_seconds',
  'ars_model_cost_usd_total',
  'ars_model_fallbacks_total',
  'nodejs_gc_duration_seconds',
])

test('an ended run, a call of its model and a refused request are counted', async () => {
  expect(await read('ars_runs_ended_total', { status: 'completed', code: '' })).toBeGreaterThan(0)
  const model = { provider: 'simulated', model: 'simulated/echo' }
  expect(await read('ars_model_call_duration_seconds_count', { ...model, outcome: 'ok' })).toBeGreaterThan(0)
  expect(await read('ars_model_tokens_total', { ...model, direction: 'output' })).toBeGreaterThanOrEqual(0)
  expect(await read('ars_requests_refused_total', { code: 'unauthorized' })).toBeGreaterThan(0)
  expect(await read('ars_build_info', { version, role: 'all' })).toBe(1)
  // Both are answers within a time limit, which a busy machine may miss once.
  await expect.poll(() => read('ars_engine_up')).toBe(1)
  await expect.poll(() => read('ars_redis_up')).toBe(1)
  expect(await read('ars_pool_size', { pool: 'app' })).toBe(5)
})

test('a caller that waits for a run, and its slot, are counted while they last', async () => {
  const waiting = app.call('POST', '/v2/runs', {
    body: { agent_id: app.tenant.agents['test-slow'], input: { seconds: 600 } },
  })
  await expect.poll(() => read('ars_calls_waiting')).toBe(1)
  expect(await read('ars_cell_slots_used')).toBe(1)
  const { data } = (await app.call('GET', '/v2/runs?status=running')).body
  await app.call('DELETE', `/v2/runs/${data[0].id}`)
  expect((await waiting).body.status).toBe('cancelled')
  await expect.poll(() => read('ars_calls_waiting')).toBe(0)
  await expect.poll(() => read('ars_cell_slots_used')).toBe(0)
})

test('days, the certificate and the periodic jobs have dates', async () => {
  const now = Date.now() / 1_000
  expect(await read('ars_partitions_until_timestamp_seconds')).toBeGreaterThan(now)
  expect(await read('ars_oldest_data_timestamp_seconds')).toBeLessThan(now)
  expect(await read('ars_certificate_expiry_timestamp_seconds')).toBeGreaterThan(now)
  expect(await read('ars_sweep_last_success_timestamp_seconds', { sweep: 'deadlines' })).toBeGreaterThan(now - 600)
})
