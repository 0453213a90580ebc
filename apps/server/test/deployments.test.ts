import { contract } from '@ars/contract'
import { bucketOf } from '@ars/core/deployments'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const newAgent = async (config: Record<string, unknown> = { model: 'simulated/echo' }): Promise<string> => {
  const { status, body } = await app.call('POST', '/v2/agents/custom', { body: { name: 'Released', config } })
  expect(status).toBe(201)
  return body.id
}
const change = async (agent: string, body: Record<string, unknown>) => {
  const { status, body: changed } = await app.call('PATCH', `/v2/agents/${agent}`, { body })
  expect(status).toBe(200)
  return changed.deployment
}
const canary = (percent: number, rules: unknown[] = []) => ({
  strategy: 'canary',
  traffic_percent: percent,
  rollback_rules: rules,
})
const call = (method: string, path: string, body?: unknown, key?: string): Promise<Reply> =>
  app.call(method, path, { ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) })
const get = async (path: string) => (await app.call('GET', `/v2${path}`)).body
const promote = (id: string, body: unknown = {}) => call('POST', `/v2/deployments/${id}/promote`, body)
const rollBack = (id: string, reason = 'It answers nonsense') =>
  call('POST', `/v2/deployments/${id}/rollback`, { reason })
const run = (agent: string, { key, input = {}, url = app.url }: { key?: string; input?: unknown; url?: string } = {}) =>
  app.call('POST', '/v2/runs', {
    body: { agent_id: agent, input },
    headers: key === undefined ? {} : { 'idempotency-key': key },
    url,
  })
const codeOf = ({ status, body }: Reply) => [status, body.error?.code]
const changesOf = (agent: string) =>
  app.query<{ data: Record<string, unknown> }>(
    `select data from events where type = 'agent.updated' and data ->> 'agent_id' = $1 order by created_at, id`,
    [agent],
  )
const eventsOf = (agent: string) =>
  app.query<{ type: string; data: Record<string, unknown> }>(
    `select type, data from events where type like 'deployment.%' and data ->> 'agent_id' = $1 order by created_at, id`,
    [agent],
  )

describe('a canary', () => {
  test('gets its share of the runs by their keys, on every gateway; a larger share moves only the difference', async () => {
    const agent = await newAgent()
    const deployment = await change(agent, { config: { instructions: 'Be brief.' }, rollout: canary(30) })
    expect(contract.deployments.get.output.strict().safeParse(deployment).error).toBeUndefined()
    expect(deployment).toMatchObject({ version: 2, status: 'canary', traffic_percent: 30, source: 'update' })
    expect(await get(`/agents/${agent}`)).toMatchObject({ version: 2, config: { instructions: 'Be brief.' } })
    const { url, stop } = await app.join('gateway')
    const versionOf = async (key: string, at: string) => (await run(agent, { key, url: at })).body.agent_version
    const expected = (key: string, percent: number) => (bucketOf(toUuid(agent), key) < percent * 100 ? 2 : 1)
    const keys = Array.from({ length: 40 }, (_, n) => `order-${n}`)
    for (const [n, key] of keys.entries()) {
      expect([key, await versionOf(key, n % 2 === 0 ? url : app.url)]).toEqual([key, expected(key, 30)])
    }
    expect((await promote(deployment.id, { traffic_percent: 60 })).body).toMatchObject({
      status: 'canary',
      traffic_percent: 60,
    })
    // An idempotency key names its run, so the same customers send new requests.
    for (const key of keys.map((each) => `${each}-again`)) {
      const { body } = await run(agent, { key, url })
      expect([key, body.agent_version]).toEqual([key, expected(key, 60)])
      expect(body.deployment_id === deployment.id).toBe(body.agent_version === 2)
    }
    await stop()
  })

  test('becomes the active version when it is promoted, permanently', async () => {
    const agent = await newAgent()
    const { id, previous_deployment_id: first } = await change(agent, { description: 'Better', rollout: canary(1) })
    const promoted = await promote(id)
    expect([promoted.status, promoted.body]).toMatchObject([200, { id, status: 'active', traffic_percent: 100 }])
    expect((await promote(id)).body).toEqual(promoted.body)
    expect(await get(`/deployments/${first}`)).toMatchObject({ status: 'superseded' })
    expect((await run(agent)).body).toMatchObject({ agent_version: 2, deployment_id: id })
    expect(codeOf(await promote(first))).toEqual([422, 'deployment_not_open'])
  })

  test('that fails is rolled back automatically, once, with the numbers', async () => {
    const agent = await newAgent()
    const rule = { metric: 'failure_rate', above: 0.05, min_runs: 20, window_seconds: 3_600 }
    const { id } = await change(agent, { config: { model: 'simulated/fail' }, rollout: canary(99, [rule]) })
    const runs = await Promise.all(Array.from({ length: 24 }, (_, n) => run(agent, { key: `${agent}-${n}` })))
    expect(runs.filter(({ body }) => body.status === 'failed').length).toBeGreaterThanOrEqual(20)
    const rolledBack = await until('the rollback', async () => {
      const deployment = await get(`/deployments/${id}`)
      return deployment.status === 'rolled_back' && deployment
    })
    expect(rolledBack.rollback_reason).toMatch(
      /failure_rate above 5 % is broken: the canary had 100 % \(2\d of 2\d runs\)/,
    )
    expect(await get(`/agents/${agent}`)).toMatchObject({ version: 1, config: { model: 'simulated/echo' } })
    expect((await run(agent, { key: `${agent}-0-new` })).body).toMatchObject({ status: 'completed', agent_version: 1 })
    const told = (await eventsOf(agent)).filter(({ type }) => type === 'deployment.rollback')
    expect(told).toEqual([{ type: 'deployment.rollback', data: { ...rolledBack, reason: rolledBack.rollback_reason } }])
    const compared = await get(`/deployments/${id}/comparison`)
    expect(contract.deployments.compare.output.safeParse(compared).error).toBeUndefined()
    expect(compared).toMatchObject({
      until: rolledBack.rolled_back_at,
      canary: { version: 2, failure_rate: { value: 1 } },
      rules: [{ ...rule, canary: { value: 1 }, runs_needed: 0, is_broken: true }],
    })
    const { data } = await get(`/audit-log?subject=${id}`)
    expect(data).toMatchObject([{ action: 'deployment.rolled_back', actor: { type: 'service', id: null } }])
    expect((await changesOf(agent)).at(-1)?.data).toEqual({
      agent_id: agent,
      version: { old: 2, new: 1 },
      changed: ['config.model'],
      old: { 'config.model': 'simulated/fail' },
      new: { 'config.model': 'simulated/echo' },
      actor: { type: 'service', id: null },
    })
  })
})

describe('a rollback', () => {
  test('of a canary leaves runs in flight on their version', async () => {
    const agent = await newAgent()
    const { id } = await change(agent, { config: { model: 'simulated/approval' }, rollout: canary(99) })
    const keys = Array.from({ length: 100 }, (_, n) => `pay-${n}`)
    const key = keys.find((each) => bucketOf(toUuid(agent), each) < 9_900) ?? ''
    const waiting = (await run(agent, { key, input: { message: 'Pay?' } })).body
    expect(waiting).toMatchObject({ status: 'requires_action', agent_version: 2, deployment_id: id })
    const rolledBack = await rollBack(id, 'Asks too much')
    expect([rolledBack.status, rolledBack.body]).toMatchObject([
      200,
      { status: 'rolled_back', rollback_reason: 'Asks too much' },
    ])
    expect((await run(agent)).body).toMatchObject({ status: 'completed', agent_version: 1 })
    await call('POST', `/v2/runs/${waiting.id}/action`, { type: 'approve' })
    const ended = await until('the end of the run', async () => {
      const found = await get(`/runs/${waiting.id}`)
      return found.finished_at !== null && found
    })
    expect(ended).toMatchObject({
      status: 'completed',
      agent_version: 2,
      deployment_id: id,
      output: { decision: 'approved' },
    })
    expect((await rollBack(id, 'Again')).body).toEqual(rolledBack.body)
  })

  test('[S60] is announced by agent.updated with what the agent shows differently, once', async () => {
    const agent = await newAgent()
    const { id } = await change(agent, { config: { instructions: 'Two' } })
    const before = await changesOf(agent)
    await rollBack(id)
    await rollBack(id)
    const [, told, ...more] = await changesOf(agent)
    expect([before.length, more]).toEqual([1, []])
    expect(told?.data).toEqual({
      agent_id: agent,
      version: { old: 2, new: 1 },
      changed: ['config.instructions'],
      old: { 'config.instructions': 'Two' },
      new: { 'config.instructions': null },
      actor: { type: 'key', id: expect.stringMatching(/^key_/) },
    })
    const [event] = (await get('/events?type=agent.updated&limit=1')).data
    expect(event.data).toEqual(told?.data)
  })

  test('of the active version restores the previous one, repeatedly, until there is none', async () => {
    const agent = await newAgent()
    const second = await change(agent, { config: { instructions: 'Two' } })
    const third = await change(agent, { config: { instructions: 'Three' } })
    expect((await rollBack(third.id)).body).toMatchObject({ status: 'rolled_back', version: 3 })
    expect(await get(`/agents/${agent}`)).toMatchObject({ version: 2, config: { instructions: 'Two' } })
    const active = async () => (await get(`/deployments?agent_id=${agent}&status=active`)).data[0]
    expect(await active()).toMatchObject({ version: 2, source: 'rollback', previous_deployment_id: third.id })
    expect((await run(agent)).body).toMatchObject({ agent_version: 2, deployment_id: (await active()).id })
    await rollBack((await active()).id)
    const first = await get(`/agents/${agent}`)
    expect([first.version, first.config]).toEqual([1, { model: 'simulated/echo' }])
    expect(codeOf(await rollBack((await active()).id))).toEqual([422, 'nothing_to_roll_back'])
    expect(codeOf(await rollBack(second.id))).toEqual([422, 'deployment_not_open'])
    // Version numbers are not reused.
    expect(await change(agent, { config: { instructions: 'Four' } })).toMatchObject({ version: 4 })
    expect((await eventsOf(agent)).map(({ type, data }) => [type, data.version])).toEqual([
      ['deployment.created', 1],
      ['deployment.created', 2],
      ['deployment.created', 3],
      ['deployment.rollback', 3],
      ['deployment.created', 2],
      ['deployment.rollback', 2],
      ['deployment.created', 1],
      ['deployment.created', 4],
    ])
  })

  test('requires a reason and an agent that is not archived', async () => {
    const agent = await newAgent()
    const { id } = await change(agent, { description: 'Better', rollout: canary(10) })
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(2_001) }, { reason: 'bad', why: 1 }]) {
      expect(codeOf(await call('POST', `/v2/deployments/${id}/rollback`, body))).toEqual([400, 'invalid_request'])
    }
    for (const percent of [0, 100, 1.5, '10']) {
      expect(codeOf(await promote(id, { traffic_percent: percent }))).toEqual([400, 'invalid_request'])
    }
    await call('DELETE', `/v2/agents/${agent}`)
    expect(codeOf(await rollBack(id))).toEqual([422, 'agent_archived'])
    expect(codeOf(await promote(id))).toEqual([422, 'agent_archived'])
    expect(await get(`/deployments/${id}`)).toMatchObject({ status: 'canary' })
  })
})

describe('deployments', () => {
  test('are listed newest first, by agent and by status, in the shape of the contract', async () => {
    const agent = await newAgent()
    const out = await change(agent, { description: 'Better', rollout: canary(10) })
    const all = await get(`/deployments?agent_id=${agent}`)
    expect(contract.deployments.list.output.strict().safeParse(all).error).toBeUndefined()
    expect(all.data.map(({ version, status }: Record<string, unknown>) => [version, status])).toEqual([
      [2, 'canary'],
      [1, 'active'],
    ])
    expect((await get('/deployments?limit=1')).data).toEqual([out])
    expect((await get(`/deployments?agent_id=${agent}&status=rolled_back`)).data).toEqual([])
    expect(codeOf(await call('GET', '/v2/deployments?status=gone'))).toEqual([400, 'invalid_request'])
  })

  test('of another organisation are not found, and of an agent that a key is not narrowed to are refused', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const { id } = await change(agent, { description: 'Better', rollout: canary(10) })
    const stranger = (await app.addTenant()).key
    const scopes = ['agents:read', 'agents:write']
    const { body: narrowed } = await call('POST', '/v2/api-keys', { name: 'narrow', scopes, agent_ids: [other] })
    for (const [key, expected] of [
      [stranger, [404, 'not_found']],
      [narrowed.key, [403, 'forbidden']],
    ] as const) {
      expect(codeOf(await call('GET', `/v2/deployments/${id}`, undefined, key))).toEqual(expected)
      expect(codeOf(await call('POST', `/v2/deployments/${id}/promote`, {}, key))).toEqual(expected)
      expect(codeOf(await call('POST', `/v2/deployments/${id}/rollback`, { reason: 'bad' }, key))).toEqual(expected)
    }
    const { body: seen } = await call('GET', '/v2/deployments', undefined, narrowed.key)
    expect(seen.data.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([other])
  })
})
