import { limits } from '@ars/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'

// The filters by creator, release, error and id. `lists.test.ts` covers the others, and malformed values of these.

let app: App
let tenant: Tenant
let secondKey: { id: string; key: string }
let changing: { id: string; deployments: string[] }
let runs: Record<'first' | 'second' | 'token' | 'before' | 'after' | 'failed', Run>

type Run = { id: string; agent_id: string; agent_version: number; deployment_id: string; created_by: string }

beforeAll(async () => {
  app = await sharedApp()
  tenant = await app.addTenant()
  secondKey = await created('/v2/api-keys', { name: 'second', scopes: ['runs:read', 'runs:write'] })
  const token = await created('/v2/session-tokens', { scopes: ['runs:read', 'runs:write'] }, secondKey.key)
  const config = { model: 'simulated/echo', instructions: 'One.' }
  const agent = await created('/v2/agents/custom', { name: 'changing', config })
  const before = await run(agent.id)
  const changed = await app.call('PATCH', `/v2/agents/${agent.id}`, {
    key: tenant.key,
    body: { config: { instructions: 'Two.' } },
  })
  expect(changed.status).toBe(200)
  const after = await run(agent.id)
  changing = { id: agent.id, deployments: [before.deployment_id, after.deployment_id] }
  runs = {
    before,
    after,
    first: await run(tenant.agents['test-echo']),
    second: await run(tenant.agents['test-echo'], secondKey.key),
    token: await run(tenant.agents['test-echo'], token.token),
    failed: await run(tenant.agents['test-fail']),
  }
})
afterAll(() => app.stop())

const created = async (path: string, body: object, key = tenant.key) => {
  const answer = await app.call('POST', path, { body, key })
  expect(answer.status).toBe(201)
  return answer.body
}

const run = async (agent: string | undefined, key = tenant.key): Promise<Run> => {
  const answer = await app.call('POST', '/v2/runs', { body: { agent_id: agent, input: {} }, key })
  expect(answer.status).toBe(200)
  return answer.body
}

const list = async (query: Record<string, string>, key = tenant.key): Promise<string[]> => {
  const { status, body } = await app.call('GET', `/v2/runs?${new URLSearchParams(query)}`, { key })
  expect(status).toBe(200)
  return body.data.map(({ id }: Run) => id)
}

const newestFirst = (...some: readonly Run[]): string[] =>
  some
    .map(({ id }) => id)
    .toSorted()
    .toReversed()

test('created_by selects the runs of a key, with those of its short-lived tokens', async () => {
  const { created_by } = runs.first
  expect(created_by).toMatch(/^key_/)
  expect(await list({ created_by: secondKey.id })).toEqual(newestFirst(runs.second, runs.token))
  expect(await list({ created_by })).toEqual(newestFirst(runs.first, runs.before, runs.after, runs.failed))
  expect(await list({ created_by, status: 'failed' })).toEqual([runs.failed.id])
  expect(await list({ created_by: secondKey.id, status: 'completed,running' })).toHaveLength(2)
  expect(await list({ created_by: secondKey.id, status: 'failed,cancelled,running' })).toEqual([])
  // A person is never a key, even with the same characters.
  expect(await list({ created_by: created_by.replace('key_', 'usr_') })).toEqual([])
})

test('agent_version and deployment_id select the runs of one release', async () => {
  const [first = '', second = ''] = changing.deployments
  expect(first).not.toBe(second)
  expect(await list({ agent_id: changing.id, agent_version: '1' })).toEqual([runs.before.id])
  expect(await list({ agent_id: changing.id, agent_version: '2' })).toEqual([runs.after.id])
  expect(await list({ agent_id: changing.id, agent_version: '3' })).toEqual([])
  expect(await list({ deployment_id: first })).toEqual([runs.before.id])
  expect(await list({ deployment_id: second, status: 'completed' })).toEqual([runs.after.id])
  expect(await list({ agent_id: changing.id, agent_version: '2', deployment_id: first })).toEqual([])
})

test('a version that was released again by a rollback keeps all its runs in one list', async () => {
  const rolledBack = await app.call('POST', `/v2/deployments/${changing.deployments[1]}/rollback`, {
    key: tenant.key,
    body: { reason: 'a test' },
  })
  expect(rolledBack.status).toBe(200)
  const again = await run(changing.id)
  expect(again.agent_version).toBe(1)
  expect(changing.deployments).not.toContain(again.deployment_id)
  const version = { agent_id: changing.id, agent_version: '1' }
  expect(await list(version)).toEqual(newestFirst(runs.before, again))
  expect(await list({ ...version, status: 'completed,failed' })).toEqual(newestFirst(runs.before, again))
  expect(await list({ ...version, limit: '1', after: again.id })).toEqual([runs.before.id])
})

test('error_code selects the runs that failed with one of the codes', async () => {
  expect(await list({ error_code: 'agent_error' })).toEqual([runs.failed.id])
  expect(await list({ error_code: 'run_timeout,agent_error,agent_error', status: 'failed' })).toEqual([runs.failed.id])
  expect(await list({ error_code: 'agent_error', agent_id: tenant.agents['test-fail'] ?? '' })).toHaveLength(1)
  expect(await list({ error_code: 'agent_error', agent_id: tenant.agents['test-echo'] ?? '' })).toEqual([])
  expect(await list({ error_code: 'agent_error', ids: runs.failed.id })).toEqual([runs.failed.id])
  expect(await list({ error_code: 'run_timeout' })).toEqual([])
  expect(await list({ error_code: 'agent_error', status: 'completed' })).toEqual([])
})

test('an erased run keeps its code, and error_code finds it', async () => {
  const erased = await run(tenant.agents['test-fail'])
  const key = (await created('/v2/api-keys', { name: 'eraser', scopes: ['runs:erase', 'runs:read'] })).key
  expect((await app.call('DELETE', `/v2/runs/${erased.id}/data`, { key })).status).toBe(200)
  expect(await list({ error_code: 'agent_error' })).toEqual(newestFirst(erased, runs.failed))
})

test('ids selects these runs, newest first, in pages and together with other filters', async () => {
  const unknown = runs.first.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const ids = [runs.first.id, unknown, runs.failed.id, runs.first.id, runs.before.id].join(',')
  const found = newestFirst(runs.first, runs.failed, runs.before)
  expect(await list({ ids })).toEqual(found)
  expect(await list({ ids, limit: '1' })).toEqual(found.slice(0, 1))
  expect(await list({ ids, after: found[0] ?? '' })).toEqual(found.slice(1))
  expect(await list({ ids, before: found[2] ?? '' })).toEqual(found.slice(0, 2))
  expect(await list({ ids, status: 'completed' })).toEqual(newestFirst(runs.first, runs.before))
  expect(await list({ ids, agent_id: changing.id })).toEqual([runs.before.id])
})

test('ids of other organisations, and of agents outside the key, match nothing', async () => {
  const other = await app.addTenant()
  const all = Object.values(runs)
    .map(({ id }) => id)
    .join(',')
  expect(await list({ ids: all }, other.key)).toEqual([])
  expect(await list({ created_by: runs.first.created_by }, other.key)).toEqual([])
  expect(await list({ deployment_id: runs.first.deployment_id }, other.key)).toEqual([])
  expect(await list({ error_code: 'agent_error' }, other.key)).toEqual([])
  const narrow = await created('/v2/api-keys', { name: 'narrow', scopes: ['runs:read'], agent_ids: [changing.id] })
  expect(await list({ ids: all }, narrow.key)).toEqual(newestFirst(runs.before, runs.after))
  expect(await list({ error_code: 'agent_error' }, narrow.key)).toEqual([])
  expect(await list({ deployment_id: runs.first.deployment_id }, narrow.key)).toEqual([])
  expect(await list({ created_by: secondKey.id }, narrow.key)).toEqual([])
})

// Both lists that filter by agent follow the same rule.
test.each(['runs', 'deployments'])('GET /%s by an agent: unknown is empty, outside the key is 403', async (path) => {
  const other = await app.addTenant()
  const scopes = ['runs:read', 'agents:read']
  const narrow = await created('/v2/api-keys', { name: `narrow ${path}`, scopes, agent_ids: [changing.id] })
  const ask = async (agent: string, key: string) => {
    const { status, body } = await app.call('GET', `/v2/${path}?agent_id=${agent}`, { key })
    return status === 200 ? body.data.map(({ agent_id }: Run) => agent_id) : [status, body.error.code]
  }
  const echo = tenant.agents['test-echo'] ?? ''
  const unknown = echo.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect(await ask(echo, tenant.key)).toContain(echo)
  for (const key of [tenant.key, narrow.key]) {
    expect(await ask(unknown, key)).toEqual([])
    expect(await ask(other.agents['test-echo'] ?? '', key)).toEqual([])
  }
  expect(await ask(changing.id, narrow.key)).toContain(changing.id)
  expect(await ask(echo, narrow.key)).toEqual([403, 'forbidden'])
})

// No operation starts a run inside a run yet. A test of the store (list.store.test.ts) covers that the filter finds them.
test('parent_run_id excludes all runs that no run created', async () => {
  expect(await list({ parent_run_id: runs.first.id })).toEqual([])
})

test(`${limits.filterIds} ids are accepted, and one more is refused`, async () => {
  const ids = Array.from({ length: limits.filterIds }, () => runs.first.id)
  expect(await list({ ids: ids.join(',') })).toEqual([runs.first.id])
  const { status, body } = await app.call('GET', `/v2/runs?ids=${[...ids, runs.failed.id].join(',')}`, {
    key: tenant.key,
  })
  expect([status, body.error.param]).toEqual([400, 'ids'])
})
