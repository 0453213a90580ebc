import { contract, type Operation } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, openRunGateway, plantTenant, type RunGateway, type Tenant } from '../../../test/run-gateway.ts'
import type { Ctx } from '../../ctx.ts'
import type { Fault } from '../../fault.ts'

let database: TestDatabase
let gateway: RunGateway
let tenant: Tenant
/** One run of each of the tenant's agents, in their order: catalog, custom, catalog with tools. */
let runs: `run_${string}`[]

beforeAll(async () => {
  database = await createTestDatabase()
  gateway = await openRunGateway(database)
  const tools = { model: 'simulated/echo', tools: [{ connector_id: newId('con') }] }
  tenant = await plantTenant(database, { agents: [{}, { source: 'custom' }, { config: tools }] })
  runs = []
  for (const agentId of tenant.agents) runs.push(await create(testRequest(tenant.org), agentId))
})
afterAll(async () => {
  await gateway.close()
  await database.drop()
})

const create = async (ctx: Ctx, agentId: `ag_${string}`): Promise<`run_${string}`> => {
  const answer = await gateway.api.create(ctx, { agent_id: agentId, input: {} })
  return ('body' in answer ? answer.body : answer).id
}
const narrowedTo = (...agents: readonly string[]): Ctx => ({
  ...testRequest(tenant.org),
  agentIds: new Set(agents.map(toUuid)),
})
const demoKey = (): Ctx => ({ ...testRequest(tenant.org), isDemo: true })
const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'fine',
    (error: Fault) => error.code,
  )

/** Why an operation refuses after the check of its run. The caller of these tests is no stored key, so it can share nothing. */
const furtherRefusals: Readonly<Record<string, string>> = {
  share: 'unauthorized',
  revokeShare: 'not_found',
  // No policy holds content of the run back.
  held: 'not_found',
}

/** Every operation of the contract that names a run in its path, so that a new one is covered automatically. */
const ofOneRun = Object.entries(contract.runs as Record<string, Operation>)
  .filter(([, { path }]) => path.startsWith('/runs/{id}'))
  .map(([name]) => name as 'get')

test.each(ofOneRun)('%s of a run is refused to a key that is narrowed to other agents', async (name) => {
  const [, other] = runs
  const own = newId('run')
  const handle = (ctx: Ctx, id: string) =>
    gateway.api[name](ctx, { id, share_id: newId('shr'), type: 'message', payload: { message: 'Go on' } } as never)
  expect(await codeOf(handle(narrowedTo(tenant.agents[0] ?? ''), other ?? ''))).toBe('forbidden')
  expect(await codeOf(handle(demoKey(), other ?? ''))).toBe('forbidden')
  expect(await codeOf(handle(narrowedTo(tenant.agents[0] ?? ''), own))).toBe('not_found')
  // A key of the run's agent reaches the operation, which may refuse for other reasons.
  expect(['fine', 'run_not_ended', furtherRefusals[name]]).toContain(
    await codeOf(handle(narrowedTo(tenant.agents[1] ?? ''), other ?? '')),
  )
})

test('a narrowed key runs its own agents; another agent of the organisation is 403, a foreign one 404', async () => {
  const [first = newId('ag'), second = newId('ag')] = tenant.agents
  const elsewhere = await plantTenant(database)
  const key = narrowedTo(first)
  expect(await create(key, first)).toMatch(/^run_/)
  for (const begin of [
    (agent: `ag_${string}`) => create(key, agent),
    (agent: `ag_${string}`) => gateway.api.stream(key, { agent_id: agent, input: {} }),
  ]) {
    expect(await codeOf(begin(second))).toBe('forbidden')
    expect(await codeOf(begin(elsewhere.agentId))).toBe('not_found')
    expect(await codeOf(begin(newId('ag')))).toBe('not_found')
  }
})

test('a demo key runs catalog agents without tools, for at most two minutes', async () => {
  const [catalog = newId('ag'), custom = newId('ag'), withTools = newId('ag')] = tenant.agents
  expect(await create(demoKey(), catalog)).toMatch(/^run_/)
  for (const agent of [custom, withTools]) {
    expect(await codeOf(create(demoKey(), agent))).toBe('forbidden')
    // A replay does not bypass the check: the retry of another key's request is refused as well.
    const idempotencyKey = `twin-${agent}`
    await create({ ...testRequest(tenant.org), idempotencyKey }, agent)
    expect(await codeOf(create({ ...demoKey(), idempotencyKey }, agent))).toBe('forbidden')
  }
  const asked = (timeout: number) =>
    codeOf(gateway.api.create(demoKey(), { agent_id: catalog, input: {}, timeout_seconds: timeout }))
  expect([await asked(120), await asked(121)]).toEqual(['fine', 'timeout_not_allowed'])
})

test('the list contains the runs of the agents that the key may use, page by page', async () => {
  const [first = newId('ag'), second = newId('ag')] = tenant.agents
  const agentsIn = async (ctx: Ctx, page = {}) => {
    const answer = await gateway.api.list(ctx, page)
    const { data } = 'data' in answer ? answer : answer.body
    return [...new Set(data.map((run: { agent_id: string }) => run.agent_id))].toSorted()
  }
  const all = [...tenant.agents].toSorted()
  expect(await agentsIn(testRequest(tenant.org))).toEqual(all)
  expect(await agentsIn(narrowedTo(first))).toEqual([first])
  expect(await agentsIn(narrowedTo(first, second))).toEqual([first, second].toSorted())
  expect(await agentsIn(narrowedTo(first, second), { status: ['queued'] })).toEqual([first, second].toSorted())
  expect(await agentsIn(narrowedTo(first, second), { agent_id: second })).toEqual([second])
  expect(await agentsIn(demoKey())).toEqual([first])
  expect(await agentsIn(narrowedTo())).toEqual([])
  expect(await codeOf(gateway.api.list(narrowedTo(first), { agent_id: second }))).toBe('forbidden')
  expect(await codeOf(gateway.api.list(demoKey(), { agent_id: second }))).toBe('forbidden')
  expect(await agentsIn(narrowedTo(first), { agent_id: newId('ag') })).toEqual([])
})

test('agents that the key may not use are not listed, and are 403 by id', async () => {
  const [first = newId('ag'), second = newId('ag'), third = newId('ag')] = tenant.agents
  const listed = async (ctx: Ctx, page = {}) => {
    const { data } = await gateway.agents.list(ctx, page, await gateway.agents.allowedAgents(ctx))
    return data.map(({ id }) => id)
  }
  expect(await listed(testRequest(tenant.org))).toEqual([third, second, first])
  expect(await listed(narrowedTo(first, third))).toEqual([third, first])
  expect(await listed(narrowedTo(first, third), { before: first })).toEqual([third])
  expect(await listed(demoKey())).toEqual([first])
  expect(await codeOf(gateway.agents.get(narrowedTo(first), second))).toBe('forbidden')
  expect(await codeOf(gateway.agents.get(demoKey(), third))).toBe('forbidden')
  expect(await codeOf(gateway.agents.get(narrowedTo(first), newId('ag')))).toBe('not_found')
  expect((await gateway.agents.get(demoKey(), first)).name).toBe('Test')
})
