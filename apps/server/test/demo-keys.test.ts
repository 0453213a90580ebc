import { randomBytes } from 'node:crypto'
import { contract, type Operation, plans } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, startApp, type Tenant, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway', env: { ARS_KEKS: `test:${randomBytes(32).toString('base64')}` } })
})
afterAll(() => app.stop())

/** A demo key of an organisation that also has other keys. */
const newDemoKey = async ({ key }: Tenant): Promise<string> => {
  const body = { name: 'demo', kind: 'demo', scopes: ['runs:read', 'runs:write', 'agents:read'] }
  const made = await app.call('POST', '/v2/api-keys', { key, body })
  expect([made.status, made.body.kind]).toEqual([201, 'demo'])
  return made.body.key
}

const ask = (key: string) => app.call('GET', '/v2/agents', { key })
const askAtOnce = (key: string, count: number) => Promise.all(Array.from({ length: count }, () => ask(key)))

/** Repeated with new keys when Redis was too slow meanwhile and a share of each bucket was counted in process. */
const whileShared = <Result extends object>(work: () => Promise<Result>): Promise<Result> =>
  until('a round in which Redis answers in time', async () => {
    const lines = app.logLines.length
    const result = await work()
    return app.logLines.slice(lines).some((line) => line.includes('counted in process')) ? null : result
  })
const passedOf = (answers: readonly Reply[]) => answers.filter(({ status }) => status === 200)

test('[S50] a demo key on the largest plan has a burst of 15 and 10 requests a minute, shared with its tokens', async () => {
  const tenant = await app.addTenant({ plan: 'business' })
  const { first, answers, minutes } = await whileShared(async () => {
    const demo = await newDemoKey(tenant)
    const from = Date.now()
    const token = await app.call('POST', '/v2/session-tokens', { key: demo, body: { scopes: ['agents:read'] } })
    expect(token.status).toBe(201)
    const asked: Reply[] = []
    for (let round = 0; round < 5; round++) {
      asked.push(...(await Promise.all([askAtOnce(demo, 8), askAtOnce(token.body.token, 8)])).flat())
    }
    return { first: token, answers: asked, minutes: (Date.now() - from) / 60_000 }
  })
  const passed = [first, ...passedOf(answers)]
  const { burst, requestsPerMinute } = plans.demo
  expect(passed.length).toBeGreaterThanOrEqual(burst)
  // The refill meanwhile, however long these requests took.
  expect(passed.length).toBeLessThanOrEqual(burst + Math.floor(minutes * requestsPerMinute))
  for (const { headers } of [first, ...answers]) {
    expect([headers['x-ratelimit-limit'], headers['ratelimit-policy']]).toEqual(['15', '"requests";q=15;w=90'])
  }
  const refused = answers.filter(({ status }) => status !== 200)
  expect(passed.length + refused.length).toBe(81)
  for (const { status, headers, body } of refused) {
    expect([status, body.error.code, headers['x-ratelimit-remaining']]).toEqual([429, 'rate_limited', '0'])
    // Ten a minute: the next request passes within six seconds.
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(6)
  }
})

test('a demo key at full rate does not affect other keys, in its organisation or in another', async () => {
  const limits = { requestsPerMinute: 1, burst: 50 }
  const { before, flood, beside, foreign } = await whileShared(async () => {
    const [tenant, elsewhere] = [await app.addTenant({ limits }), await app.addTenant({ limits })]
    const demo = await newDemoKey(tenant)
    const left = Number((await ask(tenant.key)).headers['x-ratelimit-remaining'])
    const rounds: Reply[][][] = []
    for (let round = 0; round < 5; round++) {
      rounds.push(await Promise.all([askAtOnce(demo, 40), askAtOnce(tenant.key, 4), askAtOnce(elsewhere.key, 4)]))
    }
    const [ofDemo, ofTenant, ofOther] = [0, 1, 2].map((who) => rounds.flatMap((answers) => answers[who] ?? []))
    return { before: left, flood: ofDemo ?? [], beside: ofTenant ?? [], foreign: ofOther ?? [] }
  })
  expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
  expect([passedOf(beside).length, passedOf(foreign).length]).toEqual([20, 20])
  // Exactly their own twenty were taken; one a minute is refilled.
  const left = Math.min(...beside.map(({ headers }) => Number(headers['x-ratelimit-remaining'])))
  expect(left).toBeGreaterThanOrEqual(before - 20)
})

test('[S50] a demo key has two runs at once and a thousand calls a month, and other keys are not held up', async () => {
  const tenant = await app.addTenant({ plan: 'business' })
  const demo = await newDemoKey(tenant)
  const token = await app.call('POST', '/v2/session-tokens', { key: demo, body: { scopes: ['runs:write'] } })
  const start = (key: string) =>
    app.call('POST', '/v2/runs', {
      key,
      body: { agent_id: tenant.agents['test-echo'], input: { query: 'x' } },
      headers: { prefer: 'respond-async' },
    })
  const waitOf = async (id: string) => (await app.call('GET', `/v2/runs/${id}/diagnosis`, { key: tenant.key })).body
  const runs = [await start(demo), await start(token.body.token), await start(demo), await start(tenant.key)]
  expect(runs.map(({ status }) => status)).toEqual([202, 202, 202, 202])
  const waits = await Promise.all(runs.map(({ body }) => waitOf(body.id)))
  // No worker is up, so that a run that may start waits for one.
  expect(waits.map(({ waiting_for }) => waiting_for)).toEqual(['worker', 'worker', 'slot', 'worker'])
  expect(waits[2]).toMatchObject({ queue_position: 1, blocked_by: [runs[0]?.body.id, runs[1]?.body.id] })
  expect(waits[2].message).toBe('All 2 runs that the demo key may have at once are under way; 1 in line.')
  await app.query('update demo_key_calls set calls = 1000 where org_id = $1', [tenant.org])
  const { status, body, headers } = await start(demo)
  expect([status, body.error.code]).toEqual([429, 'quota_exceeded'])
  expect(body.error.message).toBe('A demo key has 1000 calls a month, and this one has used them')
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect((await start(tenant.key)).status).toBe(202)
  expect((await start(await newDemoKey(tenant))).status).toBe(202)
})

test('[S50] a demo key can use neither connectors, nor agents with connectors, nor custom agents', async () => {
  const tenant = await app.addTenant()
  const connector = await app.call('POST', '/v2/connectors', {
    key: tenant.key,
    body: { name: 'Mail', url: 'https://mail.example.com/mcp' },
  })
  expect(connector.status).toBe(201)
  const uses = { model: 'simulated/echo', tools: [{ connector_id: connector.body.id }] }
  const custom = await app.addAgent({ config: { model: 'simulated/echo' } }, tenant)
  const ofCatalog = await app.addAgent({ config: uses }, tenant)
  const [row] = await app.query<{ id: string }>(
    `update agents set source = 'catalog', catalog_key = 'with-tools'
      where org_id = $1 and config -> 'tools' is not null returning id`,
    [tenant.org],
  )
  expect(fromUuid('ag', row?.id ?? '')).toBe(ofCatalog)
  // A canary without tools is shown; most runs would still get the version with tools.
  const canary = { strategy: 'canary', traffic_percent: 1 }
  const half = await app.call('POST', '/v2/agents/test-echo/deploy', { key: tenant.key, body: { config: uses } })
  const shown = await app.call('PATCH', `/v2/agents/${half.body.id}`, {
    key: tenant.key,
    body: { config: { tools: null }, rollout: canary },
  })
  expect([half.status, shown.status, shown.body.config.tools]).toEqual([201, 200, undefined])
  const refusals: Reply[] = []
  let demo = await newDemoKey(tenant)
  for (const agent of [custom, ofCatalog, half.body.id]) {
    const run = { agent_id: agent, input: { query: 'x' } }
    refusals.push(
      await app.call('POST', '/v2/runs', { key: demo, body: run }),
      await app.call('POST', '/v2/runs/stream', { key: demo, body: run }),
      await app.call('GET', `/v2/agents/${agent}`, { key: demo }),
    )
  }
  // A new key, because the first is half used up.
  demo = await newDemoKey(tenant)
  const operations = Object.values<Operation>(contract.connectors)
  for (const { method, path } of operations) {
    const options = method === 'POST' || method === 'PATCH' ? { body: {} } : {}
    refusals.push(await app.call(method, `/v2${path.replace('{id}', connector.body.id)}`, { key: demo, ...options }))
  }
  expect(refusals).toHaveLength(9 + operations.length)
  for (const { status, body, text } of refusals) {
    expect([status, body.error.code]).toEqual([403, 'forbidden'])
    expect(text).not.toContain('mail.example.com')
  }
  const [{ n } = { n: '' }] = await app.query<{ n: string }>('select count(*) as n from runs where org_id = $1', [
    tenant.org,
  ])
  expect(n).toBe('0')
})
