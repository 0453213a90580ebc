import { limits } from '@ars/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const failures = { name: 'Too many failures', metric: 'failure_rate', threshold: 0.1 }
const call = (method: string, path: string, body?: object, key?: string) =>
  app.call(method, `/v2${path}`, { ...(body && { body }), ...(key && { key }) })
const create = (body: object = failures, key?: string) => call('POST', '/alert-rules', body, key)

test('an alert rule is created with defaults, read, listed, changed and deleted', async () => {
  const created = await create()
  expect(created).toMatchObject({ status: 201, headers: { location: `/v2/alert-rules/${created.body.id}` } })
  expect(created.body).toEqual({
    id: expect.stringMatching(/^alr_[0-9a-z]{26}$/),
    object: 'alert_rule',
    ...failures,
    error_code: null,
    agent_id: null,
    operator: 'above',
    window_seconds: 300,
    for_seconds: 0,
    min_sample_size: 10,
    severity: 'warning',
    enabled: true,
    state: 'ok',
    alert_id: null,
    stale: false,
    created_at: expect.stringMatching(/Z$/),
  })
  const path = `/alert-rules/${created.body.id}`
  expect(await call('GET', path)).toMatchObject({ status: 200, body: created.body })
  expect((await call('GET', '/alert-rules')).body.data).toContainEqual(created.body)
  const changed = await call('PATCH', path, { threshold: 0.2, severity: 'critical', enabled: false })
  expect(changed.body).toEqual({ ...created.body, threshold: 0.2, severity: 'critical', enabled: false })
  expect(await call('DELETE', path)).toMatchObject({ status: 200, body: changed.body })
  expect((await call('GET', path)).status).toBe(404)
  expect((await call('DELETE', path)).status).toBe(404)
  const { data } = (await call('GET', `/audit-log?subject=${created.body.id}`)).body
  expect(data.map(({ action }: { action: string }) => action)).toEqual([
    'alert_rule.deleted',
    'alert_rule.updated',
    'alert_rule.created',
  ])
})

test('a request that is repeated with its idempotency key gets the same rule', async () => {
  const headers = { 'idempotency-key': 'rule-1' }
  const [first, second] = [
    await app.call('POST', '/v2/alert-rules', { body: failures, headers }),
    await app.call('POST', '/v2/alert-rules', { body: failures, headers }),
  ]
  expect(second).toMatchObject({
    status: 201,
    headers: { 'idempotency-replayed': 'true' },
    body: { id: first.body.id },
  })
})

test.each([
  [422, 'input_invalid', { metric: 'quota_used', agent_id: 'own' }],
  [422, 'input_invalid', { metric: 'webhook_failure_rate', agent_id: 'own' }],
  [422, 'input_invalid', { metric: 'error_code_count', threshold: 3 }],
  [422, 'input_invalid', { threshold: 1.5 }],
  [400, 'invalid_request', { metric: 'happiness' }],
  [400, 'invalid_request', { window_seconds: 90 }],
  [400, 'invalid_request', { window_seconds: 60 }],
  [400, 'invalid_request', { threshold: -1 }],
] as const)('%i %s for a rule that cannot work: %j', async (status, code, more) => {
  const agent_id = 'agent_id' in more ? { agent_id: app.tenant.agents['test-echo'] } : {}
  expect(await create({ ...failures, ...more, ...agent_id })).toMatchObject({ status, body: { error: { code } } })
})

test('an organisation has a limited number of rules', async () => {
  const tenant = await app.addTenant()
  await create(failures, tenant.key)
  await app.query(
    `insert into alert_rules (id, org_id, name, metric, operator, threshold, window_seconds, for_seconds, min_sample_size, severity,
       enabled, created_by, created_by_type)
     select gen_random_uuid(), $1, 'x', 'failure_rate', 'above', 1, 300, 0, 1, 'info', true, gen_random_uuid(), 'key'
       from generate_series(2, $2)`,
    [tenant.org, limits.alertRulesPerOrganisation],
  )
  expect(await create(failures, tenant.key)).toMatchObject({ status: 422, body: { error: { code: 'limit_reached' } } })
})

test('a test alert is sent as an event that says so, and is not stored', async () => {
  const { body: rule } = await create()
  const { status, body: alert } = await call('POST', `/alert-rules/${rule.id}/test`)
  expect(status).toBe(200)
  expect(alert).toMatchObject({
    test: true,
    status: 'firing',
    rule: { id: rule.id, name: failures.name },
    snapshot: { metric: 'failure_rate', value: 0.1, threshold: 0.1, sample_size: 0, series: [] },
  })
  const events = await app.query<{ data: object }>(
    `select data from events where org_id = $1 and type = 'alert.triggered'`,
    [app.tenant.org],
  )
  expect(events.map(({ data }) => data)).toContainEqual(alert)
  expect((await call('GET', `/alerts/${alert.id}`)).status).toBe(404)
})

test('a preview without figures has not fired, and metrics without history are refused', async () => {
  const { name: _, ...body } = failures
  const { status, body: preview } = await call('POST', '/alert-rules/preview', body)
  expect([status, preview]).toEqual([
    200,
    { object: 'alert_preview', from: expect.any(String), to: expect.any(String), fired: 0, periods: [] },
  ])
  expect(Date.parse(preview.to) - Date.parse(preview.from)).toBe(7 * 86_400_000)
  expect(await call('POST', '/alert-rules/preview', { metric: 'quota_used', threshold: 0.8 })).toMatchObject({
    status: 422,
    body: { error: { code: 'input_invalid', param: 'metric' } },
  })
})

describe('a key that is narrowed to an agent', () => {
  let tenant: Tenant
  let key: string
  let own: string
  beforeAll(async () => {
    tenant = await app.addTenant()
    own = tenant.agents['test-echo'] ?? ''
    const narrowed = { name: 'narrowed', scopes: ['alerts:read', 'alerts:write'], agent_ids: [own] }
    key = (await call('POST', '/api-keys', narrowed, tenant.key)).body.key
  })

  test('makes and sees rules of this agent only', async () => {
    const other = tenant.agents['test-slow'] ?? ''
    const { body: ofOther } = await create({ ...failures, agent_id: other }, tenant.key)
    const { body: ofAll } = await create(failures, tenant.key)
    const { body: ofOwn } = await create({ ...failures, agent_id: own }, key)
    expect((await call('GET', '/alert-rules', undefined, key)).body.data).toEqual([ofOwn])
    expect((await call('GET', '/alert-rules', undefined, tenant.key)).body.data).toHaveLength(3)
    for (const { id } of [ofOther, ofAll]) {
      expect((await call('GET', `/alert-rules/${id}`, undefined, key)).status).toBe(403)
      expect((await call('PATCH', `/alert-rules/${id}`, { enabled: false }, key)).status).toBe(403)
      expect((await call('DELETE', `/alert-rules/${id}`, undefined, key)).status).toBe(403)
      expect((await call('POST', `/alert-rules/${id}/test`, undefined, key)).status).toBe(403)
    }
    for (const agent_id of [other, null]) {
      expect((await create({ ...failures, agent_id }, key)).status).toBe(403)
      const { name: _, ...asked } = failures
      expect((await call('POST', '/alert-rules/preview', { ...asked, agent_id }, key)).status).toBe(403)
    }
  })
})
