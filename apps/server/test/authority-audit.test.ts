import { hostname, userInfo } from 'node:os'
import { asClient } from '@ars/testkit/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, plantPerson, plantSession } from './access-matrix/people.ts'
import { type App, type Reply, sharedApp, type Tenant, until } from './app.ts'
import { inviteVisitor } from './browser.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

type Entry = {
  action: string
  subject: string | null
  actor: { type: string; id: string | null }
  after: Record<string, unknown> | null
}
type Credential = { key: string | null; headers?: Record<string, string> }

const entriesOf = async ({ key }: Tenant, action: string): Promise<Entry[]> =>
  (await app.call('GET', `/v2/audit-log?limit=100&action=${action}`, { key })).body.data
const keyWith = async ({ key }: Pick<Tenant, 'key'>, scopes: readonly string[]) =>
  (await app.call('POST', '/v2/api-keys', { key, body: { name: 'one', scopes } })).body as { id: string; key: string }
const codeOf = ({ status, body }: Reply): string => `${status} ${body?.error?.code ?? ''}`.trim()
const idOf = async ({ key }: Tenant): Promise<string> => (await app.call('GET', '/v2/api/auth/me', { key })).body.id
const waitingRun = async (credential: Credential, agent: string | undefined) =>
  (await app.call('POST', '/v2/runs', { ...credential, body: { agent_id: agent, input: {} } })).body
const approve = (credential: Credential, run: string) =>
  app.call('POST', `/v2/runs/${run}/action`, { ...credential, body: { type: 'approve', comment: 'PRIVATE' } })

test('erasures, decisions and new tokens are in the audit log, without what can be erased', async () => {
  const tenant = await app.addTenant()
  const actor = { type: 'key', id: await idOf(tenant) }
  const run = await waitingRun(tenant, tenant.agents['test-approval'])
  const [{ id: action }] = run.required_actions
  expect((await approve(tenant, run.id)).status).toBe(200)
  // The same decision again has no effect and no entry.
  await approve(tenant, run.id)
  const decided = { actor, subject: run.id, after: { action_id: action, type: 'approval' } }
  expect(await entriesOf(tenant, 'run.approved')).toMatchObject([decided])
  const rejected = await waitingRun(tenant, tenant.agents['test-approval'])
  await app.call('POST', `/v2/runs/${rejected.id}/action`, { key: tenant.key, body: { type: 'reject' } })
  expect(await entriesOf(tenant, 'run.rejected')).toMatchObject([{ subject: rejected.id }])
  await until('the end of the run', async () => {
    const { body } = await app.call('GET', `/v2/runs/${run.id}`, { key: tenant.key })
    return body.status === 'completed'
  })
  expect((await app.call('DELETE', `/v2/runs/${run.id}/data`, { key: tenant.key })).status).toBe(200)
  expect(await entriesOf(tenant, 'run.data_erased')).toMatchObject([{ actor, subject: run.id }])
  const body = { scopes: ['runs:read'], run_id: run.id }
  const made = await app.call('POST', '/v2/session-tokens', { key: tenant.key, body })
  const [token, ...others] = await entriesOf(tenant, 'session_token.created')
  expect([token, others]).toMatchObject([{ actor, subject: expect.stringMatching(/^tok_/), after: body }, []])
  const all = await app.call('GET', '/v2/audit-log?limit=100', { key: tenant.key })
  expect([all.text.includes(made.body.token), all.text.includes('PRIVATE')]).toEqual([false, false])
})

test('an erasure that fails half-way can be repeated, and the audit log records the complete one', async () => {
  const tenant = await app.addTenant()
  const body = { agent_id: tenant.agents['test-echo'], input: { query: 'PRIVATE' } }
  const run = (await app.call('POST', '/v2/runs', { key: tenant.key, body })).body
  const erase = () => app.call('DELETE', `/v2/runs/${run.id}/data`, { key: tenant.key })
  // Each table is erased in its own transaction, and this one is locked.
  await asClient(app.database.superuserUrl, async (client) => {
    await client.query('begin; lock table run_messages in exclusive mode')
    expect((await erase()).status).toBe(503)
    await client.query('rollback')
  })
  const read = await app.call('GET', `/v2/runs/${run.id}`, { key: tenant.key })
  expect([read.body.input, read.body.output]).toEqual([{}, null])
  expect(await entriesOf(tenant, 'run.data_erased')).toEqual([])
  expect((await erase()).status).toBe(200)
  expect(await entriesOf(tenant, 'run.data_erased')).toMatchObject([{ subject: run.id }])
})

test('a sample of refused requests is in the audit log, bounded per organisation and minute (auditBounds.refusalsNoted)', async () => {
  const tenant = await app.addTenant()
  const weak = await keyWith(tenant, ['runs:read'])
  for (let n = 0; n < 40; n++) {
    expect(codeOf(await app.call('GET', '/v2/agents', { key: weak.key }))).toBe('403 forbidden')
  }
  const entries = await until('an entry', async () => {
    const found = await entriesOf(tenant, 'access.refused')
    return found.length > 0 && found
  })
  expect(entries[0]).toMatchObject({ actor: { type: 'key', id: weak.id }, subject: null })
  expect(entries[0]?.after).toEqual({ operation: 'agents.list', message: 'This key lacks the scope agents:read.' })
  // At most ten a minute; the requests may have crossed the end of a minute.
  expect((await entriesOf(tenant, 'access.refused')).length).toBeLessThanOrEqual(20)
})

test('a wrong password is in the audit logs of the account, and not repeated within a minute', async () => {
  const tenant = await app.addTenant()
  const { email } = await inviteVisitor(app, tenant)
  for (let n = 0; n < 3; n++) {
    const reply = await app.call('POST', '/v2/api/auth/login', {
      key: null,
      body: { email, password: 'wrong words here' },
    })
    expect(reply.status).toBe(401)
  }
  const entries = await until('the entry', async () => {
    const found = await entriesOf(tenant, 'login.failed')
    return found.length > 0 && found
  })
  expect(entries.length).toBeLessThanOrEqual(2)
  expect(entries[0]).toMatchObject({ actor: { type: 'user' }, after: { reason: 'wrong password' } })
})

test('an operator’s command is recorded with the user and the host', async () => {
  const tenant = await app.addTenant()
  const [created] = await entriesOf(tenant, 'organisation.created')
  expect(created?.actor).toEqual({ type: 'operator', id: `${userInfo().username}@${hostname()}` })
})

/** A person in a browser, and a key that this person created. */
const joins = async (tenant: Tenant) => {
  const place = { ...tenant, marker: `person-${newId('usr')}` }
  const person = await plantPerson(app, place, 'admin')
  const { cookie } = await plantSession(app, place, person)
  const session = { key: null, headers: { cookie, origin: app.url } }
  const body = { name: 'own', scopes: ['keys:write', 'runs:read', 'runs:write', 'runs:approve'] }
  const made = await app.call('POST', '/v2/api-keys', { ...session, body })
  const child = await keyWith(made.body, ['runs:read', 'runs:write', 'runs:approve'])
  return { session, own: { key: made.body.key as string }, child: { key: child.key } }
}

const agentWith = async (tenant: Tenant, approval: object) => {
  const agent = tenant.agents['test-approval'] ?? ''
  const body = { limits: { approval } }
  const changed = await app.call('PATCH', `/v2/agents/${agent}`, { key: tenant.key, body })
  expect(changed.status, changed.text).toBe(200)
  return { agent, shown: changed.body.limits.approval }
}

test('four eyes: the person who started the run, directly or with a key, cannot approve it, and a second person can', async () => {
  const tenant = await app.addTenant()
  const { agent, shown } = await agentWith(tenant, { not_starter: true })
  expect(shown).toEqual({ by: 'anyone', not_starter: true })
  const [ada, grace] = [await joins(tenant), await joins(tenant)]
  for (const starter of [ada.session, ada.own, ada.child]) {
    const run = await waitingRun(starter, agent)
    for (const approver of [ada.session, ada.own, ada.child]) {
      const refused = await approve(approver, run.id)
      expect([codeOf(refused), refused.body.error.message]).toEqual([
        '403 forbidden',
        expect.stringContaining('second person'),
      ])
    }
    expect((await approve(starter === ada.own ? grace.child : grace.session, run.id)).status).toBe(200)
  }
})

test('an agent can take approvals from people only, and the version that the run is pinned to decides', async () => {
  const tenant = await app.addTenant()
  const before = await waitingRun(tenant, tenant.agents['test-approval'])
  const { agent } = await agentWith(tenant, { by: 'person' })
  const after = await waitingRun(tenant, agent)
  expect((await approve(tenant, before.id)).status).toBe(200)
  const refused = await approve(tenant, after.id)
  expect([codeOf(refused), refused.body.error.message]).toEqual([
    '403 forbidden',
    expect.stringContaining('people only'),
  ])
  expect(
    (
      await app.call('POST', `/v2/runs/${after.id}/action`, {
        key: tenant.key,
        body: { type: 'message', payload: { message: 'x' } },
      })
    ).status,
  ).toBe(200)
  expect((await approve((await joins(tenant)).session, after.id)).status).toBe(200)
  const diff = await app.call('GET', `/v2/agents/${agent}/versions/1/diff?to=2`, { key: tenant.key })
  expect(diff.text).toContain('limits.approval')
  const cleared = await app.call('PATCH', `/v2/agents/${agent}`, {
    key: tenant.key,
    body: { limits: { approval: null } },
  })
  expect(cleared.body.limits.approval).toBeNull()
})
