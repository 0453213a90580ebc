import { verifyAudit } from '@ars/core/audit'
import { openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, type Tenant } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Entry = {
  id: string
  actor: { type: string; id: string | null }
  action: string
  subject: string
  address: string
  request_id: string
}

const entriesOf = async ({ key }: Tenant, query = ''): Promise<Entry[]> =>
  (await app.call('GET', `/v2/audit-log?limit=100&${query}`, { key })).body.data

test('thirty administrative acts make thirty entries, each with its actor, address and request', async () => {
  const tenant = await app.addTenant()
  const before = (await entriesOf(tenant)).length
  const acts: { action: string; reply: Reply; subject: string }[] = []
  const act = async (action: string, method: string, path: string, body?: unknown): Promise<Reply> => {
    const reply = await app.call(method, `/v2${path}`, { key: tenant.key, ...(body ? { body } : {}) })
    expect([action, reply.status]).toEqual([action, expect.toBeOneOf([200, 201])])
    const subject = path.split('/')[method === 'DELETE' ? path.split('/').length - 1 : 2]
    acts.push({ action, reply, subject: subject?.includes('_') ? subject : reply.body.id })
    return reply
  }
  for (let n = 0; n < 3; n++) {
    const connector = { name: `c${n}`, url: 'https://mcp.example.com/', auth: { type: 'bearer', token: `token-${n}` } }
    const { id: con } = (await act('connector.created', 'POST', '/connectors', connector)).body
    await act('connector.created', 'POST', '/connectors', { name: 'open', url: 'https://mcp.example.com/' })
    await act('connector.deleted', 'DELETE', `/connectors/${con}`)
    const { id: key } = (await act('api_key.created', 'POST', '/api-keys', { name: 'k', scopes: ['runs:read'] })).body
    await act('api_key.updated', 'PATCH', `/api-keys/${key}`, { name: 'renamed' })
    await act('api_key.rotated', 'POST', `/api-keys/${key}/rotate`, {})
    await act('api_key.revoked', 'DELETE', `/api-keys/${key}`)
    const invite = { email: `person-${n}@example.com`, role: 'viewer' }
    const { id: invitation } = (await act('member.invited', 'POST', '/members/invitations', invite)).body
    await act('invitation.revoked', 'DELETE', `/members/invitations/${invitation}`)
    await act('api_key.created', 'POST', '/api-keys', { name: 'demo', kind: 'demo', scopes: ['runs:read'] })
  }
  expect(acts).toHaveLength(30)
  // Refusals, reads and replays are not acts.
  await app.call('POST', '/v2/connectors', { key: tenant.key, body: { name: 'x', url: 'https://10.0.0.1/' } })
  await app.call('DELETE', '/v2/connectors/con_01kf3xw0fqe1vrr9m8sdv2wbx4', { key: tenant.key })
  await app.call('GET', '/v2/connectors', { key: tenant.key })

  const entries = (await entriesOf(tenant)).toReversed().slice(before)
  expect(entries.map(({ action }) => action)).toEqual(acts.map(({ action }) => action))
  for (const [n, entry] of entries.entries()) {
    expect(entry.actor).toMatchObject({ type: 'key', id: expect.stringMatching(/^key_/) })
    expect(entry).toMatchObject({ address: '127.0.0.1', request_id: acts[n]?.reply.headers['x-request-id'] })
    if (entry.action !== 'api_key.rotated') expect(entry.subject).toBe(acts[n]?.subject)
  }
  const text = JSON.stringify(await entriesOf(tenant))
  for (const { reply } of acts)
    for (const secret of [reply.body.key, reply.body.link]) if (secret) expect(text).not.toContain(secret)
  expect(text).not.toContain('token-')

  const log = createLog({ level: 'silent' })
  const system = openDatabase({ url: app.database.systemUrl, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })
  expect(await verifyAudit(system, tenant.org)).toMatchObject({ entries: before + 30, broken: null })
  await system.close()
})

test('the log is paged and filtered, and is not visible to another organisation', async () => {
  const [tenant, other] = [await app.addTenant(), await app.addTenant()]
  const add = (name: string) =>
    app.call('POST', '/v2/connectors', { key: tenant.key, body: { name, url: 'https://mcp.example.com/' } })
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.push((await add(name)).body.id)
  await app.call('DELETE', `/v2/connectors/${ids[1]}`, { key: tenant.key })
  expect((await entriesOf(tenant, `subject=${ids[1]}`)).map(({ action }) => action)).toEqual([
    'connector.deleted',
    'connector.created',
  ])
  const created = await entriesOf(tenant, 'action=connector.created')
  expect(created.map(({ subject }) => subject)).toEqual(ids.toReversed())
  const [newest] = created
  expect(await entriesOf(tenant, `actor=${newest?.actor.id}&action=connector.deleted`)).toHaveLength(1)
  const page = await app.call('GET', '/v2/audit-log?limit=2&action=connector.created', { key: tenant.key })
  expect(page.body).toMatchObject({ object: 'list', has_more: true, first_id: newest?.id })
  const next = await app.call('GET', `/v2/audit-log?action=connector.created&after=${page.body.last_id}`, {
    key: tenant.key,
  })
  expect(next.body).toMatchObject({ has_more: false, data: [{ subject: ids[0] }] })
  expect(await entriesOf(other, `subject=${ids[1]}`)).toEqual([])
})

test.for([
  'actor=somebody',
  'actor=run_01kf3xw0fqe1vrr9m8sdv2wbx4',
  'action=everything',
  'action=Connector.created',
  'subject=con_short',
  'created_after=yesterday',
  'created_before=1969-12-31T00:00:00Z',
  'limit=0',
  'after=con_01kf3xw0fqe1vrr9m8sdv2wbx4',
  'who=key_01kf3xw0fqe1vrr9m8sdv2wbx4',
  'action=connector.created&action=connector.deleted',
])('an invalid filter is 400: %s', async (query) => {
  const { status, body } = await app.call('GET', `/v2/audit-log?${query}`)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
})

test('the log can be read only with the scope audit:read', async () => {
  const { key } = await app.addTenant({ scopes: ['keys:read', 'members:write'] })
  expect(await app.call('GET', '/v2/audit-log', { key })).toMatchObject({ status: 403 })
})
