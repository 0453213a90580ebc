import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUsageWorld, type PlantedEnd, type UsageWorld } from '../../test/usage-world.ts'
import { rebuildDay } from './rebuild.store.ts'
import { countEnds, countNotes, findAsOf } from './rollup.store.ts'

const newId = createIdMaker(systemClock)
const uuid = () => toUuid(newId('ag'))
let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())

const dayMs = 86_400_000
const today = new Date(Math.floor(systemClock.now().getTime() / dayMs) * dayMs)
const yesterday = new Date(today.getTime() - dayMs)
const dump = (org: string) =>
  world.sql(
    'select width, scope, bucket, agent_id, agent_version, api_key_id, completed, failed, cancelled, input_tokens, cost_usd, latency_ms, guardrail_blocks, deliveries_succeeded, errors, latency, queue from usage_buckets where org_id = $1 order by width, scope, bucket, agent_id, agent_version',
    [org],
  )
const plant = async (org: string, day: Date, count = 1_200) => {
  const agents = [uuid(), uuid(), uuid()]
  const status = ['completed', 'completed', 'failed', 'cancelled'] as const
  await world.endRuns(
    org,
    Array.from({ length: count }, (_, n): PlantedEnd => {
      const finishedAt = new Date(day.getTime() + ((n * 60_013) % (dayMs - 1)))
      return {
        agent: agents[n % 3] ?? '',
        finishedAt,
        latencyMs: 50 + n,
        costUsd: 0.001 * n,
        status: status[n % 4] ?? 'failed',
      }
    }),
  )
  await world.relay()
}
const countAll = async () => {
  while ((await countEnds(world.system)) ?? 0);
}

test('a day that is counted again has the same figures, and damage is repaired and reported', async () => {
  const org = await world.newOrg()
  await plant(org, yesterday)
  await countAll()
  await world.sql(
    'insert into usage_notes (org_id, at, deliveries_succeeded, guardrail_blocks) values ($1, $2, 5, 2)',
    [org, new Date(yesterday.getTime() + 1_000)],
  )
  await countNotes(world.system)
  const before = await dump(org)
  expect(await rebuildDay(world.system, yesterday)).toMatchObject({ kind: 'rebuilt', before: 1_200, after: 1_200 })
  expect(await dump(org)).toEqual(before)
  await world.sql(`update usage_buckets set completed = completed + 7, latency = '{}' where org_id = $1`, [org])
  await world.sql(`delete from usage_buckets where org_id = $1 and width = 'hour' and scope = 'agent'`, [org])
  // An agent without runs has no row, so that no list names it.
  await world.sql(
    `insert into usage_buckets (width, org_id, scope, bucket, agent_id, agent_version, api_key_id, completed)
     select width, org_id, scope, bucket, $2, agent_version, api_key_id, 1 from usage_buckets
      where org_id = $1 and width = 'day' and scope = 'agent' limit 1`,
    [org, uuid()],
  )
  expect(await rebuildDay(world.system, yesterday)).toMatchObject({ kind: 'rebuilt', before: 1_207, after: 1_200 })
  expect(await dump(org)).toEqual(before)
})

test('an end that is not counted yet is counted once, before or after a rebuild', async () => {
  const org = await world.newOrg()
  await plant(org, yesterday, 20)
  const uncounted = await rebuildDay(world.system, yesterday)
  expect(uncounted).toMatchObject({ kind: 'rebuilt' })
  expect(await dump(org)).toEqual([])
  await countAll()
  const counted = await dump(org)
  await rebuildDay(world.system, yesterday)
  expect(await dump(org)).toEqual(counted)
})

test('the test of an endpoint is no end of a run', async () => {
  const org = await world.newOrg()
  const at = new Date(yesterday.getTime() + 1_000)
  await plant(org, yesterday, 20)
  await countAll()
  const before = await dump(org)
  await world.testEndpoint(org, at)
  // Neither with a position nor without one does it hold figures back.
  expect((await findAsOf(world.app, org)).getTime()).toBeGreaterThan(at.getTime())
  await world.relay()
  expect((await findAsOf(world.app, org)).getTime()).toBeGreaterThan(at.getTime())
  await countAll()
  expect(await rebuildDay(world.system, yesterday)).toMatchObject({ kind: 'rebuilt' })
  expect(await dump(org)).toEqual(before)
})

test('a day whose runs are deleted keeps its figures', async () => {
  const org = await world.newOrg()
  await plant(org, yesterday, 20)
  await countAll()
  const before = await dump(org)
  await world.sql('delete from runs where org_id = $1 and id = (select id from runs where org_id = $1 limit 1)', [org])
  expect(await rebuildDay(world.system, yesterday)).toEqual({ kind: 'not kept', missing: 1 })
  expect(await dump(org)).toEqual(before)
})
