import { authorityRows, contract, type Operation, scopes } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from './access-matrix/people.ts'
import { type App, patient, type Reply, sharedApp, type Tenant, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = patient(await sharedApp())
})
afterAll(() => app.stop())

type NewKey = { scopes: readonly string[]; kind?: 'demo'; agent_ids?: readonly string[] }

const newKey = async ({ key }: Tenant, body: NewKey): Promise<{ id: string; key: string }> => {
  const made = await app.call('POST', '/v2/api-keys', { key, body: { name: 'one', ...body } })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body
}
const newToken = async (key: string, body: { scopes: readonly string[]; run_id?: string }): Promise<string> => {
  const made = await app.call('POST', '/v2/session-tokens', { key, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body.token
}
const newRun = async (key: string, agent: string | undefined, headers: Record<string, string> = {}) => {
  const body = { agent_id: agent, input: { query: 'TOP-SECRET' } }
  return (await app.call('POST', '/v2/runs', { key, body, headers })).body
}
const codeOf = ({ status, body }: Reply): string => `${status} ${body?.error?.code ?? ''}`.trim()
const actOn = (key: string, run: string, body: Record<string, unknown>) =>
  app.call('POST', `/v2/runs/${run}/action`, { key, body })

const demoScopes = ['runs:read', 'runs:write', 'agents:read']

const pathOf = (path: string, run: string): string =>
  `/v2${path.replace('{id}', run).replace('{share_id}', newId('shr'))}`
const bodyOf = ({ path }: Operation, type: string) => {
  if (path.endsWith('/action')) return { body: { type, payload: { message: 'Go on' } } }
  return path === contract.runs.share.path ? { body: {} } : {}
}

test('a list shows a demo key and a token only the runs that they created, with any filter', async () => {
  const tenant = await app.addTenant()
  const agent = tenant.agents['test-echo']
  const labelled = { agent_id: agent, input: {}, metadata: { team: 'red' } }
  const demo = await newKey(tenant, { kind: 'demo', scopes: demoScopes })
  const token = await newToken(tenant.key, { scopes: ['runs:read', 'runs:write'] })
  const other = await newToken(tenant.key, { scopes: ['runs:read', 'runs:write'] })
  const own: Record<string, string> = {}
  for (const key of [tenant.key, demo.key, token, other])
    own[key] = (await app.call('POST', '/v2/runs', { key, body: labelled })).body.id
  const filters = ['', `agent_id=${agent}`, 'status=completed', 'status=completed,queued', 'metadata[team]=red']
  for (const filter of [...filters, `agent_id=${agent}&status=completed&metadata[team]=red`]) {
    for (const key of [token, other, ...(filter.includes('&') ? [] : [demo.key])]) {
      const { body } = await app.call('GET', `/v2/runs?${filter}`, { key })
      expect([filter, body.data?.map(({ id }: { id: string }) => id)]).toEqual([filter, [own[key]]])
    }
    const all = await app.call('GET', `/v2/runs?${filter}`, { key: tenant.key })
    expect(all.body.data).toHaveLength(4)
  }
})

test('a run shows the key or person that created it; a token counts as its creator', async () => {
  const tenant = await app.addTenant()
  const agent = tenant.agents['test-echo']
  const key = await newKey(tenant, { scopes: ['runs:read', 'runs:write'] })
  const token = await newToken(key.key, { scopes: ['runs:write'] })
  for (const credential of [key.key, token]) {
    const made = await newRun(credential, agent)
    expect([made.status, made.created_by]).toEqual(['completed', key.id])
    expect((await app.call('GET', `/v2/runs/${made.id}`, { key: tenant.key })).body.created_by).toBe(key.id)
  }
  const async = await newRun(key.key, agent, { prefer: 'respond-async' })
  expect(async.created_by).toBe(key.id)
})

test('an idempotency key of another credential does not open its run to a demo key or a token', async () => {
  const tenant = await app.addTenant()
  const agent = tenant.agents['test-echo']
  const headers = { 'idempotency-key': 'shared' }
  const body = { agent_id: agent, input: { query: 'TOP-SECRET' } }
  await app.call('POST', '/v2/runs', { key: tenant.key, body, headers })
  const demo = await newKey(tenant, { kind: 'demo', scopes: demoScopes })
  for (const path of ['/v2/runs', '/v2/runs/stream']) {
    const reply = await app.call('POST', path, { key: demo.key, body, headers })
    expect([codeOf(reply), reply.text.includes('run_')]).toEqual(['403 forbidden', false])
  }
  const again = { 'idempotency-key': 'own' }
  const first = await app.call('POST', '/v2/runs', { key: demo.key, body, headers: again })
  const second = await app.call('POST', '/v2/runs', { key: demo.key, body, headers: again })
  expect([second.headers['idempotency-replayed'], second.body.id]).toEqual(['true', first.body.id])
})

test('a message needs runs:write, and a decision needs runs:approve', async () => {
  const tenant = await app.addTenant()
  const waiting = await newRun(tenant.key, tenant.agents['test-approval'])
  expect(waiting.status).toBe('requires_action')
  const writer = await newKey(tenant, { scopes: ['runs:write'] })
  const approver = await newKey(tenant, { scopes: ['runs:approve'] })
  const browser = await newToken(tenant.key, { scopes: ['runs:read', 'runs:write'], run_id: waiting.id })
  const message = { type: 'message', payload: { message: 'Wait' } }
  for (const type of ['approve', 'reject', 'respond']) {
    for (const key of [writer.key, browser]) {
      const refused = await actOn(key, waiting.id, { type, ...(type === 'respond' && { payload: {} }) })
      expect([codeOf(refused), refused.body.error.message]).toEqual([
        '403 forbidden',
        expect.stringContaining('lacks the scope runs:approve'),
      ])
    }
  }
  expect(codeOf(await actOn(approver.key, waiting.id, message))).toBe('403 forbidden')
  expect((await actOn(writer.key, waiting.id, message)).status).toBe(200)
  const named = await newToken(tenant.key, { scopes: ['runs:approve'], run_id: waiting.id })
  expect((await actOn(named, waiting.id, { type: 'approve' })).status).toBe(200)
  await until('the end of the run', async () => {
    const { body } = await app.call('GET', `/v2/runs/${waiting.id}`, { key: tenant.key })
    return body.status === 'completed'
  })
})

test('erasing the data of a run needs runs:erase', async () => {
  const tenant = await app.addTenant()
  const run = await newRun(tenant.key, tenant.agents['test-echo'])
  const writer = await newKey(tenant, { scopes: ['runs:read', 'runs:write', 'runs:approve'] })
  const eraser = await newKey(tenant, { scopes: ['runs:erase'] })
  expect(codeOf(await app.call('DELETE', `/v2/runs/${run.id}/data`, { key: writer.key }))).toBe('403 forbidden')
  expect((await app.call('DELETE', `/v2/runs/${run.id}/data`, { key: eraser.key })).body.input).toEqual({})
})

test('a demo key cannot hold the scopes that decide, erase and share', async () => {
  const { key } = await app.addTenant()
  for (const scope of ['runs:approve', 'runs:erase', 'runs:share']) {
    const made = await app.call('POST', '/v2/api-keys', { key, body: { name: 'x', kind: 'demo', scopes: [scope] } })
    expect(codeOf(made)).toBe('422 input_invalid')
  }
})

test('nobody makes a token for a run that they may not touch', async () => {
  const tenant = await app.addTenant()
  const [echo = '', slow = ''] = [tenant.agents['test-echo'], tenant.agents['test-slow']]
  const run = await newRun(tenant.key, echo)
  const narrowed = await newKey(tenant, { scopes: ['runs:read'], agent_ids: [slow] })
  const demo = await newKey(tenant, { kind: 'demo', scopes: demoScopes })
  for (const key of [narrowed.key, demo.key]) {
    const made = await app.call('POST', '/v2/session-tokens', { key, body: { scopes: ['runs:read'], run_id: run.id } })
    expect(codeOf(made)).toBe('403 forbidden')
  }
})

const ofRuns = authorityRows(contract).filter(({ isOfOneRun }) => isOfOneRun)

// The other scopes open nothing of a run: `access-matrix/scopes.test.ts`.
test.each(scopes.filter((scope) => scope.startsWith('runs:')))(
  '[S53] %s alone: exactly its operations on a run, for own and foreign runs',
  async (scope) => {
    const tenant = await app.addTenant()
    const { key } = await newKey(tenant, { scopes: [scope] })
    const token = await newToken(tenant.key, { scopes: [scope] })
    const [foreign, own] = [
      await newRun(tenant.key, tenant.agents['test-echo']),
      await newRun(tenant.key, tenant.agents['test-echo']),
    ]
    const [{ id } = { id: '' }] = await app.query<{ id: string }>('select id from session_tokens where org_id = $1', [
      tenant.org,
    ])
    await app.query('update runs set owner_id = $1 where id = $2', [id, toUuid(own.id)])
    for (const { name, operation, when, scopes: needed } of ofRuns) {
      const type = when?.value ?? 'message'
      const isRefused = async (credential: string, run: string) => {
        const options = { key: credential, ...bodyOf(operation, type) }
        return (await app.call(operation.method, pathOf(operation.path, run), options)).status === 403
      }
      const isHeld = needed.every((each) => each === scope)
      const cells = [
        await isRefused(key, own.id),
        await isRefused(key, foreign.id),
        await isRefused(token, own.id),
        await isRefused(token, foreign.id),
      ]
      expect([name, type, ...cells]).toEqual([name, type, !isHeld, !isHeld, !isHeld, true])
    }
  },
)
