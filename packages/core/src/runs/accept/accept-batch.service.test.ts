import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub } from '@ars/platform/redis/pub-sub'
import { testRequest } from '@ars/testkit/caller'
import { asClient } from '@ars/testkit/client'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { oneIn } from '@ars/testkit/costly-property'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { testRedisUrl } from '@ars/testkit/stack'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askedRun } from '../../../test/asked-run.ts'
import { newId, openRunGateway, plantTenant, type RunGateway, type Tenant, usageOf } from '../../../test/run-gateway.ts'
import { unguarded } from '../../../test/test-guard.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import { Fault } from '../../fault.ts'
import { testSchemas } from '../../schemas/schemas.fixture.ts'
import { createFeed, type Feed } from '../feed/feed.service.ts'
import { unattended } from '../queue/admission.fixture.ts'
import { createAccept } from './accept-batch.service.ts'
import { createRunCreation } from './create-run.service.ts'

let database: TestDatabase
const gateways: RunGateway[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  for (let n = 0; n < 2; n++) gateways.push(await openRunGateway(database))
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.close()
  await database.drop()
})

/** One request at one of the gateways: 202, or the code of its refusal. */
const ask = async (
  { org, agentId }: Tenant,
  n: number,
  { key, ...body }: { key?: string; agent_id?: `ag_${string}`; timeout_seconds?: number } = {},
): Promise<string> => {
  const { api } = gateways[n % gateways.length] as RunGateway
  const ctx = { ...testRequest(org), idempotencyKey: key }
  try {
    const answer = await api.create(ctx, { agent_id: agentId, input: { n }, ...body })
    const headers = 'headers' in answer ? (answer.headers as Record<string, string>) : {}
    return headers['idempotency-replayed'] === 'true' ? 'replayed' : 'accepted'
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

const together = (count: number, one: (n: number) => Promise<string>): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)))
const tally = (answers: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(answers, (answer) => answer)].map(([answer, { length }]) => [answer, length]))
const setQuota = (org: string, calls: number) =>
  asClient(database.superuserUrl, (client) =>
    client.query('update organisations set calls_per_month = $2 where id = $1', [org, calls]),
  )

test('of two requests for the last call of the month one is accepted and one gets 429', async () => {
  const tenant = await plantTenant(database, { calls: 3 })
  expect(await together(2, (n) => ask(tenant, n))).toEqual(['accepted', 'accepted'])
  expect(tally(await together(2, (n) => ask(tenant, n)))).toEqual({ accepted: 1, quota_exceeded: 1 })
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 3, runs: 3 }])
})

test('of 200 concurrent requests through two gateways for a quota of 100, exactly 100 are accepted', async () => {
  const tenant = await plantTenant(database, { calls: 100 })
  expect(tally(await together(200, (n) => ask(tenant, n)))).toEqual({ accepted: 100, quota_exceeded: 100 })
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 100, runs: 100 }])
})

test('the quota is used completely before the first refusal, for concurrent and sequential requests', async () => {
  const tenant = await plantTenant(database, { calls: 1000 })
  for (const crowd of [1, 40, 3, 400, 56, 499]) {
    expect(tally(await together(crowd, (n) => ask(tenant, n)))).toEqual({ accepted: crowd })
  }
  expect(tally(await together(2, (n) => ask(tenant, n)))).toEqual({ accepted: 1, quota_exceeded: 1 })
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 1000, runs: 1000 }])
})

test('one statement accepts at most 4 MiB of inputs, and a larger crowd is accepted by several', async () => {
  const { org, agentId } = await plantTenant(database, { calls: 100_000 })
  const log = createLog({ level: 'silent' })
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log })
  const accept = createAccept({ app, admission: { follow: () => undefined }, relayAfterMs: 60_000, cellSlots: 100 })
  const runs = Array.from({ length: 9 }, () => askedRun(toUuid(agentId), { input: { text: 'x'.repeat(1_000_000) } }))
  const verdicts = await Promise.all(runs.map((run) => accept(org, run)))
  await app.close()
  expect(verdicts.map(({ kind }) => kind)).toEqual(runs.map(() => 'accepted'))
  const { rows } = await asClient(database.superuserUrl, (client) =>
    client.query('select count(*)::integer as runs from runs where org_id = $1 group by xmin::text order by 1', [org]),
  )
  expect(rows).toEqual([{ runs: 1 }, { runs: 4 }, { runs: 4 }])
})

test('the sum over the shards never exceeds the quota, for any quota and any distribution of requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 130 }),
      fc.array(fc.integer({ min: 1, max: 60 })),
      async (calls, crowds) => {
        const tenant = await plantTenant(database, { calls })
        let asked = 0
        for (const crowd of crowds.slice(0, 5)) {
          asked += crowd
          await together(crowd, (n) => ask(tenant, n))
          const usage = await usageOf(database, tenant.org)
          const expected = Math.min(calls, asked)
          expect(usage.map(({ calls: counted, runs }) => [counted, runs])).toEqual(
            expected === 0 ? [] : [[expected, expected]],
          )
        }
      },
    ),
    // Each run accepts up to 300 requests.
    oneIn(10),
  )
})

test('a replay, a refusal and a 429 are not counted, and a retry gets its run when the quota is used up', async () => {
  const tenant = await plantTenant(database, { calls: 2, timeoutSeconds: 60 })
  expect(await ask(tenant, 1, { key: 'first' })).toBe('accepted')
  expect(await ask(tenant, 1, { key: 'first' })).toBe('replayed')
  expect(await ask(tenant, 2, { key: 'first' })).toBe('idempotency_key_reused')
  expect(await ask(tenant, 3, { agent_id: 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4' })).toBe('not_found')
  expect(await ask(tenant, 3, { timeout_seconds: 61 })).toBe('timeout_not_allowed')
  expect(await ask(tenant, 4)).toBe('accepted')
  expect(await ask(tenant, 5)).toBe('quota_exceeded')
  expect(await ask(tenant, 5, { key: 'second' })).toBe('quota_exceeded')
  // Both gateways know by now that the quota is used up and still answer the retry; other refusals stay unchanged.
  expect(await ask(tenant, 1, { key: 'first' })).toBe('replayed')
  expect(await ask(tenant, 6, { agent_id: 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4' })).toBe('not_found')
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 2, runs: 2 }])
})

test('retries among new requests get their runs, even if the batch exceeds the quota', async () => {
  const tenant = await plantTenant(database, { calls: 20 })
  const known = Array.from({ length: 10 }, (_, n) => `known-${n}`)
  expect(tally(await Promise.all(known.map((key, n) => ask(tenant, n, { key }))))).toEqual({ accepted: 10 })
  const answers = await Promise.all([
    ...known.map((key, n) => ask(tenant, n, { key })),
    ...Array.from({ length: 30 }, (_, n) => ask(tenant, n, { key: `new-${n}` })),
  ])
  expect(tally(answers)).toEqual({ replayed: 10, accepted: 10, quota_exceeded: 20 })
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 20, runs: 20 }])
})

test('a request without a call costs one transaction and no subscription, with a key and with an archived or unknown agent too', async () => {
  const tenant = await plantTenant(database, { calls: 1 })
  const acquired = { times: 0 }
  const log = createLog({ level: 'silent' })
  const onAcquire = (): void => void acquired.times++
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log, onAcquire })
  const pubSub = await openPubSub({ url: testRedisUrl(), log })
  const feed = createFeed({ feedReads: app, pubSub, log })
  const followed: string[] = []
  const follow: Feed['follow'] = (org, run) => {
    followed.push(run)
    return feed.follow(org, run)
  }
  const runs = createRunCreation({
    app,
    agents: testAgents({ app, newId }),
    schemas: testSchemas(),
    ...unguarded(app),
    feed: { ...feed, follow },
    admission: unattended,
    newId,
    clock: systemClock,
    relayAfterMs: 60_000,
    cellSlots: 10,
  })
  const create = async (key: string, agentId = tenant.agentId): Promise<{ code: string; transactions: number }> => {
    const before = acquired.times
    const ctx = { ...testRequest(tenant.org), idempotencyKey: key }
    const code = await runs.accept(ctx, { agent_id: agentId, input: {} }).then(
      ({ replayed }) => (replayed ? 'replayed' : 'accepted'),
      (error: unknown) => (error instanceof Fault ? error.code : String(error)),
    )
    return { code, transactions: acquired.times - before }
  }
  try {
    expect(await create('first')).toMatchObject({ code: 'accepted' })
    expect(await create('second')).toMatchObject({ code: 'quota_exceeded' })
    // From here on the service knows that the organisation is short of calls.
    expect(await create('third')).toEqual({ code: 'quota_exceeded', transactions: 1 })
    expect(await create('first')).toEqual({ code: 'replayed', transactions: 1 })
    expect(await create('fourth', 'ag_01kf3xw0fqe1vrr9m8sdv2wbx4')).toEqual({ code: 'not_found', transactions: 1 })
    await asClient(database.superuserUrl, (client) =>
      client.query(`update agents set status = 'archived' where org_id = $1`, [tenant.org]),
    )
    expect(await create('fifth')).toEqual({ code: 'agent_archived', transactions: 1 })
    const waiting = { ...testRequest(tenant.org), prefer: { waitMs: 50, applied: undefined } }
    const body = { agent_id: tenant.agentId, input: {} }
    await expect(runs.create(waiting, body)).rejects.toMatchObject({ code: 'agent_archived' })
    expect(followed).toEqual([])
    // With a call left again, the caller waits for its run.
    await asClient(database.superuserUrl, (client) =>
      client.query(`update agents set status = 'active' where org_id = $1`, [tenant.org]),
    )
    await setQuota(tenant.org, 2)
    const { body: run } = await runs.create(waiting, body)
    expect(run.status).toBe('queued')
    expect(followed).toEqual([toUuid(run.id)])
  } finally {
    feed.close()
    pubSub.close()
    await app.close()
  }
})

test('requests of an organisation without calls share one transaction, and a new call is used after the pause', async () => {
  const { org, agentId } = await plantTenant(database, { calls: 1 })
  const acquired = { times: 0 }
  const log = createLog({ level: 'silent' })
  const onAcquire = (): void => void acquired.times++
  const app = openDatabase({ url: database.appUrl, name: 'app', size: 2, acquireTimeoutMs: 30_000, log, onAcquire })
  const pauses: (() => void)[] = []
  const accept = createAccept({
    app,
    admission: { follow: () => undefined },
    relayAfterMs: 60_000,
    cellSlots: 10,
    pause: () => new Promise<void>((resolve) => pauses.push(resolve)),
  })
  const askAll = (runs: number) => Array.from({ length: runs }, () => accept(org, askedRun(toUuid(agentId))))
  const kindsOf = async (verdicts: ReturnType<typeof askAll>) => (await Promise.all(verdicts)).map(({ kind }) => kind)
  try {
    expect(await kindsOf(askAll(2))).toEqual(['accepted', 'quota_exhausted'])
    acquired.times = 0
    const first = askAll(3)
    await new Promise((resolve) => setImmediate(resolve))
    const later = askAll(4)
    await new Promise((resolve) => setImmediate(resolve))
    expect(acquired.times).toBe(0)
    expect(pauses).toHaveLength(1)
    pauses.pop()?.()
    expect(await kindsOf([...first, ...later])).toEqual(Array(7).fill('quota_exhausted'))
    expect(acquired.times).toBe(1)
    await setQuota(org, 2)
    const last = askAll(2)
    pauses.pop()?.()
    expect((await kindsOf(last)).toSorted()).toEqual(['accepted', 'quota_exhausted'])
  } finally {
    await app.close()
  }
})

test('a larger quota admits requests at once, a smaller one refuses them at once', async () => {
  const tenant = await plantTenant(database, { calls: 10 })
  expect(tally(await together(12, (n) => ask(tenant, n)))).toEqual({ accepted: 10, quota_exceeded: 2 })
  await setQuota(tenant.org, 15)
  expect(tally(await together(12, (n) => ask(tenant, n)))).toEqual({ accepted: 5, quota_exceeded: 7 })
  await setQuota(tenant.org, 4)
  expect(tally(await together(2, (n) => ask(tenant, n)))).toEqual({ quota_exceeded: 2 })
  expect(await usageOf(database, tenant.org)).toMatchObject([{ calls: 15, runs: 15 }])
})

/** The time left in the database's current month. */
const monthLeftMs = () =>
  asClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ left_ms: number }>(
      `select extract(epoch from date_trunc('month', app_now() at time zone 'utc') + interval '1 month'
                - (app_now() at time zone 'utc'))::float8 * 1000 as left_ms`,
    )
    return Math.floor(rows[0]?.left_ms ?? Number.NaN)
  })

test('Retry-After is the time until the first of the next month in UTC, and at that second a request passes', async () => {
  const tenant = await plantTenant(database, { calls: 1 })
  expect(await ask(tenant, 0)).toBe('accepted')
  const refused = await gateways[0]?.api.create(testRequest(tenant.org), { agent_id: tenant.agentId, input: {} }).then(
    () => null,
    (error: Fault) => error,
  )
  const leftSeconds = (await monthLeftMs()) / 1000
  expect(refused?.code).toBe('quota_exceeded')
  expect(refused?.retryAfterSeconds).toBeGreaterThanOrEqual(leftSeconds)
  expect(refused?.retryAfterSeconds).toBeLessThan(leftSeconds + 60)
  await moveDatabaseClock(database.ownerUrl, (refused?.retryAfterSeconds ?? 0) * 1000)
  expect(tally(await together(2, (n) => ask(tenant, n)))).toEqual({ accepted: 1, quota_exceeded: 1 })
  const usage = await usageOf(database, tenant.org)
  expect(usage.map(({ calls, runs }) => [calls, runs])).toEqual([
    [1, 1],
    [1, 1],
  ])
})

test('when the month changes under load, each month has its own quota and every call counts in the month of its run', async () => {
  const tenant = await plantTenant(database, { calls: 150 })
  await moveDatabaseClock(database.ownerUrl, (await monthLeftMs()) - 60_000)
  let isOver = false
  const client = async (own: number): Promise<string[]> => {
    const heard: string[] = []
    for (let n = own; !isOver; n += 20) heard.push(await ask(tenant, n))
    return heard
  }
  const clients = Array.from({ length: 20 }, (_, own) => client(own))
  const counted = async (months: number): Promise<boolean> =>
    (await usageOf(database, tenant.org)).filter(({ calls }) => calls >= 60).length === months
  try {
    await expect.poll(() => counted(1), { timeout: 30_000, interval: 5 }).toBe(true)
    await moveDatabaseClock(database.ownerUrl, 60_000)
    await expect.poll(() => counted(2), { timeout: 30_000, interval: 5 }).toBe(true)
  } finally {
    isOver = true
  }
  const heard = (await Promise.all(clients)).flat()
  const usage = await usageOf(database, tenant.org)
  expect(usage).toHaveLength(2)
  for (const { calls, runs } of usage) {
    expect(calls).toBe(runs)
    expect(calls).toBeLessThanOrEqual(150)
  }
  expect(tally(heard).accepted).toBe(usage.reduce((sum, { runs }) => sum + runs, 0))
}, 60_000)
