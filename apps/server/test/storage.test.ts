import { storageSweep } from '@ars/core/access'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'
import { runNow } from './sweep.ts'

/* Stored bytes: of a run, and of an organisation. */

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const create = (tenant: Tenant, input: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.call('POST', '/v2/runs', {
    key: tenant.key,
    body: { agent_id: tenant.agents['test-echo'], input },
    headers,
  })

const sweep = async (): Promise<void> => {
  // The worker of the app counts too; a count within half a minute would stand.
  await app.query("update storage_counts set counted_at = counted_at - interval '1 hour'")
  await runNow(app, ({ system }) => storageSweep({ system, retentionDays: 30 }))
}

const storedBytes = async ({ org }: Tenant): Promise<number> =>
  Number(
    (await app.query<{ bytes: string }>('select stored_bytes as bytes from organisations where id = $1', [org]))[0]
      ?.bytes,
  )

describe('the stored bytes of an organisation', () => {
  test('count input, steps and output of its runs, and an erasure frees them', async () => {
    const tenant = await app.addTenant()
    const other = await app.addTenant()
    const { body } = await create(tenant, { query: 'x'.repeat(100_000) })
    await sweep()
    const stored = await storedBytes(tenant)
    expect(stored).toBeGreaterThan(300_000)
    expect(stored).toBeLessThan(310_000)
    expect(await storedBytes(other)).toBe(0)
    expect((await app.call('DELETE', `/v2/runs/${body.id}/data`, { key: tenant.key })).status).toBe(200)
    await sweep()
    expect(await storedBytes(tenant)).toBe(0)
  })

  test('count input and output of pipeline runs, beside the runs of their steps', async () => {
    const tenant = await app.addTenant()
    const ask = (method: string, path: string, body?: object) =>
      app.call(method, `/v2${path}`, { key: tenant.key, ...(body ? { body } : {}) })
    const definition = { steps: [{ key: 'ask', approval: { message: 'Go on?' } }] }
    const pipeline = (await ask('POST', '/pipelines', { name: 'Large', definition })).body
    const input = { text: 'x'.repeat(100_000) }
    const run = (await ask('POST', `/pipelines/${pipeline.id}/runs`, { input })).body
    await sweep()
    expect(await storedBytes(tenant)).toBeGreaterThan(100_000)
    await ask('DELETE', `/pipeline-runs/${run.id}`)
    const status = async () => (await ask('GET', `/pipeline-runs/${run.id}`)).body.status
    await expect.poll(status, { timeout: 60_000 }).toBe('cancelled')
    expect((await ask('DELETE', `/pipeline-runs/${run.id}/data`)).status).toBe(200)
    await sweep()
    expect(await storedBytes(tenant)).toBe(0)
    await app.query('update organisations set stored_bytes = 9007199254740991 where id = $1', [tenant.org])
    const refused = await ask('POST', `/pipelines/${pipeline.id}/runs`, {})
    expect([refused.status, refused.body.error.code]).toEqual([429, 'storage_exceeded'])
  })

  test('count the inputs of batches and schedules', async () => {
    const tenant = await app.addTenant()
    const agent_id = tenant.agents['test-echo']
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/v2${path}`, { key: tenant.key, ...(body ? { body } : {}) })
    const numbers = Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 100_003)
    const schedule = await call('POST', '/schedules', {
      name: 'stored',
      interval_seconds: 86_400,
      agent_id,
      input: { numbers },
    })
    expect(schedule.status).toBe(201)
    await sweep()
    const ofSchedule = await storedBytes(tenant)
    expect(ofSchedule).toBeGreaterThan(5_000)
    const batch = await call('POST', '/batches', { agent_id, items: [{ input: { query: 'x'.repeat(100_000) } }] })
    expect(batch.status).toBe(201)
    await sweep()
    expect((await storedBytes(tenant)) - ofSchedule).toBeGreaterThan(100_000)
    await expect.poll(async () => (await call('GET', `/batches/${batch.body.id}`)).body.status).toBe('completed')
    expect((await call('DELETE', `/batches/${batch.body.id}/data`)).status).toBe(200)
    await expect.poll(async () => (await call('GET', `/batches/${batch.body.id}`)).body.erased_at).not.toBeNull()
    await sweep()
    expect(await storedBytes(tenant)).toBe(ofSchedule)
  })

  test('over the limit of the plan, new runs are 429 storage_exceeded, replays and reads are answered', async () => {
    const tenant = await app.addTenant({ plan: 'free' })
    const key = { 'idempotency-key': 'before' }
    const first = await create(tenant, { query: 'x' }, key)
    expect(first.status).toBe(200)
    await app.query('update organisations set stored_bytes = 1073741824 where id = $1', [tenant.org])
    const refused = await create(tenant, { query: 'y' })
    expect([refused.status, refused.body.error.code]).toEqual([429, 'storage_exceeded'])
    expect(refused.body.error.message).toContain('Erase')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await create(tenant, { query: 'x' }, key)).body.id).toBe(first.body.id)
    expect((await app.call('GET', `/v2/runs/${first.body.id}`, { key: tenant.key })).status).toBe(200)
    await app.query("update organisations set plan = 'developer' where id = $1", [tenant.org])
    expect((await create(tenant, { query: 'y' })).status).toBe(200)
  })
})

test('an operator can switch simulated models off: saving and starting such an agent are refused with words', async () => {
  const strict = await app.join('gateway', { ARS_SIMULATED_MODELS: 'off' })
  const { url } = strict
  const saved = await app.call('POST', '/v2/agents/custom', {
    url,
    body: { name: 'off', config: { model: 'simulated/echo' } },
  })
  expect([saved.status, saved.body.error.code]).toEqual([422, 'config_invalid'])
  expect(saved.body.error.message).toContain('switched off')
  const started = await app.call('POST', '/v2/runs', {
    url,
    body: { agent_id: app.tenant.agents['test-echo'], input: { query: 'x' } },
  })
  expect([started.status, started.body.error.code]).toEqual([422, 'config_invalid'])
  expect(started.body.error.message).toContain('switched off')
  await strict.stop()
})
