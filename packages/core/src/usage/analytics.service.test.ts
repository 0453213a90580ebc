import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUsageWorld, type PlantedEnd, type UsageWorld } from '../../test/usage-world.ts'
import { allowedAmong } from '../agent-access.ts'
import { type AskedAnalytics, createAnalytics } from './analytics.service.ts'
import { usageBounds } from './bounds.ts'
import { countEnds } from './rollup.store.ts'

const newId = createIdMaker(systemClock)
const uuid = () => toUuid(newId('ag'))
let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())

const plant = async (org: string, runs: readonly PlantedEnd[]) => {
  await world.endRuns(org, runs)
  await world.relay()
  while ((await countEnds(world.system)) ?? 0);
}
const ask = (org: string, asked: AskedAnalytics, agentIds: ReadonlySet<string> | null = null) => {
  const ctx = { ...testRequest(org), agentIds }
  const service = createAnalytics({ app: world.app, clock: systemClock })
  return service.get(ctx, asked, allowedAmong(ctx, []))
}
/** A moment of yesterday, UTC. */
const yesterday = (hour: number, minute = 0) => {
  const now = systemClock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1, hour, minute, 1))
}
const dayOf = (daysAgo: number) => {
  const now = systemClock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - daysAgo)).toISOString()
}

test('a day by hour has totals, percentiles, a series, the period before, and lists of agents and errors', async () => {
  const [org, quick, slow] = [await world.newOrg(), uuid(), uuid()]
  await plant(org, [
    ...Array.from(
      { length: 98 },
      (): PlantedEnd => ({ agent: quick, finishedAt: yesterday(3), latencyMs: 100, costUsd: 0.01 }),
    ),
    { agent: slow, finishedAt: yesterday(3, 59), latencyMs: 20_000 },
    { agent: slow, finishedAt: yesterday(9), latencyMs: 30_000, status: 'failed', errorCode: 'timeout' },
    { agent: slow, finishedAt: yesterday(9), status: 'cancelled' },
    { agent: quick, finishedAt: new Date(yesterday(3).getTime() - 86_400_000), costUsd: 2 },
  ])
  const found = await ask(org, { from: dayOf(1), to: dayOf(0), interval: 'hour' })
  expect(found).toMatchObject({ from: dayOf(1), to: dayOf(0), interval: 'hour', time_zone: 'UTC', groups: null })
  expect(found.totals).toMatchObject({
    runs: 101,
    completed: 99,
    failed: 1,
    cancelled: 1,
    success_rate: 0.99,
    cost_usd: 0.98,
  })
  expect(found.totals.latency_p50_ms).toBeCloseTo(100, -1)
  expect(Math.abs((found.totals.latency_p99_ms ?? 0) - 20_000) / 20_000).toBeLessThanOrEqual(0.01)
  expect(found.series.map(({ started_at, figures }) => [started_at.slice(11, 16), figures.runs])).toEqual([
    ['03:00', 99],
    ['09:00', 2],
  ])
  expect(found.previous).toMatchObject({ from: dayOf(2), to: dayOf(1), totals: { runs: 1, cost_usd: 2 } })
  expect(found.top_agents.map(({ agent_id, figures }) => [agent_id, figures.runs])).toEqual([
    [fromUuid('ag', quick), 98],
    [fromUuid('ag', slow), 3],
  ])
  expect(found.slowest_agents[0]).toMatchObject({ agent_id: fromUuid('ag', slow) })
  expect(found.top_errors).toEqual([{ code: 'timeout', runs: 1 }])
})

test('days begin where the time zone says, also where it differs from UTC by part of an hour', async () => {
  const [org, agent] = [await world.newOrg(), uuid()]
  // 18:20 UTC is the next day in Kolkata (+05:30), Tokyo (+09:00) and Kathmandu (+05:45), and not in Berlin.
  await plant(org, [
    { agent, finishedAt: yesterday(18, 20) },
    { agent, finishedAt: yesterday(10) },
  ])
  const days = async (time_zone: string) => {
    const { series } = await ask(org, { from: dayOf(2), to: dayOf(0), interval: 'day', time_zone })
    return series.map(({ figures }) => figures.runs)
  }
  expect(await days('Europe/Berlin')).toEqual([2])
  expect(await days('Asia/Tokyo')).toEqual([1, 1])
  expect(await days('Asia/Kathmandu')).toEqual([1, 1])
  expect(await days('Asia/Kolkata')).toEqual([2])
  const [first] = (await ask(org, { from: dayOf(2), to: dayOf(0), interval: 'day', time_zone: 'Asia/Kathmandu' }))
    .series
  expect(first?.started_at.slice(11)).toBe('18:15:00.000Z')
})

test('versions, API keys and agents are told apart, and groups add up to the totals', async () => {
  const [org, one, other] = [await world.newOrg(), uuid(), uuid()]
  const key = await world.newKey(org, 'Shop')
  await plant(org, [
    { agent: one, finishedAt: yesterday(1), version: 1, key },
    { agent: one, finishedAt: yesterday(1), version: 2, key, status: 'failed' },
    { agent: one, finishedAt: yesterday(1), version: 2 },
    { agent: other, finishedAt: yesterday(1) },
  ])
  const period = { from: dayOf(1), to: dayOf(0) }
  const agent_id = fromUuid('ag', one)
  expect((await ask(org, { ...period, agent_id })).totals.runs).toBe(3)
  expect((await ask(org, { ...period, agent_id, agent_version: 2 })).totals).toMatchObject({ runs: 2, failed: 1 })
  expect((await ask(org, { ...period, api_key_id: fromUuid('key', key) })).totals.runs).toBe(2)
  const groups = async (group_by: NonNullable<AskedAnalytics['group_by']>) =>
    (await ask(org, { ...period, group_by })).groups?.map(({ key: name, figures }) => [name, figures.runs])
  expect(await groups('agent')).toEqual([
    [agent_id, 3],
    [fromUuid('ag', other), 1],
  ])
  expect(await groups('version')).toEqual(
    expect.arrayContaining([
      ['1', 2],
      ['2', 2],
    ]),
  )
  expect(await groups('api_key')).toEqual(
    expect.arrayContaining([
      [fromUuid('key', key), 2],
      [null, 2],
    ]),
  )
  expect(await groups('error_code')).toEqual([['model_error', 1]])
  expect(
    (await ask(org, { ...period, group_by: 'api_key' })).groups?.find(({ name }) => name === 'Shop')?.figures.runs,
  ).toBe(2)
})

test('a narrowed key sees the figures of its agents only, and a token that sees its own runs none', async () => {
  const [org, own, other] = [await world.newOrg(), uuid(), uuid()]
  await plant(org, [
    { agent: own, finishedAt: yesterday(1) },
    { agent: other, finishedAt: yesterday(1), status: 'failed' },
  ])
  const period = { from: dayOf(1), to: dayOf(0) }
  const found = await ask(org, { ...period, group_by: 'agent' }, new Set([own]))
  expect(found).toMatchObject({ totals: { runs: 1, failed: 0 }, top_errors: [] })
  expect([found.top_agents.length, found.groups?.length]).toEqual([1, 1])
  expect((await ask(org, { ...period, agent_id: fromUuid('ag', other) }, new Set([own]))).totals.runs).toBe(0)
  expect((await ask(await world.newOrg(), period)).totals.runs).toBe(0)
})

test.each([
  ['a period of 100 years', { from: '1970-01-01T00:00:00Z' }, 'range_too_large'],
  ['minutes of a year', { from: dayOf(365), to: dayOf(0), interval: 'minute' }, 'range_too_large'],
  ['a period that ends before it begins', { from: dayOf(0), to: dayOf(1) }, 'input_invalid'],
  ['an unknown time zone', { time_zone: 'Mars/Phobos' }, 'input_invalid'],
  ['a version without an agent', { agent_version: 3 }, 'input_invalid'],
] as const)('%s is refused', async (_, asked, code) => {
  await expect(ask(await world.newOrg(), asked)).rejects.toMatchObject({ code })
})

test('a question that would read over 20,000 rows is refused, and one without filters is not', async () => {
  const org = await world.newOrg()
  await world.sql(
    `insert into usage_buckets (org_id, width, scope, bucket, agent_id, agent_version, api_key_id, completed)
     select $1, 'quarter', 'detail', date_bin('15 minutes', app_now() - make_interval(mins => 15 * (n % 96)), 'epoch'), gen_random_uuid(),
            1, $2, 1
       from generate_series(1, ${usageBounds.rowsRead.count + 100}) n`,
    [org, '00000000-0000-0000-0000-000000000000'],
  )
  await expect(ask(org, { group_by: 'version' })).rejects.toMatchObject({ code: 'range_too_large' })
  expect((await ask(org, {})).totals.runs).toBe(0)
})
