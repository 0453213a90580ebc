import { randomBytes } from 'node:crypto'
import { limits } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, startApp, type Tenant, until } from './app.ts'

// A gateway sends nothing, so a public address is harmless here.
const url = 'https://8.8.8.8/hooks'
const hook = { url, events: ['run.completed'] }

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway', env: { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` } })
})
afterAll(() => app.stop())

// A busy machine may answer 503, which is not under test here.
const call = (method: string, path: string, options: Parameters<App['call']>[2] = {}): Promise<Reply> =>
  until('an answer other than 503', async () => {
    const reply = await app.call(method, `/v2${path}`, options)
    return reply.status !== 503 && reply
  })
const create = (body: unknown, headers: Record<string, string> = {}, key = app.tenant.key): Promise<Reply> =>
  call('POST', '/webhooks', { body, headers, key })
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]
const auditOf = async (id: string, { key }: Tenant = app.tenant) =>
  (await call('GET', `/audit-log?subject=${id}&limit=100`, { key })).body.data.toReversed()

test('[S40][S43] a webhook is registered with an address and events, and gets a unique secret', async () => {
  const { status, headers, body } = await create(hook)
  expect(status).toBe(201)
  expect(headers.location).toBe(`/v2/webhooks/${body.id}`)
  expect(body).toEqual({
    id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
    object: 'webhook',
    url,
    events: ['run.completed'],
    planned_events: [],
    active: true,
    description: null,
    secret_hint: body.secret.slice(-4),
    status: 'healthy',
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    missed_since: null,
    last_day: { deliveries: 0, succeeded: 0, failed: 0, success_rate: null },
    created_at: expect.stringMatching(/Z$/),
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  })
  const { secret: _, ...shown } = body
  expect(await call('GET', `/webhooks/${body.id}`)).toMatchObject({ status: 200, body: shown })
})

test('[S43] a secret and the active flag are optional, and are stored', async () => {
  const secret = 'whsec_my-own-secret-of-some-length'
  const { status, body } = await create({ ...hook, secret, active: false, description: 'Staging' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ secret, secret_hint: 'ngth', active: false, status: 'disabled', description: 'Staging' })
  expect(body).toMatchObject({ disabled_reason: 'paused', disabled_at: body.created_at, missed_since: body.created_at })
})

test('[S39] webhooks are listed newest first, in pages and filtered by state', async () => {
  const { key } = await app.addTenant()
  const made: Reply['body'][] = []
  for (const active of [true, false, true]) made.unshift((await create({ ...hook, active }, {}, key)).body)
  const shown = made.map(({ secret: _, ...webhook }) => webhook)
  const { body: all } = await call('GET', '/webhooks', { key })
  expect(all).toEqual({
    object: 'list',
    data: shown,
    has_more: false,
    first_id: shown[0].id,
    last_id: shown[2].id,
  })
  const { body: page } = await call('GET', '/webhooks?limit=2', { key })
  expect(page).toMatchObject({ data: shown.slice(0, 2), has_more: true })
  expect((await call('GET', `/webhooks?limit=2&after=${page.last_id}`, { key })).body.data).toEqual([shown[2]])
  expect((await call('GET', `/webhooks?limit=2&before=${shown[2].id}`, { key })).body.data).toEqual(shown.slice(0, 2))
  await app.query('update webhook_lanes set failing_since = app_now() where webhook_id = $1', [toUuid(shown[2].id)])
  const idsOf = async (status: string) =>
    (await call('GET', `/webhooks?status=${status}`, { key })).body.data.map(({ id }: { id: string }) => id)
  expect(await idsOf('healthy')).toEqual([shown[0].id])
  expect(await idsOf('disabled')).toEqual([shown[1].id])
  expect(await idsOf('failing')).toEqual([shown[2].id])
  expect((await call('GET', '/webhooks?status=ill', { key })).status).toBe(400)
})

test('a secret is shown once, and is then in no response, row, audit entry or log line', async () => {
  const tenant = await app.addTenant()
  const { key } = tenant
  const own = `whsec_${randomBytes(24).toString('base64')}`
  const headers = { 'idempotency-key': 'shown once' }
  const made = await create({ ...hook, secret: own }, headers, key)
  const { body: other } = await create(hook, {}, key)
  const { body: rotated } = await call('POST', `/webhooks/${made.body.id}/rotate-secret`, { key, body: {} })
  const secrets = [own, other.secret, rotated.secret]
  expect(new Set(secrets).size).toBe(3)
  const answers = [
    await create({ ...hook, secret: own }, headers, key),
    await call('GET', `/webhooks/${made.body.id}`, { key }),
    await call('GET', '/webhooks', { key }),
    await call('PATCH', `/webhooks/${made.body.id}`, { key, body: { description: 'x' } }),
    await call('GET', '/audit-log?limit=100', { key }),
    await call('DELETE', `/webhooks/${other.id}`, { key }),
  ]
  const rows = await app.query<{ row: string }>('select w::text as row from webhooks w where org_id = $1', [tenant.org])
  const keys = await app.query<{ row: string }>('select k::text as row from idempotency_keys k')
  expect(rows).toHaveLength(1)
  const seen = [...answers.map(({ text }) => text), ...[...rows, ...keys].map(({ row }) => row), ...app.logLines].join()
  for (const secret of secrets) {
    expect(seen).not.toContain(secret)
    expect(seen).not.toContain(Buffer.from(secret).toString('hex'))
    expect(seen).not.toContain(Buffer.from(secret).toString('base64'))
  }
})

test('a repeated request with the same key gets the same webhook, without its secret', async () => {
  const { key } = await app.addTenant()
  const headers = { 'idempotency-key': 'webhook once' }
  const together = await Promise.all(Array.from({ length: 5 }, () => create(hook, headers, key)))
  expect(together.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  expect(new Set(together.map(({ body }) => body.id)).size).toBe(1)
  expect(together.filter(({ body }) => body.secret !== null)).toHaveLength(1)
  const again = await create(hook, headers, key)
  expect(again).toMatchObject({ status: 201, body: { secret: null, url } })
  expect(again.headers['idempotency-replayed']).toBe('true')
  const reused = await create({ ...hook, description: 'another' }, headers, key)
  expect(refusalOf(reused)).toEqual([422, 'idempotency_key_reused', 'Idempotency-Key'])
  expect((await call('GET', '/webhooks', { key })).body.data).toHaveLength(1)
})

test('an organisation has at most 100 webhooks, also under concurrent creation', async () => {
  const { org, key } = await app.addTenant()
  await app.query(
    `with w as (insert into webhooks (id, org_id, url, events, secret, secret_hint, created_by, created_by_type)
       select new_uuid(), $1, $2, array['*'], '', '', $1, 'key' from generate_series(1, $3) returning id, org_id)
     insert into webhook_lanes (webhook_id, org_id) select id, org_id from w`,
    [org, url, limits.webhooksPerOrganisation - 2],
  )
  const asked = await Promise.all(Array.from({ length: 6 }, () => create(hook, {}, key)))
  expect(asked.filter(({ status }) => status === 201)).toHaveLength(2)
  const refused = asked.filter(({ status }) => status !== 201)
  for (const reply of refused) expect(refusalOf(reply)).toEqual([422, 'limit_reached', null])
  const [one] = (await call('GET', '/webhooks?limit=1', { key })).body.data
  await call('DELETE', `/webhooks/${one.id}`, { key })
  expect((await create(hook, {}, key)).status).toBe(201)
})

test('an update replaces the given fields and keeps the rest; one without effect leaves no trace', async () => {
  const { body: made } = await create({ ...hook, description: 'first' })
  const patch = (body: unknown) => call('PATCH', `/webhooks/${made.id}`, { body })
  const { secret: _, ...shown } = made
  expect((await patch({ events: ['*', 'run.failed', '*'] })).body).toEqual({ ...shown, events: ['*', 'run.failed'] })
  expect((await patch({ url: `${url}/2?token=tok_123`, description: null })).body).toEqual({
    ...shown,
    events: ['*', 'run.failed'],
    url: `${url}/2?token=tok_123`,
    description: null,
  })
  expect((await patch({ active: true, events: ['*', 'run.failed'] })).status).toBe(200)
  expect(refusalOf(await patch({}))).toEqual([400, 'invalid_request', null])
  expect(refusalOf(await patch({ secret: 'whsec_no-way-to-change-it-here' }))).toEqual([
    400,
    'invalid_request',
    'secret',
  ])
  expect(refusalOf(await patch({ url: 'https://127.0.0.1/' }))).toEqual([422, 'url_not_allowed', 'url'])
  expect(refusalOf(await patch({ events: ['run.failed', 'run.gone'] }))).toEqual([422, 'event_unknown', 'events.1'])
  const entries = await auditOf(made.id)
  expect(entries.map(({ action, before, after }: Reply['body']) => [action, before, after])).toEqual([
    ['webhook.created', null, { url, events: ['run.completed'], description: 'first', active: true }],
    ['webhook.updated', { events: ['run.completed'] }, { events: ['*', 'run.failed'] }],
    ['webhook.updated', { url, description: 'first' }, { url: `${url}/2`, description: null }],
  ])
})

test('a webhook is paused and enabled again; recovery of the missed events is offered', async () => {
  const { body: made } = await create(hook)
  const patch = (active: boolean) => call('PATCH', `/webhooks/${made.id}`, { body: { active } })
  const { body: test } = await call('POST', `/webhooks/${made.id}/test`, { body: {} })
  const { body: paused } = await patch(false)
  expect(paused).toMatchObject({ active: false, status: 'disabled', disabled_reason: 'paused' })
  expect(Date.parse(paused.missed_since)).toBeLessThanOrEqual(Date.parse(paused.disabled_at))
  const { body: ended } = await call('GET', `/webhooks/${made.id}/deliveries/${test.id}`)
  expect(ended).toMatchObject({
    status: 'failed',
    error: 'The webhook was paused',
    attempts: [],
    next_attempt_at: null,
  })
  expect(refusalOf(await call('POST', `/webhooks/${made.id}/test`, { body: {} }))).toEqual([
    422,
    'webhook_inactive',
    null,
  ])
  expect((await patch(false)).body).toEqual(paused)
  const { body: enabled } = await patch(true)
  expect(enabled).toMatchObject({ active: true, status: 'healthy', disabled_at: null, disabled_reason: null })
  expect(enabled.missed_since).toBe(paused.missed_since)
  expect((await auditOf(made.id)).map(({ action }: Reply['body']) => action)).toEqual([
    'webhook.created',
    'webhook.tested',
    'webhook.updated',
    'webhook.updated',
  ])
})

test('a webhook that the service disabled is enabled by the same update, and its failures are reset', async () => {
  const { body: made } = await create(hook)
  const id = toUuid(made.id)
  await app.query(
    `update webhooks set disabled_at = app_now(), disabled_reason = 'failing', missed_since = '2026-02-01T00:00:00Z'
      where id = $1`,
    [id],
  )
  await app.query(
    `update webhook_lanes set failures = 2, failing_since = '2026-02-01T00:00:00Z', rest_until = app_now() + interval '1 hour'
      where webhook_id = $1`,
    [id],
  )
  const disabled = { active: false, status: 'disabled', disabled_reason: 'failing' }
  expect((await call('GET', `/webhooks/${made.id}`)).body).toMatchObject(disabled)
  const { body } = await call('PATCH', `/webhooks/${made.id}`, { body: { active: true } })
  expect(body).toMatchObject({ active: true, status: 'healthy', failing_since: null })
  expect(body.missed_since).toBe('2026-02-01T00:00:00.000Z')
  const [queue] = await app.query('select failures, rest_until from webhook_lanes where webhook_id = $1', [id])
  expect(queue).toEqual({ failures: 0, rest_until: null })
})

test('a new address resets the state, and recovery of the events that failed at the old one is offered', async () => {
  const { body: made } = await create(hook)
  await app.query(
    `update webhook_lanes set failures = 2, failing_since = '2026-02-01T00:00:00Z' where webhook_id = $1`,
    [toUuid(made.id)],
  )
  const { body } = await call('PATCH', `/webhooks/${made.id}`, { body: { url: 'https://8.8.4.4/' } })
  expect(body).toMatchObject({ status: 'healthy', failing_since: null, missed_since: '2026-02-01T00:00:00.000Z' })
})

test('a secret is rotated; the previous one is valid for one more day by default', async () => {
  const { body: made } = await create(hook)
  const rotate = (body: unknown) => call('POST', `/webhooks/${made.id}/rotate-secret`, { body })
  const hoursLeft = async () => {
    const [row] = await app.query<{ hours: number | null }>(
      'select round(extract(epoch from old_secret_until - app_now()) / 3600)::integer as hours from webhooks where id = $1',
      [toUuid(made.id)],
    )
    return row?.hours
  }
  const first = await rotate({})
  expect(first.status).toBe(200)
  expect(first.body.secret).toMatch(/^whsec_/)
  expect(first.body.secret).not.toBe(made.secret)
  expect(first.body.secret_hint).toBe(first.body.secret.slice(-4))
  expect(await hoursLeft()).toBe(24)
  const own = 'whsec_chosen-by-the-customer'
  expect((await rotate({ secret: own, overlap_hours: 168 })).body).toMatchObject({ secret: own, secret_hint: 'omer' })
  expect(await hoursLeft()).toBe(168)
  expect((await rotate({ overlap_hours: 0 })).status).toBe(200)
  expect(await hoursLeft()).toBeNull()
  expect(refusalOf(await rotate({ secret: 'whsec_short' }))).toEqual([422, 'secret_invalid', 'secret'])
  expect((await rotate({ overlap_hours: 169 })).status).toBe(400)
  const entries = (await auditOf(made.id)).slice(1)
  expect(entries.map(({ action, after }: Reply['body']) => [action, after])).toEqual(
    [24, 168, 0].map((hours) => ['webhook.secret_rotated', { overlap_hours: hours }]),
  )
})

test('a deleted webhook is removed with all its waiting deliveries', async () => {
  const { body: made } = await create(hook)
  const { body: test } = await call('POST', `/webhooks/${made.id}/test`, { body: {} })
  const { secret: _, ...shown } = made
  const deleted = { ...shown, active: false, status: 'deleted' }
  expect(await call('DELETE', `/webhooks/${made.id}`)).toMatchObject({ status: 200, body: deleted })
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { active: true }],
    ['DELETE', ''],
    ['POST', '/test', {}],
    ['POST', '/rotate-secret', {}],
    ['GET', '/deliveries'],
    ['GET', `/deliveries/${test.id}`],
  ] as const) {
    const gone = await call(method, `/webhooks/${made.id}${path}`, { body })
    expect(refusalOf(gone), path).toEqual([404, 'not_found', null])
  }
  const heads = await app.query('select from delivery_heads where webhook_id = $1', [toUuid(made.id)])
  expect(heads).toEqual([])
  const [delivery] = await app.query('select status, error from deliveries where id = $1', [toUuid(test.id)])
  expect(delivery).toEqual({ status: 'failed', error: 'The webhook was deleted' })
  const last = (await auditOf(made.id)).at(-1)
  expect(last).toMatchObject({ action: 'webhook.deleted', before: { url, active: true }, after: null })
})

test('a test is an event for one webhook, and a delivery that is due at once', async () => {
  const { body: made } = await create(hook)
  const { status, body } = await call('POST', `/webhooks/${made.id}/test`, { body: {} })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^dlv_/),
    object: 'delivery',
    webhook_id: made.id,
    event_id: expect.stringMatching(/^evt_/),
    event_type: 'test',
    status: 'pending',
    source: 'test',
    attempts: [],
    waiting: null,
    next_attempt_at: body.created_at,
    error: null,
    created_at: expect.stringMatching(/Z$/),
    ended_at: null,
  })
  expect((await call('GET', `/webhooks/${made.id}/deliveries/${body.id}`)).body).toEqual({
    ...body,
    waiting: { reason: 'turn', message: 'It waits for its turn: 0 of its 1 deliveries are being sent.' },
  })
  const [queue] = await app.query(
    'select waiting, under_way, due_at <= app_now() as is_due from webhook_lanes where webhook_id = $1',
    [toUuid(made.id)],
  )
  expect(queue).toEqual({ waiting: 1, under_way: 0, is_due: true })
  const sample = await call('POST', `/webhooks/${made.id}/test`, { body: { event_type: 'alert.triggered' } })
  expect(sample.body).toMatchObject({ event_type: 'alert.triggered', source: 'test' })
  const unknown = await call('POST', `/webhooks/${made.id}/test`, { body: { event_type: 'run.gone' } })
  expect(refusalOf(unknown)).toEqual([422, 'event_unknown', 'event_type'])
  const rows = await app.query('select type, data, webhook_id from events where webhook_id = $1 order by id', [
    toUuid(made.id),
  ])
  expect(rows).toMatchObject([
    { type: 'test', data: { message: expect.any(String), webhook_id: made.id } },
    { type: 'alert.triggered', data: { object: 'alert' } },
  ])
  const told = await call('GET', '/events?type=alert.triggered')
  expect(told.body.data).toEqual([])
  expect(refusalOf(await call('GET', '/events?type=test'))).toEqual([400, 'invalid_request', 'type'])
})

test('beyond 100,000 waiting deliveries, a delivery is recorded as failed at once', async () => {
  const { body: made } = await create(hook)
  await app.query('update webhook_lanes set waiting = $2 where webhook_id = $1', [
    toUuid(made.id),
    limits.deliveriesWaitingPerWebhook,
  ])
  const { body } = await call('POST', `/webhooks/${made.id}/test`, { body: {} })
  expect(body).toMatchObject({ status: 'failed', next_attempt_at: null, ended_at: body.created_at })
  expect(body.error).toMatch(/More than 100000 deliveries wait/)
})

test('narrowed keys, tokens of one run and demo keys may not use webhooks, and the refusal says why', async () => {
  const { body: made } = await create(hook)
  const agentId = app.tenant.agents['test-echo']
  const scopes = ['webhooks:read', 'webhooks:write', 'runs:read']
  const narrowed = await call('POST', '/api-keys', { body: { name: 'narrow', scopes, agent_ids: [agentId] } })
  const run = await call('POST', '/runs', {
    body: { agent_id: agentId, input: { query: 'x' } },
    headers: { prefer: 'wait=0' },
  })
  const token = await call('POST', '/session-tokens', { body: { scopes, run_id: run.body.id } })
  expect(token.status, token.text).toBe(201)
  for (const [key, words] of [
    [narrowed.body.key, 'whole organisation'],
    [token.body.token, 'issued for another run'],
  ]) {
    for (const reply of [
      await call('GET', '/webhooks', { key }),
      await call('GET', `/webhooks/${made.id}`, { key }),
      await call('GET', `/webhooks/${made.id}/deliveries`, { key }),
      await call('PATCH', `/webhooks/${made.id}`, { key, body: { active: false } }),
      await create(hook, { 'idempotency-key': 'narrow' }, key),
    ]) {
      expect(refusalOf(reply).slice(0, 2), reply.text).toEqual([403, 'forbidden'])
      expect(reply.body.error.message).toContain(words)
    }
  }
  const demo = await call('POST', '/api-keys', { body: { name: 'demo', kind: 'demo', scopes: ['webhooks:read'] } })
  expect(refusalOf(demo)).toEqual([422, 'input_invalid', 'scopes'])
})

test('without an encryption key no webhook is registered, and the error says so', async () => {
  const keyless = await app.join('gateway', { ARS_KEKS: '' })
  const refused = await call('POST', '/webhooks', { url: keyless.url, body: hook })
  expect(refusalOf(refused).slice(0, 2)).toEqual([422, 'secrets_disabled'])
  await keyless.stop()
})
