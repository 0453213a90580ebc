import { bucketOf } from '@ars/core/deployments'
import { toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, type Reply, sharedApp, type Tenant, until } from './app.ts'

/** The number of runs that wait while versions are released; more by environment variable. */
const waitingRuns = Number(process.env.ARS_TEST_WAITING_RUNS ?? 20)

let app: App
let second: { url: string }
let tenant: Tenant
beforeAll(async () => {
  app = await sharedApp()
  second = await app.join('gateway')
  tenant = await app.addTenant({ plan: 'enterprise' })
})
afterAll(() => app.stop())

type Json = Record<string, unknown>

const call = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  url = app.url,
) => app.call(method, `/v2${path}`, { key: tenant.key, headers, url, ...(body === undefined ? {} : { body }) })

/** The response; a refusal fails the test. */
const ok = async (reply: Promise<Reply>) => {
  const { status, body } = await reply
  expect([status, body?.error ?? null]).toEqual([expect.toSatisfy((code: number) => code < 300), null])
  return body
}

const says = (text: string) => ({ model: 'simulated/script', script: [{ text }] })
/** Asks a person first, and answers with this text after approval. */
const saysWhenApproved = (text: string) => ({
  model: 'simulated/script',
  script: [{ asks: [{ type: 'approval', message: 'May this go on?' }] }, { text }],
})

const newAgent = (config: Json, more: Json = {}) =>
  ok(call('POST', '/agents/custom', { name: 'Mine', config, ...more }))
const change = (id: string, body: Json) => ok(call('PATCH', `/agents/${id}`, body))
const canary = (traffic_percent: number) => ({ strategy: 'canary', traffic_percent })

type Asked = { key?: string | undefined; url?: string; input?: Json }

const ask = (agent_id: string, { key, url, input = {} }: Asked): Promise<Reply> => {
  const headers = { prefer: 'respond-async', ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return call('POST', '/runs', { agent_id, input }, headers, url)
}

const start = (agentId: string, asked: Asked = {}) => ok(ask(agentId, asked))

const whenWaiting = (id: string) =>
  until(`${id} to ask`, async () => {
    const run = await ok(call('GET', `/runs/${id}`))
    return run.status === 'requires_action' && run
  })

const whenEnded = (id: string) =>
  until(`the end of ${id}`, async () => {
    const run = await ok(call('GET', `/runs/${id}`))
    return run.finished_at !== null && run
  })

const approve = (id: string) => ok(call('POST', `/runs/${id}/action`, { type: 'approve' }))

/** A key whose runs of the agent are on this side of a canary. */
const keyOn = (side: 'canary' | 'live', agentId: string, percent: number): string => {
  for (let n = 0; ; n++) {
    const key = `${agentId}-${n}`
    const isBelow = bucketOf(toUuid(agentId as `ag_${string}`), key) < percent * 100
    if (isBelow === (side === 'canary')) return key
  }
}

describe('a canary', () => {
  test('validates its runs against its own input schema, and the active version against its own', async () => {
    const needs = (field: string) => ({ type: 'object', required: [field] })
    const agent = await newAgent(says('one'), { input_schema: needs('old') })
    await change(agent.id, { config: says('two'), input_schema: needs('new'), rollout: canary(40) })
    const keys = { canary: keyOn('canary', agent.id, 40), live: keyOn('live', agent.id, 40) }
    for (const url of [app.url, second.url]) {
      for (const [key, input] of [
        [keys.canary, { old: 1 }],
        [keys.live, { new: 1 }],
      ] as const) {
        const refused = await call('POST', '/runs', { agent_id: agent.id, input }, { 'idempotency-key': key }, url)
        expect([refused.status, refused.body.error.code]).toEqual([422, 'input_invalid'])
      }
    }
    expect(await start(agent.id, { key: keys.canary, input: { new: 1 } })).toMatchObject({ agent_version: 2 })
    expect(await start(agent.id, { key: keys.live, input: { old: 1 } })).toMatchObject({ agent_version: 1 })
  })

  test('keeps idempotent replays: the same run after a promotion and after a rollback', async () => {
    const agent = await newAgent(says('one'))
    const { deployment } = await change(agent.id, { config: says('two'), rollout: canary(50) })
    const keys = { canary: keyOn('canary', agent.id, 50), live: keyOn('live', agent.id, 50) }
    const first = {
      canary: await start(agent.id, { key: keys.canary }),
      live: await start(agent.id, { key: keys.live }),
    }
    expect([first.canary.agent_version, first.live.agent_version]).toEqual([2, 1])
    const expectSame = async () => {
      for (const side of ['canary', 'live'] as const) {
        const again = await start(agent.id, { key: keys[side], url: second.url })
        const { id, agent_version, deployment_id } = first[side]
        expect(again).toMatchObject({ id, agent_version, deployment_id })
      }
    }
    await ok(call('POST', `/deployments/${deployment.id}/promote`))
    await expectSame()
    await ok(call('POST', `/deployments/${deployment.id}/rollback`, { reason: 'It was better before' }))
    await expectSame()
    expect(await start(agent.id)).toMatchObject({ agent_version: 1 })
  })
})

describe('a run stays on the version that it started with', () => {
  test(`${waitingRuns} runs that wait for approval while five versions are released each end with their own version`, async () => {
    const agent = await newAgent(saysWhenApproved('version 1'))
    const started: { id: string; version: number }[] = []
    for (let version = 1; version <= 5; version++) {
      if (version > 1) await change(agent.id, { config: saysWhenApproved(`version ${version}`) })
      for (let n = 0; n < waitingRuns / 5; n++) {
        const run = await start(agent.id, { url: n % 2 === 0 ? app.url : second.url })
        expect(run.agent_version).toBe(version)
        started.push({ id: run.id, version })
      }
    }
    for (const { id } of started) await whenWaiting(id)
    // The last release asks no question: a run on it would fail, or answer this.
    await change(agent.id, { config: says('version 6') })
    await Promise.all(started.map(({ id }) => approve(id)))
    for (const { id, version } of started) {
      expect(await whenEnded(id)).toMatchObject({
        status: 'completed',
        agent_version: version,
        output: { result: `version ${version}` },
      })
    }
  }, 180_000)

  test('also when its canary and the active version are rolled back meanwhile', async () => {
    const agent = await newAgent(saysWhenApproved('version 1'))
    const second = await change(agent.id, { config: saysWhenApproved('version 2') })
    const third = await change(agent.id, { config: saysWhenApproved('version 3'), rollout: canary(50) })
    const runs = {
      2: await start(agent.id, { key: keyOn('live', agent.id, 50) }),
      3: await start(agent.id, { key: keyOn('canary', agent.id, 50) }),
    }
    for (const { id } of Object.values(runs)) await whenWaiting(id)
    await ok(call('POST', `/deployments/${third.deployment.id}/rollback`, { reason: 'It says too much' }))
    await ok(call('POST', `/deployments/${second.deployment.id}/rollback`, { reason: 'This one too' }))
    for (const [version, { id }] of Object.entries(runs)) {
      await approve(id)
      const ended = await whenEnded(id)
      expect(ended).toMatchObject({ status: 'completed', agent_version: Number(version) })
      expect(ended.output.result).toBe(`version ${version}`)
      expect(ended.deployment_id).toBe((version === '2' ? second : third).deployment.id)
    }
    const after = await start(agent.id)
    expect(after.agent_version).toBe(1)
    expect([agent.deployment.id, second.deployment.id, third.deployment.id]).not.toContain(after.deployment_id)
  })

  test('[S18] also when its agent is archived, which accepts no new run from then on', async () => {
    const agent = await newAgent(saysWhenApproved('version 1'))
    const run = await start(agent.id, { key: 'before the archive' })
    await whenWaiting(run.id)
    await change(agent.id, { config: saysWhenApproved('version 2') })
    expect(await ok(call('DELETE', `/agents/${agent.id}`))).toMatchObject({ status: 'archived' })
    for (const url of [app.url, second.url]) {
      const refused = await call('POST', '/runs', { agent_id: agent.id, input: {} }, {}, url)
      expect([refused.status, refused.body.error.code]).toEqual([422, 'agent_archived'])
    }
    expect(await start(agent.id, { key: 'before the archive' })).toMatchObject({ id: run.id, agent_version: 1 })
    await approve(run.id)
    expect(await whenEnded(run.id)).toMatchObject({ status: 'completed', output: { result: 'version 1' } })
  })
})
