import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type CallOptions, type Reply, sharedApp, type Tenant } from './app.ts'

let app: App
let other: { url: string; stop(): Promise<void> }
beforeAll(async () => {
  app = await sharedApp()
  other = await app.join('gateway')
})
afterAll(() => app.stop())

const create = (tenant: Tenant, { body = {}, headers = {}, ...more }: CallOptions & { body?: object } = {}) =>
  app.call('POST', '/v2/runs', {
    key: tenant.key,
    body: { agent_id: tenant.agents['test-echo'], input: { query: 'hello' }, ...body },
    headers: { prefer: 'respond-async', ...headers },
    ...more,
  })

/** 202, or 200 when the run has ended before the response. */
const isAccepted = ({ status }: Pick<Reply, 'status'>): boolean => status === 200 || status === 202

const usage = ({ org }: Tenant) =>
  app.query<{ calls: number; runs: number }>(
    `select (select coalesce(sum(calls), 0)::integer from call_counts where org_id = $1) as calls,
            (select count(*)::integer from runs where org_id = $1) as runs`,
    [org],
  )

test('a request beyond the monthly quota is 429 on every gateway and does not count', async () => {
  const tenant = await app.addTenant({ limits: { callsPerMonth: 5 } })
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => create(tenant, n % 2 === 0 ? {} : { url: other.url })),
  )
  expect(answers.filter(isAccepted)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.body.error).toMatchObject({ type: 'rate_limit_error', code: 'quota_exceeded' })
  expect(await usage(tenant)).toEqual([{ calls: 5, runs: 5 }])
})

test('with the quota used up a retry still gets its run, on either route', async () => {
  const tenant = await app.addTenant({ limits: { callsPerMonth: 1 } })
  const headers = { 'idempotency-key': 'mine' }
  const { body: run } = await create(tenant, { headers })
  expect((await create(tenant)).status).toBe(429)
  const again = await create(tenant, { headers, url: other.url })
  expect([isAccepted(again), again.body.id, again.headers['idempotency-replayed']]).toEqual([true, run.id, 'true'])
  expect((await create(tenant, { headers, body: { input: { query: 'other' } } })).status).toBe(422)
  expect(await usage(tenant)).toEqual([{ calls: 1, runs: 1 }])
})

test('an organisation on no plan has no monthly quota', async () => {
  const tenant = await app.addTenant({ plan: 'none' })
  await app.query(
    `insert into call_counts (org_id, month, slot, calls)
     select $1, date_trunc('month', app_now() at time zone 'utc')::date, slot, 1000000 from generate_series(0, 31) as slot`,
    [tenant.org],
  )
  expect(isAccepted(await create(tenant))).toBe(true)
  expect((await app.call('GET', '/v2/organisation', { key: tenant.key })).body).toMatchObject({
    plan: 'none',
    limits: { calls_per_month: 1_000_000_000_000, concurrent_runs: 500 },
  })
})

test('[S74] a run cannot exceed the timeout of the plan', async () => {
  const tenant = await app.addTenant({ plan: 'free' })
  expect(isAccepted(await create(tenant, { body: { timeout_seconds: 600 } }))).toBe(true)
  const refused = await create(tenant, { body: { timeout_seconds: 601 } })
  expect(refused.status).toBe(422)
  expect(refused.body.error).toMatchObject({ code: 'timeout_not_allowed', param: 'timeout_seconds' })
})

test('[S50] a demo key runs catalog agents for at most two minutes, and no custom agents', async () => {
  const tenant = await app.addTenant({ kind: 'demo' })
  const own = await app.addAgent({ config: { model: 'simulated/echo' } }, tenant)
  expect(isAccepted(await create(tenant))).toBe(true)
  expect((await create(tenant, { body: { timeout_seconds: 121 } })).body.error.code).toBe('timeout_not_allowed')
  expect((await create(tenant, { body: { agent_id: own } })).body.error).toMatchObject({ code: 'forbidden' })
  const { body: list } = await app.call('GET', '/v2/agents?limit=100', { key: tenant.key })
  expect(list.data.map(({ source }: { source: string }) => source)).not.toContain('custom')
})

test('[S53] a key that is narrowed to some agents is 403 for the others and for their runs', async () => {
  const tenant = await app.addTenant()
  const { body: run } = await create(tenant, { body: { agent_id: tenant.agents['test-steps'] } })
  const { body: key } = await app.call('POST', '/v2/api-keys', {
    key: tenant.key,
    body: {
      name: 'Narrow',
      scopes: ['runs:read', 'runs:write', 'agents:read'],
      agent_ids: [tenant.agents['test-echo']],
    },
  })
  const narrow = { ...tenant, key: key.key as string }
  expect(isAccepted(await create(narrow))).toBe(true)
  expect((await create(narrow, { body: { agent_id: tenant.agents['test-steps'] } })).status).toBe(403)
  const elsewhere = app.tenant.agents['test-echo']
  expect((await create(narrow, { body: { agent_id: elsewhere } })).status).toBe(404)
  const asked = async (path: string) => (await app.call('GET', `/v2${path}`, { key: narrow.key })).status
  expect(await asked(`/runs/${run.id}`)).toBe(403)
  expect(await asked(`/runs/${run.id}/stream`)).toBe(403)
  expect(await asked(`/runs/${fromUuid('run', '01890a5d-ac96-774b-bcce-b302099a8057')}`)).toBe(404)
  expect(await asked(`/agents/${tenant.agents['test-steps']}`)).toBe(403)
  const { body: list } = await app.call('GET', '/v2/runs', { key: narrow.key })
  expect(new Set(list.data.map(({ agent_id }: { agent_id: string }) => agent_id))).toEqual(
    new Set([tenant.agents['test-echo']]),
  )
})
