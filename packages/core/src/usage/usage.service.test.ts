import { plans } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUsageWorld, type UsageWorld } from '../../test/usage-world.ts'
import { allowedAmong } from '../agent-access.ts'
import { countEnds } from './rollup.store.ts'
import { createUsage } from './usage.service.ts'

const newId = createIdMaker(systemClock)
const uuid = () => toUuid(newId('ag'))
let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())

const storageBytes = { demo: 1, free: 2, developer: 3, business: 4, enterprise: 5, none: 6 }
const ask = (org: string, month?: string, agentIds: ReadonlySet<string> | null = null) => {
  const ctx = { ...testRequest(org), agentIds }
  const service = createUsage({ app: world.app, clock: systemClock, storageBytes })
  return service.get(ctx, { month }, allowedAmong(ctx, []))
}

test('the calls are those of the quota counter, and the other figures those of ended runs', async () => {
  const [org, own, other] = [await world.newOrg(), uuid(), uuid()]
  const key = await world.newKey(org, 'Shop')
  await world.sql(
    `insert into call_counts (org_id, month, slot, calls)
     values ($1, date_trunc('month', app_now() at time zone 'utc'), 0, 7), ($1, date_trunc('month', app_now() at time zone 'utc'), 5, 4)`,
    [org],
  )
  const finishedAt = systemClock.now()
  await world.endRuns(org, [
    { agent: own, finishedAt, key, tokens: [10, 5], costUsd: 0.1 },
    { agent: own, finishedAt, key, tokens: [10, 5], costUsd: 0.2 },
    { agent: other, finishedAt, status: 'failed', tokens: [1, 1], costUsd: null },
  ])
  expect((await ask(org)).as_of).toBe(finishedAt.toISOString())
  await world.relay()
  while ((await countEnds(world.system)) ?? 0);
  const found = await ask(org)
  const { callsPerMonth, requestsPerMinute, burst, concurrentRuns } = plans.business
  expect(found).toMatchObject({
    plan: 'business',
    calls: { used: 11, limit: callsPerMonth, remaining: callsPerMonth - 11 },
    rate_limit: { requests_per_minute: requestsPerMinute, burst },
    concurrency: { used: 0, limit: concurrentRuns },
    storage: { used_bytes: 0, limit_bytes: storageBytes.business },
    totals: { runs: 3, completed: 2, failed: 1, input_tokens: 21, output_tokens: 11, cost_usd: 0.3, unpriced_runs: 1 },
    by_agent: [
      { agent_id: fromUuid('ag', own), figures: { runs: 2, cost_usd: 0.3 } },
      { agent_id: fromUuid('ag', other), figures: { runs: 1 } },
    ],
    by_api_key: [
      { api_key_id: fromUuid('key', key), name: 'Shop', figures: { runs: 2 } },
      { api_key_id: null, name: null, figures: { runs: 1 } },
    ],
    by_day: [{ date: finishedAt.toISOString().slice(0, 10), figures: { runs: 3 } }],
  })
  expect(found.period.start).toBe(`${finishedAt.toISOString().slice(0, 7)}-01T00:00:00.000Z`)
  expect(found.period.end > finishedAt.toISOString()).toBe(true)
  const narrowed = await ask(org, undefined, new Set([other]))
  expect(narrowed).toMatchObject({
    totals: { runs: 1 },
    by_agent: [{ figures: { runs: 1 } }],
    by_api_key: [],
    by_day: [{ figures: { runs: 1 } }],
  })
})

test('a past month is empty where nothing ran, and a month that is not kept is refused', async () => {
  const org = await world.newOrg()
  const now = systemClock.now()
  const monthsAgo = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7)
  expect(await ask(org, monthsAgo(12))).toMatchObject({ calls: { used: 0 }, totals: { runs: 0 }, by_day: [] })
  for (const month of [monthsAgo(13), monthsAgo(-1)])
    await expect(ask(org, month)).rejects.toMatchObject({ code: 'input_invalid', param: 'month' })
})
