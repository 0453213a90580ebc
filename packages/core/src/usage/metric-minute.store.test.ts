import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUsageWorld, type UsageWorld } from '../../test/usage-world.ts'
import {
  type AskedMinutes,
  addCounts,
  type Histogram,
  listManyMinutes,
  listMinutes,
  type MetricMinute,
  quantile,
  sizeOf,
} from './index.ts'
import { countEnds } from './rollup.store.ts'

const newId = createIdMaker(systemClock)
const uuid = () => toUuid(newId('ag'))
let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld()
})
afterAll(() => world.close())

test('the minutes of several organisations and agents are read at once, each with its own figures', async () => {
  const [org, other, agent, second] = [await world.newOrg(), await world.newOrg(), uuid(), uuid()]
  const now = systemClock.now().getTime()
  const at = (minutes: number) => new Date(now - minutes * 60_000)
  await world.endRuns(org, [
    { agent, finishedAt: at(3), latencyMs: 1_000, tokens: [2, 1] },
    { agent, finishedAt: at(2), status: 'failed', errorCode: 'timeout' },
    { agent: second, finishedAt: at(2), latencyMs: 9_000 },
  ])
  await world.endRuns(other, [{ agent, finishedAt: at(2), status: 'cancelled' }])
  await world.relay()
  while ((await countEnds(world.system)) ?? 0);
  const window: Omit<AskedMinutes, 'agentId'> = { from: at(10), to: at(0) }
  const [whole = [], one = [], foreign = []] = await listManyMinutes(world.system, [
    { org, agentId: null, ...window },
    { org, agentId: second, ...window },
    { org: other, agentId: null, ...window },
  ])
  expect(whole).toHaveLength(2)
  expect(whole[0]).toMatchObject({ completed: 1, failed: 0, tokens: 3 } satisfies Partial<MetricMinute>)
  expect(whole[1]).toMatchObject({ completed: 1, failed: 1, errors: { timeout: 1 } })
  const latency: Histogram = addCounts(whole.map((minute) => minute.latency))
  expect(sizeOf(latency)).toBe(3)
  expect(Math.abs((quantile(latency, 1) ?? 0) - 9_000)).toBeLessThanOrEqual(90)
  expect(one).toMatchObject([{ completed: 1, failed: 0 }])
  expect(foreign).toMatchObject([{ completed: 0, cancelled: 1 }])
  expect(await listMinutes(world.app, org, { agentId: null, from: at(2.5), to: at(0) })).toEqual(
    whole.filter(({ minute }) => minute >= at(2.5)),
  )
})
