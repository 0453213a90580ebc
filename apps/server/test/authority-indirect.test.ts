import { fromUuid } from '@ars/platform/id'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, patient, type Reply, sharedApp, type Tenant } from './app.ts'

// Ways in which one thing reaches another: a policy that sends what runs contain, a connector that agents call.
let app: App
let honest: LoopbackMcpServer
let foreign: LoopbackMcpServer
beforeAll(async () => {
  app = patient(await sharedApp())
  ;[honest, foreign] = await Promise.all([startMcpServer(), startMcpServer()])
})
afterAll(async () => {
  await app.stop()
  await Promise.all([honest?.stop(), foreign?.stop()])
})

type NewKey = { scopes: readonly string[]; agent_ids?: readonly (string | undefined)[] }

const keyWith = async ({ key }: Pick<Tenant, 'key'>, body: NewKey): Promise<string> => {
  const made = await app.call('POST', '/v2/api-keys', { key, body: { name: 'one', ...body } })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body.key
}
const call = (key: string, method: string, path: string, body?: object): Promise<Reply> =>
  app.call(method, `/v2${path}`, { key, ...(body && { body }) })
const ok = async (key: string, method: string, path: string, body?: object) => {
  const answer = await call(key, method, path, body)
  expect([200, 201], answer.text).toContain(answer.status)
  return answer.body
}
const refusalOf = ({ status, body }: Reply): string => `${status} ${body?.error?.message ?? ''}`

const hook = 'https://127.0.0.1:9/check'
const sending = { check: 'http', stages: ['input'], action: 'flag', params: { url: hook } }
const words = { check: 'keywords', stages: ['input'], action: 'flag', params: { words: ['heron'] } }

// What a key needs to make, change, attach or resume a policy, and to move a connector, the access matrix tries.
test('a key that may change policies stops one that sends content of runs, also without runs:read', async () => {
  const tenant = await app.addTenant()
  const writer = await keyWith(tenant, { scopes: ['policies:write', 'policies:read'] })
  const made = await ok(tenant.key, 'POST', '/policies', { name: 'Remote', rules: [sending], mode: 'shadow' })
  const subject = { subject_id: fromUuid('org', tenant.org) }
  const held = await call(writer, 'POST', `/policies/${made.id}/attachments`, subject)
  expect(refusalOf(held)).toContain('403 This credential lacks the scope runs:read')
  await ok(writer, 'PATCH', `/policies/${made.id}`, { name: 'Renamed' })
  await ok(writer, 'PATCH', `/policies/${made.id}`, { rules: [words] })
  await ok(writer, 'DELETE', `/policies/${made.id}`)
})

test('a key that moved a connector approves no tool there, nor does a key that comes from it; another one does', async () => {
  const tenant = await app.addTenant()
  const { id } = await ok(tenant.key, 'POST', '/connectors', { name: 'Own', url: honest.url })
  const scopes = ['connectors:write', 'connectors:read', 'runs:read', 'keys:write']
  const mover = await keyWith(tenant, { scopes })
  const moved = await ok(mover, 'PATCH', `/connectors/${id}`, { url: foreign.url })
  const keyId = async (key: string): Promise<string> => (await ok(key, 'GET', '/api/auth/me')).id
  expect(moved).toMatchObject({
    created_by: await keyId(tenant.key),
    moved_by: await keyId(mover),
    tools: { approved: 0 },
  })
  const [tool] = (await ok(mover, 'GET', `/connectors/${id}/tools`)).data
  expect(tool.state).toBe('pending')
  const approve = (key: string) =>
    call(key, 'POST', `/connectors/${id}/tools/${tool.name}/approve`, { hash: tool.hash })
  const child = await keyWith({ key: mover }, { scopes: ['connectors:write'] })
  const heir = (await ok(mover, 'POST', `/api-keys/${await keyId(mover)}/rotate`, {})).key
  const grandchild = await keyWith({ key: heir }, { scopes: ['connectors:write'] })
  // Another key rotates the child: nothing of the new key but its predecessor names the mover.
  const kept = (await ok(tenant.key, 'POST', `/api-keys/${await keyId(child)}/rotate`, {})).key
  for (const key of [mover, child, heir, grandchild, kept])
    expect(refusalOf(await approve(key))).toContain(
      '403 This key, or the key that it comes from, has changed the address',
    )
  const other = await keyWith(tenant, { scopes: ['connectors:write'] })
  expect((await approve(other)).body).toMatchObject({ state: 'approved' })
  // A name is no address.
  await ok(mover, 'PATCH', `/connectors/${id}`, { name: 'Renamed' })
  expect((await ok(mover, 'GET', `/connectors/${id}`)).moved_by).toBe(await keyId(mover))
})

test('what stands behind an approval is repeated only with runs:approve, and the rerun names who approved', async () => {
  const tenant = await app.addTenant()
  const agent_id = tenant.agents['test-echo']
  const { id } = await ok(tenant.key, 'POST', '/pipelines', {
    name: 'Pay',
    definition: {
      steps: [
        { key: 'ask', approval: { message: 'Pay?' } },
        { key: 'pay', agent_id, depends_on: ['ask'], input: { query: 'paid' } },
        { key: 'note', agent_id, input: { query: 'noted' } },
      ],
    },
  })
  const until = async (run: string, status: string) => {
    await expect
      .poll(async () => (await ok(tenant.key, 'GET', `/pipeline-runs/${run}`)).status, { timeout: 120_000 })
      .toBe(status)
    return ok(tenant.key, 'GET', `/pipeline-runs/${run}`)
  }
  const asks = (run: string) =>
    expect
      .poll(async () => (await ok(tenant.key, 'GET', `/pipeline-runs/${run}`)).required_actions, { timeout: 120_000 })
      .toMatchObject([{ id: 'ask' }])
  const first = await ok(tenant.key, 'POST', `/pipelines/${id}/runs`, {})
  await asks(first.id)
  const approver = await keyWith(tenant, { scopes: ['runs:approve', 'runs:write', 'runs:read', 'pipelines:read'] })
  await ok(approver, 'POST', `/pipeline-runs/${first.id}/action`, { type: 'approve' })
  await until(first.id, 'completed')
  const approverId = (await ok(approver, 'GET', '/api/auth/me')).id

  const worker = await keyWith(tenant, { scopes: ['runs:write', 'runs:read', 'pipelines:read'] })
  const rerun = (key: string, from_step: string, run = first.id) =>
    call(key, 'POST', `/pipeline-runs/${run}/rerun`, { from_step })
  expect(refusalOf(await rerun(worker, 'pay'))).toMatch(
    /^403 This credential lacks the scope runs:approve, .* Run from ask to ask again\.$/,
  )
  // Nothing that runs again depends on the approval.
  const noted = await rerun(worker, 'note')
  expect(noted.status).toBe(201)
  const decision = { type: 'approve', decided_by: approverId, pipeline_run_id: first.id }
  expect((await until(noted.body.id, 'completed')).steps[0]).toMatchObject({ key: 'ask', decision })

  const asked = await rerun(worker, 'ask')
  await asks(asked.body.id)
  await ok(worker, 'DELETE', `/pipeline-runs/${asked.body.id}`)

  const repeated = await rerun(tenant.key, 'pay')
  expect(repeated.status, repeated.text).toBe(201)
  const again = await rerun(tenant.key, 'pay', (await until(repeated.body.id, 'completed')).id)
  expect((await until(again.body.id, 'completed')).steps[0]).toMatchObject({ key: 'ask', decision })
  const { data } = await ok(tenant.key, 'GET', `/audit-log?subject=${again.body.id}`)
  expect(data).toMatchObject([
    {
      action: 'pipeline_run.approval_kept',
      after: { rerun_of: repeated.body.id, from_step: 'pay', approved_by: { ask: approverId } },
    },
  ])
}, 240_000)

test('a narrowed key sees its own part of the audit log and of the list of keys', async () => {
  const tenant = await app.addTenant()
  const own = await app.addAgent({ config: { model: 'simulated/echo' } }, tenant)
  const other = await app.addAgent({ config: { model: 'simulated/echo' } }, tenant)
  const scopes = ['audit:read', 'keys:read', 'keys:write', 'agents:write']
  const narrowed = await keyWith(tenant, { scopes, agent_ids: [own] })
  const sibling = await keyWith(tenant, { scopes: ['runs:read'], agent_ids: [own] })
  const wide = await keyWith(tenant, { scopes: ['runs:read'], agent_ids: [own, other] })
  const idOf = async (key: string): Promise<string> => (await ok(key, 'GET', '/api/auth/me')).id
  const [narrowedId, siblingId, wideId] = await Promise.all([narrowed, sibling, wide].map(idOf))
  await ok(tenant.key, 'PATCH', `/agents/${own}`, { name: 'Own 2' })
  await ok(tenant.key, 'PATCH', `/agents/${other}`, { name: 'Other 2' })
  const child = await keyWith({ key: narrowed }, { scopes: ['keys:read'], agent_ids: [own] })

  const log = (await ok(narrowed, 'GET', '/audit-log?limit=100')).data as { action: string; subject: string }[]
  expect(log.map(({ action, subject }) => [action, subject])).toEqual([
    ['api_key.created', await idOf(child)],
    ['agent.updated', own],
  ])
  expect((await ok(narrowed, 'GET', '/audit-log?limit=1')).data).toHaveLength(1)
  expect((await ok(narrowed, 'GET', `/audit-log?subject=${other}`)).data).toEqual([])

  const keys = (await ok(narrowed, 'GET', '/api-keys?limit=100')).data as { id: string }[]
  expect(keys.map(({ id }) => id)).toEqual([await idOf(child), siblingId, narrowedId])
  const person = (await ok(tenant.key, 'GET', '/api/auth/me')).id
  const made = (await ok(narrowed, 'GET', `/api-keys?created_by=${person}`)).data as { id: string }[]
  expect(made.map(({ id }) => id)).toEqual([siblingId, narrowedId])
  expect((await ok(narrowed, 'GET', `/api-keys/${siblingId}`)).id).toBe(siblingId)
  expect(refusalOf(await call(narrowed, 'GET', `/api-keys/${wideId}`))).toContain('403 This key is for agents')
})
