import { contract } from '@ars/contract'
import { stopDatabaseClock } from '@ars/testkit/stopped-clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, startApp, until } from './app.ts'

let app: App
let second: { url: string }
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
  second = await app.join('gateway')
})
afterAll(() => app.stop())

const create = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.call('POST', '/v2/api-keys', { body: { name: 'CI', scopes: ['agents:read'], ...body }, headers })
const databaseNow = async () => (await app.query<{ now: string }>('select app_now()::text as now'))[0]?.now
const statusOf = async (key: string, path = '/v2/agents') => (await app.call('GET', path, { key })).status

test('[S38] a scoped key is created, shown once, and permits its scopes and nothing else', async () => {
  const made = await create({}, { 'idempotency-key': 'first' })
  expect(made.status).toBe(201)
  expect(contract.apiKeys.create.output.parse(made.body)).toEqual(made.body)
  expect(made.headers.location).toBe(`/v2/api-keys/${made.body.id}`)
  expect(await statusOf(made.body.key)).toBe(200)
  expect(await statusOf(made.body.key, '/v2/api-keys')).toBe(403)

  const again = await create({}, { 'idempotency-key': 'first' })
  expect(again).toMatchObject({ status: 201, body: { id: made.body.id, key: null } })
  expect(again.headers['idempotency-replayed']).toBe('true')
})

test('[S37] the keys of the organisation are listed with their scopes, and none of them in full', async () => {
  const { body: made } = await create({ name: 'listed', scopes: ['runs:read', 'usage:read'] })
  const other = await app.addTenant()
  const { status, body, text } = await app.call('GET', '/v2/api-keys?limit=100')
  expect(status).toBe(200)
  expect(contract.apiKeys.list.output.parse(body)).toEqual(body)
  const { key, ...record } = made
  expect(body.data).toContainEqual(record)
  expect(text).not.toContain(key)
  const theirs = await app.call('GET', '/v2/api-keys', { key: other.key })
  expect(theirs.body.data).toHaveLength(1)
  expect((await app.call('GET', `/v2/api-keys/${made.id}`, { key: other.key })).status).toBe(404)
})

test.each([
  [400, 'invalid_request', { scopes: [] }],
  [400, 'invalid_request', { scopes: 'runs:read' }],
  [400, 'invalid_request', { name: '' }],
  [400, 'invalid_request', { expires_at: 'tomorrow' }],
  [400, 'invalid_request', { agent_ids: [] }],
  [400, 'invalid_request', { org_id: 'x' }],
  [422, 'scope_unknown', { scopes: ['*'] }],
  [422, 'input_invalid', { expires_at: '2001-01-01T00:00:00Z' }],
  [422, 'input_invalid', { kind: 'demo', scopes: ['keys:write'] }],
  [404, 'not_found', { agent_ids: ['ag_01kf3xw0fqe1vrr9m8sdv2wbx4'] }],
])('a key is refused with %d %s: %j', async (status, code, body) => {
  expect(await create(body)).toMatchObject({ status, body: { error: { code } } })
})

test('a key cannot grant scopes that it lacks: 403 that names the scopes', async () => {
  const { body: weak } = await create({ scopes: ['keys:write', 'agents:read'] })
  const body = { name: 'strong', scopes: ['agents:read', 'audit:read'] }
  const { status, body: answer } = await app.call('POST', '/v2/api-keys', { key: weak.key, body })
  expect(status).toBe(403)
  expect(answer.error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('audit:read') })
})

test('a changed key has its new rights, and a revoked one has none, at every gateway', async () => {
  const { body: made } = await create({ scopes: ['agents:read', 'runs:read'] })
  const there = async (path: string) => (await app.call('GET', path, { key: made.key, url: second.url })).status
  expect(await there('/v2/agents')).toBe(200)
  const changed = await app.call('PATCH', `/v2/api-keys/${made.id}`, { body: { scopes: ['runs:read'] } })
  expect(changed).toMatchObject({ status: 200, body: { scopes: ['runs:read'], name: 'CI' } })
  await until('the change', async () => (await there('/v2/agents')) === 403)
  expect(await there('/v2/runs')).toBe(200)
  const revoked = await app.call('DELETE', `/v2/api-keys/${made.id}`)
  expect(revoked).toMatchObject({ status: 200, body: { revoked_at: expect.any(String) } })
  expect(await statusOf(made.key)).toBe(401)
  await until('the revocation', async () => (await there('/v2/runs')) === 401)
  expect((await app.call('DELETE', `/v2/api-keys/${made.id}`)).body).toEqual(revoked.body)
})

/**
 * One call a millisecond before a credential expires and one a millisecond after: the gateway's cache expires with it.
 */
const aroundTheEnd = async (credential: string, endsAt: string, url = app.url) => {
  const replies: Reply[] = []
  for (const ms of [-1, 1]) {
    await stopDatabaseClock(app.database.ownerUrl, new Date(Date.parse(endsAt) + ms))
    replies.push(await app.call('GET', '/v2/agents', { key: credential, url }))
  }
  const [before, after] = replies as [Reply, Reply]
  return { before, after, statuses: [before.status, after.status] }
}

test('[S47] a short-lived token permits its scopes until it expires, and never outlives its key', async () => {
  const { body: parent } = await create({ scopes: ['agents:read', 'runs:read'] })
  const make = (key: string, body: Record<string, unknown>) => app.call('POST', '/v2/session-tokens', { key, body })
  const made = await make(parent.key, { scopes: ['agents:read'], expires_in: 3_600 })
  expect(made.status).toBe(201)
  expect(contract.sessionTokens.create.output.parse(made.body)).toEqual(made.body)
  const { token, expires_at } = made.body
  expect(await statusOf(token)).toBe(200)
  expect(await statusOf(token, '/v2/runs')).toBe(403)
  expect((await make(token, { scopes: ['agents:read'] })).status).toBe(403)
  expect((await make(parent.key, { scopes: ['keys:write'] })).status).toBe(403)
  expect((await make(parent.key, { scopes: ['agents:read'], expires_in: 86_401 })).status).toBe(400)

  // The first gateway still caches the token from before the clock was moved by an hour.
  const { after, statuses } = await aroundTheEnd(token, expires_at, second.url)
  expect(statuses).toEqual([200, 401])
  expect(after.body.error.code).toBe('unauthorized')
  const orphan = (await make(parent.key, { scopes: ['agents:read'] })).body.token
  expect(await statusOf(orphan)).toBe(200)
  await app.call('DELETE', `/v2/api-keys/${parent.id}`)
  expect(await statusOf(orphan)).toBe(401)
})

test('[S47] a token expires with a key that expires earlier', async () => {
  const inAnHour = new Date(Date.parse((await databaseNow()) ?? '') + 3_600_000).toISOString()
  const { body: parent } = await create({ scopes: ['agents:read'], expires_at: inAnHour })
  const made = await app.call('POST', '/v2/session-tokens', {
    key: parent.key,
    body: { scopes: ['agents:read'], expires_in: 86_400 },
  })
  expect(made.status).toBe(201)
  expect((await aroundTheEnd(made.body.token, inAnHour)).statuses).toEqual([200, 401])
})

test('[S49] a rotated key works for 24 hours after its rotation, each response says so, and it works not a second longer', async () => {
  const { body: old } = await create({})
  const beforeRotation = Date.parse((await databaseNow()) ?? '')
  const rotated = await app.call('POST', `/v2/api-keys/${old.id}/rotate`, { body: {} })
  expect(rotated).toMatchObject({ status: 201, body: { name: 'CI', key: expect.stringMatching(/^ars_live_/) } })
  const afterRotation = Date.parse((await databaseNow()) ?? '')
  const { body: record } = await app.call('GET', `/v2/api-keys/${old.id}`)
  expect(record.rotated_to).toBe(rotated.body.id)
  const end = new Date(record.grace_until)
  const day = 24 * 3_600_000
  expect(end.getTime() - day).toBeGreaterThanOrEqual(beforeRotation)
  expect(end.getTime() - day).toBeLessThanOrEqual(afterRotation)

  const { before, after, statuses } = await aroundTheEnd(old.key, record.grace_until)
  expect(statuses).toEqual([200, 401])
  expect(before.headers.sunset).toBe(end.toUTCString())
  expect(before.headers.deprecation).toBe(`@${Math.floor((end.getTime() - day) / 1_000)}`)
  expect(after.body.error.code).toBe('unauthorized')
  const fresh = await app.call('GET', '/v2/agents', { key: rotated.body.key })
  expect([fresh.status, fresh.headers.sunset, fresh.headers.deprecation]).toEqual([200, undefined, undefined])
})
