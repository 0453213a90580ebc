import { contract } from '@ars/contract'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
})
afterAll(() => app.stop())

const create = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.call('POST', '/v2/api-keys', { body: { name: 'CI', scopes: ['agents:read'], ...body }, headers })
const statusOf = async (key: string, path = '/v2/agents') => (await app.call('GET', path, { key })).status
const refusesSoon = (key: string) => until('the refusal', async () => (await statusOf(key)) === 401)

test('[S38] a scoped key is created, shown once, and may do what its scopes say and nothing else', async () => {
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

test('[S37] the keys of the organisation are listed with their scopes, and none of them whole', async () => {
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

test('a key cannot grant what it lacks: 403 that names the scopes', async () => {
  const { body: weak } = await create({ scopes: ['keys:write', 'agents:read'] })
  const body = { name: 'strong', scopes: ['agents:read', 'audit:read'] }
  const { status, body: answer } = await app.call('POST', '/v2/api-keys', { key: weak.key, body })
  expect(status).toBe(403)
  expect(answer.error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('audit:read') })
})

test('a changed key may do what it says now, and a revoked one nothing, at every gateway', async () => {
  const second = await app.join('gateway')
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

test('[S47] a short-lived token works for what it was made for until it expires, and no longer than its key', async () => {
  const { body: parent } = await create({ scopes: ['agents:read', 'runs:read'] })
  const make = (key: string, body: Record<string, unknown>) => app.call('POST', '/v2/session-tokens', { key, body })
  const made = await make(parent.key, { scopes: ['agents:read'], expires_in: 3_600 })
  expect(made.status).toBe(201)
  expect(contract.sessionTokens.create.output.parse(made.body)).toEqual(made.body)
  const { token } = made.body
  expect(await statusOf(token)).toBe(200)
  expect(await statusOf(token, '/v2/runs')).toBe(403)
  expect((await make(token, { scopes: ['agents:read'] })).status).toBe(403)
  expect((await make(parent.key, { scopes: ['keys:write'] })).status).toBe(403)
  expect((await make(parent.key, { scopes: ['agents:read'], expires_in: 86_401 })).status).toBe(400)

  await moveDatabaseClock(app.database.ownerUrl, 3_500_000)
  expect(await statusOf(token)).toBe(200)
  await moveDatabaseClock(app.database.ownerUrl, 100_000)
  await refusesSoon(token)
  const orphan = (await make(parent.key, { scopes: ['agents:read'] })).body.token
  expect(await statusOf(orphan)).toBe(200)
  await app.call('DELETE', `/v2/api-keys/${parent.id}`)
  expect(await statusOf(orphan)).toBe(401)
})

test('[S49] the old key works for 24 hours after its rotation, says so in each answer, and then not a second longer', async () => {
  const { body: old } = await create({})
  const rotated = await app.call('POST', `/v2/api-keys/${old.id}/rotate`, { body: {} })
  expect(rotated).toMatchObject({ status: 201, body: { name: 'CI', key: expect.stringMatching(/^ars_live_/) } })
  const { body: record } = await app.call('GET', `/v2/api-keys/${old.id}`)
  expect(record.rotated_to).toBe(rotated.body.id)
  const until24h = new Date(record.grace_until)

  await moveDatabaseClock(app.database.ownerUrl, 24 * 3_600_000 - 60_000)
  const late = await app.call('GET', '/v2/agents', { key: old.key })
  expect(late.status).toBe(200)
  expect(late.headers.sunset).toBe(until24h.toUTCString())
  expect(late.headers.deprecation).toBe(`@${Math.floor(until24h.getTime() / 1_000) - 24 * 3_600}`)
  const fresh = await app.call('GET', '/v2/agents', { key: rotated.body.key })
  expect([fresh.status, fresh.headers.sunset, fresh.headers.deprecation]).toEqual([200, undefined, undefined])

  await moveDatabaseClock(app.database.ownerUrl, 60_000)
  await refusesSoon(old.key)
  expect(await statusOf(rotated.body.key)).toBe(200)
})
