import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { type LoopbackMcpServer, startMcpServer } from '@ars/testkit/mcp-server'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, startApp, type Tenant } from './app.ts'

// A provider on loopback that speaks the real protocol. Every call costs a dollar.
const provider = new LLMock({ port: 0 })
let app: App
let tools: LoopbackMcpServer
let folder: string

beforeAll(async () => {
  const usage = { prompt_tokens: 600, completion_tokens: 400 }
  const call = { toolCalls: [{ id: 'call_1', name: 'lookup', arguments: '{"name":"Ada"}' }], usage }
  const verdict = (violation: boolean) => ({ content: JSON.stringify({ violation, reason: 'It is so' }), usage })
  provider.on({ systemMessage: 'You judge a text', userMessage: 'wrong' }, verdict(true))
  provider.on({ systemMessage: 'You judge a text' }, verdict(false))
  provider.on({ userMessage: 'look', hasToolResult: false }, call)
  provider.on({ userMessage: 'look', hasToolResult: true }, { content: 'Ada is found.', usage })
  provider.on({ userMessage: 'hello' }, { content: 'Hello.', usage })
  await provider.start()
  tools = await startMcpServer()
  folder = mkdtempSync(join(tmpdir(), 'models-'))
  const file = join(folder, 'models.yaml')
  const price = '{ input: 1000, output: 1000 }'
  writeFileSync(
    file,
    `
providers:
  local: { kind: openai-compatible, base_url: "${provider.url}/v1" }
models:
  - { model: local/priced, price_per_million: ${price} }
`,
  )
  app = await startApp({
    env: {
      ARS_MODELS_FILE: file,
      ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
      ARS_EGRESS_ALLOW_PORTS: 'any',
      ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
    },
  })
})
afterAll(async () => {
  await app.stop()
  await tools.stop()
  await provider.stop()
  rmSync(folder, { recursive: true })
})

const ok = async (tenant: Pick<Tenant, 'key'>, method: string, path: string, body?: object) => {
  const answer = await app.call(method, `/v2${path}`, { key: tenant.key, ...(body && { body }) })
  expect([200, 201, 202], answer.text).toContain(answer.status)
  return answer.body
}
const create = (tenant: Pick<Tenant, 'key'>, agent_id: string, { query = 'hello', headers = {} } = {}) =>
  app.call('POST', '/v2/runs', { key: tenant.key, body: { agent_id, input: { query } }, headers })
const statusOf = async (tenant: Tenant, id: string) => (await ok(tenant, 'GET', `/runs/${id}`)).status
const budgetOf = async (tenant: Pick<Tenant, 'key'>, id: string) =>
  (await ok(tenant, 'GET', '/budgets')).data.find((budget: { id: string }) => budget.id === id)
const codeOf = ({ status, body }: Awaited<ReturnType<typeof create>>) => [status, body.error?.code]

/** An organisation with an agent whose every model call costs a dollar. */
const plant = async () => {
  const tenant = await app.addTenant()
  return { tenant, agent: await app.addAgent({ config: { model: 'local/priced' } }, tenant) }
}

/** The agent takes three steps: a model call, a tool call, a model call. Two dollars. */
const plantWithTools = async (limits = {}) => {
  const tenant = await app.addTenant()
  const connector = await ok(tenant, 'POST', '/connectors', { name: 'Loopback', url: tools.url })
  const config = { model: 'local/priced', tools: [{ connector_id: connector.id }] }
  return { tenant, agent: await app.addAgent({ config, limits }, tenant) }
}

const park = (tenant: Tenant, agent: string, monthly_budget_usd: number | null) =>
  ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd, budget_action: 'park' })

const waits = (tenant: Tenant, id: string) =>
  expect.poll(() => statusOf(tenant, id), { timeout: 30_000 }).toBe('requires_action')

describe('a budget that refuses', () => {
  test('new runs are 429 with the time of the reset, and the same request succeeds after the budget is raised', async () => {
    const { tenant, agent } = await plant()
    const changed = await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 2 })
    expect(changed).toMatchObject({ monthly_budget_usd: 2, budget_action: 'refuse', version: 1, deployment: null })
    const headers = { 'idempotency-key': 'first' }
    const { body: first } = await create(tenant, agent, { headers })
    expect((await create(tenant, agent)).body).toMatchObject({ status: 'completed', usage: { cost_usd: 1 } })
    const refused = await create(tenant, agent, { headers: { 'idempotency-key': 'third' } })
    const now = new Date()
    const reset = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
    expect(codeOf(refused)).toEqual([429, 'budget_exhausted'])
    expect(refused.body.error).toMatchObject({ type: 'rate_limit_error', details: [{ param: agent }] })
    expect(refused.body.error.message).toContain(`${agent} is used up: $2 of $2. It is reset at ${reset.toISOString()}`)
    const secondsLeft = (reset.getTime() - now.getTime()) / 1000
    expect(Math.abs(Number(refused.headers['retry-after']) - secondsLeft)).toBeLessThan(60)
    expect(await budgetOf(tenant, agent)).toEqual({
      id: agent,
      object: 'budget',
      monthly_budget_usd: 2,
      budget_action: 'refuse',
      spent_usd: 2,
      reached_percent: expect.any(Number),
      resets_at: reset.toISOString(),
    })

    // A replay is never refused, and the refused request did not keep its key.
    const again = await create(tenant, agent, { headers })
    expect([again.status, again.body.id]).toEqual([200, first.id])
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 3 })
    const third = await create(tenant, agent, { headers: { 'idempotency-key': 'third' } })
    expect(third.body).toMatchObject({ status: 'completed' })
    expect(third.headers['idempotency-replayed']).toBeUndefined()
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: null })
    expect((await create(tenant, agent)).status).toBe(200)
    expect(await budgetOf(tenant, agent)).toBeUndefined()
  })

  test('of concurrent runs only those accepted before the counter passed the budget exceed it, and each cost is counted once', async () => {
    const { tenant, agent } = await plant()
    await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 10 })
    const callers = 6
    const costs: number[] = []
    let refusals = 0
    const call = async (): Promise<void> => {
      for (let n = 0; n < 7; n++) {
        const { status, body } = await create(tenant, agent)
        if (status === 200) costs.push(body.usage.cost_usd)
        else refusals += codeOf({ status, body } as never)[1] === 'budget_exhausted' ? 1 : 0
      }
    }
    await Promise.all(Array.from({ length: callers }, call))
    const cost = costs.reduce((sum, each) => sum + each, 0)
    expect(costs.length + refusals).toBe(42)
    expect(cost).toBeGreaterThanOrEqual(10)
    expect(cost).toBeLessThan(10 + callers)
    const [budget] = (await ok(tenant, 'GET', '/budgets')).data
    expect(budget).toMatchObject({ spent_usd: cost, monthly_budget_usd: 10 })
  })

  test('the budget of a key holds for its rotated successor and for its tokens', async () => {
    const { tenant, agent } = await plant()
    const scopes = ['runs:write', 'runs:read', 'usage:read']
    const key = await ok(tenant, 'POST', '/api-keys', { name: 'Shop', scopes })
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, { monthly_budget_usd: 1 })
    expect((await create(key, agent)).status).toBe(200)
    const heir = await ok(tenant, 'POST', `/api-keys/${key.id}/rotate`)
    expect(heir).toMatchObject({ monthly_budget_usd: 1, budget_action: 'refuse' })
    const token = await ok(key, 'POST', '/session-tokens', { scopes: ['runs:write'] })
    for (const credential of [key.key, heir.key, token.token]) {
      expect(codeOf(await create({ key: credential }, agent))).toEqual([429, 'budget_exhausted'])
    }
    expect((await create(tenant, agent)).status).toBe(200)
    expect(await budgetOf({ key: heir.key }, key.id)).toMatchObject({ spent_usd: 1 })
  })
})

test('80 % and 100 % of a budget are announced once each, also with two budgets of one run', async () => {
  const { tenant, agent } = await plant()
  await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 5, budget_action: 'notify' })
  await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 100, budget_action: 'notify' })
  const reached = async () =>
    (await ok(tenant, 'GET', '/events?type=budget.reached')).data.map(
      ({ data }: { data: { reached_percent: number; monthly_budget_usd: number } }) =>
        [data.reached_percent, data.monthly_budget_usd] as const,
    )
  for (let n = 0; n < 4; n++) expect((await create(tenant, agent)).status).toBe(200)
  await expect.poll(reached, { timeout: 30_000 }).toEqual([[80, 5]])
  for (let n = 0; n < 3; n++) expect((await create(tenant, agent)).status).toBe(200)
  await expect.poll(reached, { timeout: 30_000 }).toEqual([
    [100, 5],
    [80, 5],
  ])
  await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 8 })
  await expect.poll(reached, { timeout: 30_000 }).toEqual([
    [80, 8],
    [100, 5],
    [80, 5],
  ])
})

describe('a budget that parks', () => {
  test('runs under way wait before their next model call, and go on after the budget is raised without repeating a step', async () => {
    const { tenant, agent } = await plantWithTools()
    await park(tenant, agent, 1)
    const prefer = { prefer: 'respond-async' }
    const runs: string[] = []
    for (let n = 0; n < 12; n++) runs.push((await create(tenant, agent, { query: 'look', headers: prefer })).body.id)
    for (const run of runs) await waits(tenant, run)
    const { required_actions } = await ok(tenant, 'GET', `/runs/${runs[0]}`)
    expect(required_actions).toMatchObject([{ type: 'raise_budget', tool_call: null, response_schema: null }])
    expect(required_actions[0].message).toContain(`The monthly budget of ${agent} is used up.`)
    await park(tenant, agent, 1000)
    for (const run of runs) {
      await expect.poll(() => statusOf(tenant, run), { timeout: 30_000 }).toBe('completed')
      const { data: steps } = await ok(tenant, 'GET', `/runs/${run}/steps`)
      expect(steps.map(({ type }: { type: string }) => type)).toEqual(['model', 'tools', 'model'])
    }
    expect(await budgetOf(tenant, agent)).toMatchObject({ spent_usd: 24 })
    expect(await app.query('select from budget_waits where org_id = $1', [tenant.org])).toEqual([])
  })

  test('an approval lets one run go on to its end, and a rejection fails it with what it has', async () => {
    const { tenant, agent } = await plantWithTools()
    await park(tenant, agent, 0)
    const [one, other] = await Promise.all([1, 2].map(() => create(tenant, agent, { query: 'look' })))
    expect([one?.status, one?.body.status]).toEqual([202, 'requires_action'])
    await ok(tenant, 'POST', `/runs/${one?.body.id}/action`, { type: 'approve' })
    await expect.poll(() => statusOf(tenant, one?.body.id), { timeout: 30_000 }).toBe('completed')
    await ok(tenant, 'POST', `/runs/${other?.body.id}/action`, { type: 'reject' })
    await expect.poll(() => statusOf(tenant, other?.body.id), { timeout: 30_000 }).toBe('failed')
    expect((await ok(tenant, 'GET', `/runs/${other?.body.id}`)).error).toMatchObject({ code: 'budget_exhausted' })
  })

  test('the budget of a run itself parks too, and each approval allows the same amount once more', async () => {
    const { tenant, agent } = await plantWithTools({ budget_usd: 1, budget_action: 'park' })
    const { body: run } = await create(tenant, agent, { query: 'look' })
    expect(run).toMatchObject({ status: 'requires_action', required_actions: [{ type: 'raise_budget' }] })
    expect(run.required_actions[0].message).toBe('The run has cost $1 of the $1 that it may cost.')
    await ok(tenant, 'POST', `/runs/${run.id}/action`, { type: 'approve' })
    await expect.poll(() => statusOf(tenant, run.id), { timeout: 30_000 }).toBe('completed')
  })
})

describe('budgets under attack', () => {
  const costOfRuns = async ({ org }: Tenant): Promise<number> => {
    const [row] = await app.query<{ usd: number }>(
      'select coalesce(sum(cost_usd), 0)::float8 as usd from run_results where org_id = $1',
      [org],
    )
    return row?.usd ?? 0
  }
  const calls = () => provider.getRequests().length

  test('two gateways count each cost once in each of three budgets, and exceed none by more than what was under way', async () => {
    const { tenant, agent } = await plant()
    const other = await app.join('gateway')
    const key = await ok(tenant, 'POST', '/api-keys', { name: 'Shop', scopes: ['runs:write', 'runs:read'] })
    const { id: org } = await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 5 })
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 6 })
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, { monthly_budget_usd: 7 })
    const callers = 6
    const call = async (n: number): Promise<void> => {
      for (let round = 0; round < 4; round++) {
        const url = (n + round) % 2 === 0 ? app.url : other.url
        const body = { agent_id: agent, input: { query: 'hello' } }
        const answer = await app.call('POST', '/v2/runs', { key: key.key, url, body })
        expect([200, 429], answer.text).toContain(answer.status)
      }
    }
    await Promise.all(Array.from({ length: callers }, (_, n) => call(n)))
    const cost = await costOfRuns(tenant)
    expect(cost).toBeGreaterThanOrEqual(5)
    expect(cost).toBeLessThan(5 + callers)
    for (const id of [org, agent, key.id])
      await expect.poll(() => budgetOf(tenant, id)).toMatchObject({ spent_usd: cost })
  })

  test('runs of batches, pipelines and requests count for the key that began them, and all stop with its budget', async () => {
    const { tenant, agent } = await plant()
    const scopes = ['runs:write', 'runs:read', 'pipelines:write', 'pipelines:read']
    const key = await ok(tenant, 'POST', '/api-keys', { name: 'All ways', scopes })
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, { monthly_budget_usd: 3 })
    const input = { query: 'hello' }
    const definition = { steps: [{ key: 'only', agent_id: agent, input: { query: 'hello' } }] }
    const { id: pipeline } = await ok(tenant, 'POST', '/pipelines', { name: 'One step', definition })
    const begin = async () => {
      const batch = await ok(key, 'POST', '/batches', { agent_id: agent, items: [{ input }, { input }, { input }] })
      const started = await ok(key, 'POST', `/pipelines/${pipeline}/runs`, { input: {} })
      const direct = await create(key, agent)
      const ended = (path: string) =>
        expect
          .poll(async () => (await ok(tenant, 'GET', path)).status)
          .toSatisfy((status: string) =>
            ['completed', 'completed_with_failures', 'failed', 'cancelled'].includes(status),
          )
      await ended(`/batches/${batch.id}`)
      await ended(`/pipeline-runs/${started.id}`)
      return { batch: batch.id as string, started: started.id as string, direct }
    }
    await begin()
    const cost = await costOfRuns(tenant)
    expect(cost).toBeGreaterThanOrEqual(3)
    await expect.poll(() => budgetOf(tenant, key.id)).toMatchObject({ spent_usd: cost })
    const before = calls()
    const { direct } = await begin()
    expect(codeOf(direct)).toEqual([429, 'budget_exhausted'])
    expect([calls(), await costOfRuns(tenant)]).toEqual([before, cost])
  })

  test('budgets that change all the time lose no waiting run and repeat no step', async () => {
    const { tenant, agent } = await plantWithTools()
    await park(tenant, agent, 1)
    const prefer = { prefer: 'respond-async' }
    const runs: string[] = []
    for (let n = 0; n < 8; n++) runs.push((await create(tenant, agent, { query: 'look', headers: prefer })).body.id)
    await waits(tenant, runs[0] as string)
    for (let n = 0; n < 10; n++)
      await Promise.all([
        ok(tenant, 'PATCH', `/agents/${agent}`, {
          monthly_budget_usd: n % 3,
          budget_action: n % 2 ? 'park' : 'notify',
        }),
        ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: n % 4, budget_action: n % 3 ? 'park' : 'notify' }),
        ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 100, budget_action: n % 2 ? 'notify' : 'park' }),
      ])
    await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: null })
    await park(tenant, agent, 1000)
    for (const run of runs) {
      await expect.poll(() => statusOf(tenant, run)).toBe('completed')
      const { data: steps } = await ok(tenant, 'GET', `/runs/${run}/steps`)
      expect(steps.map(({ type }: { type: string }) => type)).toEqual(['model', 'tools', 'model'])
    }
    expect(await budgetOf(tenant, agent)).toMatchObject({ spent_usd: 16 })
    expect(await app.query('select from budget_waits where org_id = $1', [tenant.org])).toEqual([])
  })

  test('a run that two budgets hold goes on when both have room, not before', async () => {
    const { tenant, agent } = await plantWithTools()
    const held = { monthly_budget_usd: 0, budget_action: 'park' }
    await ok(tenant, 'PATCH', '/organisation', held)
    await ok(tenant, 'PATCH', `/agents/${agent}`, held)
    const before = calls()
    const { body: run } = await create(tenant, agent, { query: 'look' })
    expect(run.status).toBe('requires_action')
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 9 })
    // It looks, and waits for the other one.
    const waitsFor = async () => (await ok(tenant, 'GET', `/runs/${run.id}`)).required_actions[0]?.message ?? ''
    await expect.poll(waitsFor).toContain('org_')
    expect([await statusOf(tenant, run.id), calls()]).toEqual(['requires_action', before])
    await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 9 })
    await expect.poll(() => statusOf(tenant, run.id)).toBe('completed')
  })
})

describe('who may change and see budgets', () => {
  test('no key changes its own budget, makes keys beside it, or lets a run exceed one', async () => {
    const { tenant, agent } = await plant()
    const me = await ok(tenant, 'POST', '/api-keys', {
      name: 'Mine',
      scopes: ['keys:write', 'keys:read', 'runs:write', 'runs:read', 'runs:approve'],
    })
    const free = await ok(tenant, 'POST', '/api-keys', { name: 'Free', scopes: ['runs:write'] })
    await ok(tenant, 'PATCH', `/api-keys/${me.id}`, { monthly_budget_usd: 0, budget_action: 'park' })
    const refused = async (method: string, path: string, body?: object) => {
      const answer = await app.call(method, `/v2${path}`, { key: me.key, ...(body && { body }) })
      expect([answer.status, answer.body.error?.code], answer.text).toEqual([403, 'forbidden'])
    }
    await refused('PATCH', `/api-keys/${me.id}`, { monthly_budget_usd: 100 })
    await refused('POST', '/api-keys', { name: 'Child', scopes: ['runs:write'] })
    await refused('POST', `/api-keys/${free.id}/rotate`)
    const { body: run } = await create(me, agent)
    expect(run.status).toBe('requires_action')
    await refused('POST', `/runs/${run.id}/action`, { type: 'approve' })
    const heir = await ok(me, 'POST', `/api-keys/${me.id}/rotate`)
    const raised = await app.call('PATCH', `/v2/api-keys/${me.id}`, { key: heir.key, body: { monthly_budget_usd: 9 } })
    expect(raised.status).toBe(403)
  })

  test('a key that is narrowed to some agents sees their budgets and its own, and no amounts of others', async () => {
    const { tenant, agent } = await plant()
    const other = await app.addAgent({ config: { model: 'local/priced' } }, tenant)
    const key = await ok(tenant, 'POST', '/api-keys', {
      name: 'Narrow',
      scopes: ['runs:write', 'usage:read'],
      agent_ids: [agent],
    })
    await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 0 })
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, { monthly_budget_usd: 7 })
    for (const id of [agent, other]) await ok(tenant, 'PATCH', `/agents/${id}`, { monthly_budget_usd: 3 })
    const { data } = await ok(key, 'GET', '/budgets')
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([agent, key.id].sort())
    const refused = await create(key, agent)
    expect(codeOf(refused)).toEqual([429, 'budget_exhausted'])
    expect(refused.body.error.message).not.toContain('$')
    const page = await ok(tenant, 'GET', '/budgets?limit=3')
    expect([page.data.length, page.has_more]).toEqual([3, true])
    const rest = await ok(tenant, 'GET', `/budgets?after=${page.last_id}`)
    expect([rest.data.length, rest.has_more]).toEqual([1, false])
    const stranger = await app.addTenant()
    expect((await ok(stranger, 'GET', '/budgets')).data).toEqual([])
  })

  test('of two changes at the same time one comes after the other, and the audit log has both', async () => {
    const { tenant, agent } = await plant()
    await Promise.all([5, 6].map((usd) => ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: usd })))
    const { data } = await ok(tenant, 'GET', '/audit-log?action=agent.budget_changed')
    const [last, first] = data
    expect(data).toHaveLength(2)
    expect([first.before.monthly_budget_usd, last.before]).toEqual([null, first.after])
    expect(await budgetOf(tenant, agent)).toMatchObject({ monthly_budget_usd: last.after.monthly_budget_usd })
  })
})

// The last one, because it moves the clock of the database.
test('at the first moment of the next month, UTC, runs are accepted again and waiting ones go on', async () => {
  const { tenant, agent } = await plant()
  const { agent: parking, tenant: other } = await plantWithTools()
  const [{ now } = { now: 0 }] = await app.query<{ now: number }>('select extract(epoch from app_now())::float8 as now')
  const date = new Date(now * 1000)
  const monthEndMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - date.getTime()
  // A few minutes before the end, so that the run that waits does not expire before it.
  await moveDatabaseClock(app.database.ownerUrl, monthEndMs - 600_000)
  await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 1 })
  await park(other, parking, 1)
  expect((await create(tenant, agent)).status).toBe(200)
  expect(codeOf(await create(tenant, agent))).toEqual([429, 'budget_exhausted'])
  const { body: waiting } = await create(other, parking, { query: 'look' })
  expect(waiting.status).toBe('requires_action')
  await moveDatabaseClock(app.database.ownerUrl, 600_000)
  expect((await create(tenant, agent)).status).toBe(200)
  await expect.poll(() => statusOf(other, waiting.id), { timeout: 30_000 }).toBe('completed')
  expect(await budgetOf(tenant, agent)).toMatchObject({ spent_usd: 1 })
})

describe('a model that judges for a policy', () => {
  const judgements = () =>
    provider.getRequests().filter(({ body }) => JSON.stringify(body).includes('You judge a text')).length

  /** An agent whose own model costs nothing, with a budget that refuses nothing. Each judgement costs a dollar. */
  const plantJudged = async (stages: string[], action: string) => {
    const tenant = await app.addTenant({ plan: 'free' })
    const agent = await app.addAgent({ config: { model: 'simulated/echo' } }, tenant)
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 100, budget_action: 'notify' })
    const free = (await create(tenant, agent)).body
    const params = { model: 'local/priced', instructions: 'Find what is wrong.', time_limit_ms: 10_000 }
    const rules = [{ check: 'model', stages, action, params }]
    const { id } = await ok(tenant, 'POST', '/policies', { name: 'Judge', rules })
    await ok(tenant, 'POST', `/policies/${id}/attachments`, { subject_id: agent })
    return { tenant, agent, policy: id as string, free, before: judgements() }
  }
  const spentOf = async (tenant: Tenant, agent: string) => (await budgetOf(tenant, agent)).spent_usd

  test.each(['flag', 'block'])(
    'costs what a step costs: the run and its budgets count it, with the action %s',
    async (action) => {
      const { tenant, agent, free, before } = await plantJudged(['input', 'output'], action)
      expect(free.usage).toMatchObject({ cost_usd: 0 })
      const { body: run } = await create(tenant, agent)
      const dollars = judgements() - before
      expect(dollars).toBeGreaterThanOrEqual(2)
      expect(run).toMatchObject({ status: 'completed', usage: { cost_usd: dollars } })
      expect(run.usage.input_tokens).toBe(free.usage.input_tokens + 600 * dollars)
      expect(run.tokens_used).toBe(free.tokens_used + 1_000 * dollars)
      expect(await spentOf(tenant, agent)).toBe(dollars)
    },
  )

  test('counts although no step is stored: the input of a run waits for a person', async () => {
    const { tenant, agent, before } = await plantJudged(['input', 'action_payload'], 'require_approval')
    const { body } = await create(tenant, agent, { query: 'wrong' })
    await waits(tenant, body.id)
    // When the run was accepted, and before its first step.
    expect(judgements() - before).toBe(2)
    expect((await ok(tenant, 'GET', `/runs/${body.id}`)).usage.cost_usd).toBe(2)
    expect(await spentOf(tenant, agent)).toBe(2)
    const rejected = await ok(tenant, 'POST', `/runs/${body.id}/action`, { type: 'reject', comment: 'No' })
    expect(rejected.usage.cost_usd).toBe(3)
    await expect.poll(() => statusOf(tenant, body.id), { timeout: 30_000 }).toBe('failed')
    const dollars = judgements() - before
    expect(dollars).toBeGreaterThanOrEqual(4)
    expect((await ok(tenant, 'GET', `/runs/${body.id}`)).usage.cost_usd).toBe(dollars)
    expect(await spentOf(tenant, agent)).toBe(dollars)
  })

  test('counts although no run comes of it, and is not asked when a budget refuses the run', async () => {
    const { tenant, agent, before } = await plantJudged(['input'], 'block')
    expect(codeOf(await create(tenant, agent, { query: 'wrong' }))).toEqual([422, 'guardrail_blocked'])
    expect([judgements() - before, await spentOf(tenant, agent)]).toEqual([1, 1])
    const body = { agent_id: agent, input: { query: 'hello' }, timeout_seconds: 86_400 }
    const late = await app.call('POST', '/v2/runs', { key: tenant.key, body })
    expect([late.status, late.body.error.code]).toEqual([422, 'timeout_not_allowed'])
    expect(await spentOf(tenant, agent)).toBe(judgements() - before)
    const headers = { 'idempotency-key': 'once' }
    const first = await create(tenant, agent, { headers })
    await ok(tenant, 'PATCH', `/agents/${agent}`, { monthly_budget_usd: 1, budget_action: 'refuse' })
    const asked = judgements()
    for (const query of ['wrong', 'hello'])
      expect(codeOf(await create(tenant, agent, { query }))).toEqual([429, 'budget_exhausted'])
    const again = await create(tenant, agent, { headers })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    expect(judgements()).toBe(asked)
  })

  test('is not asked by a preview of a prompt, which shows what other rules leave', async () => {
    const { tenant, agent, policy } = await plantJudged(['input'], 'block')
    await ok(tenant, 'PATCH', `/policies/${policy}`, {
      rules: [
        ...(await ok(tenant, 'GET', `/policies/${policy}`)).rules,
        { check: 'keywords', stages: ['input'], action: 'block', params: { words: ['heron'] } },
      ],
    })
    const asked = judgements()
    const { key } = await ok(tenant, 'POST', '/api-keys', { name: 'Reads', scopes: ['agents:read'] })
    const show = (query: string) =>
      app.call('POST', '/v2/agents/prompt', { key, body: { agent_id: agent, input: { query } } })
    // A caller is cached, and with it the policies in force.
    await expect.poll(async () => codeOf(await show('heron'))).toEqual([422, 'guardrail_blocked'])
    expect((await show('wrong')).body.messages).toEqual([{ role: 'user', content: 'wrong' }])
    expect(judgements()).toBe(asked)
    expect(codeOf(await create(tenant, agent, { query: 'wrong' }))).toEqual([422, 'guardrail_blocked'])
  })

  test('is not asked about texts outside of runs when a budget is used up, whether it refuses or parks', async () => {
    const { tenant, agent, policy } = await plantJudged(['input', 'output', 'action_payload'], 'block')
    const { id: org } = await ok(tenant, 'GET', '/organisation')
    await ok(tenant, 'POST', `/policies/${policy}/attachments`, { subject_id: org })
    const steps = [
      { key: 'ask', approval: { message: 'Go on?' } },
      { key: 'late', depends_on: ['ask'], agent_id: agent, for_each: '${{ [1, 2] }}', input: { query: 'hello' } },
    ]
    const pipeline = (await ok(tenant, 'POST', '/pipelines', { name: 'Asks', definition: { steps } })).id
    const first = (await ok(tenant, 'POST', `/pipelines/${pipeline}/runs`, { input: { q: 'hello' } })).id
    const readFirst = () => ok(tenant, 'GET', `/pipeline-runs/${first}`)
    await expect.poll(async () => (await readFirst()).required_actions, { timeout: 60_000 }).toHaveLength(1)
    const asked = judgements()
    const input = { query: 'hello' }
    const requests: [string, object][] = [
      [`/pipelines/${pipeline}/runs`, { input }],
      ['/schedules', { name: 'Nightly', agent_id: agent, interval_seconds: 3_600, input }],
      ['/batches', { agent_id: agent, items: [{ input }], metadata: { team: 'hello' } }],
      [`/pipeline-runs/${first}/action`, { type: 'approve', comment: 'hello' }],
    ]
    for (const budget_action of ['park', 'refuse']) {
      await ok(tenant, 'PATCH', '/organisation', { monthly_budget_usd: 0, budget_action })
      for (const [path, body] of requests) {
        const refused = await app.call('POST', `/v2${path}`, { key: tenant.key, body })
        expect([budget_action, path, ...codeOf(refused)]).toEqual([budget_action, path, 429, 'budget_exhausted'])
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      }
    }
    // A pipeline run in progress stops at its next text, which is the list of the step after the approval.
    await ok(tenant, 'POST', `/pipeline-runs/${first}/action`, { type: 'approve' })
    await expect.poll(async () => (await readFirst()).status, { timeout: 60_000 }).toBe('failed')
    expect((await readFirst()).steps[1]).toMatchObject({ status: 'failed', error: { code: 'budget_exhausted' } })
    expect(judgements()).toBe(asked)
  })

  test('counts in a trial, for the organisation and for the key that started it, until one of them is used up', async () => {
    const { tenant, agent, policy } = await plantJudged(['input'], 'flag')
    for (const query of ['hello', 'hello']) expect((await create(tenant, agent, { query })).status).toBe(200)
    const scopes = ['policies:read', 'policies:write', 'runs:read', 'usage:read']
    const key = await ok(tenant, 'POST', '/api-keys', { name: 'Policies', scopes })
    const notify = { monthly_budget_usd: 100, budget_action: 'notify' }
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, notify)
    const { id: org } = await ok(tenant, 'PATCH', '/organisation', notify)
    const tryOut = async () => {
      const since = new Date(Date.now() - 3_600_000).toISOString()
      const { id } = await ok(key, 'POST', `/policies/${policy}/trials`, { since, max_cost_usd: 50 })
      const look = () => ok(key, 'GET', `/policies/${policy}/trials/${id}`)
      await expect.poll(async () => (await look()).ended_at).not.toBeNull()
      return look()
    }
    const asked = judgements()
    const { cost_usd: cost } = await tryOut()
    expect(cost).toBe(judgements() - asked)
    expect(cost).toBeGreaterThanOrEqual(2)
    for (const id of [org, key.id]) expect(await budgetOf(tenant, id)).toMatchObject({ spent_usd: cost })
    await ok(tenant, 'PATCH', `/api-keys/${key.id}`, { monthly_budget_usd: 1, budget_action: 'refuse' })
    const refused = await tryOut()
    expect(refused).toMatchObject({ status: 'completed', cost_usd: 0, rules: [{ contents: cost, skipped: cost }] })
    expect(judgements()).toBe(asked + cost)
  })
})
