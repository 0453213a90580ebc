import { toUuid } from '@ars/platform/id'
import { expect, test } from 'vitest'
import { scheduleSweepWorld } from '../../test/schedule-sweep-world.ts'

const world = scheduleSweepWorld()
const { newId, at, lookAt, add, outcomesOf } = world

const refused = (code: string, retryAfterSeconds?: number) => ({ kind: 'refused' as const, code, retryAfterSeconds })

test('1,000 dates of one second start within the limits of the plan and delay no other organisation', async () => {
  const most = 50
  world.targets.durationMs = 2_500
  let greatest = 0
  const active = () =>
    [...world.targets.started.values()].filter(({ endsAt }) => endsAt && endsAt > world.targets.now).length
  world.targets.refuse = () => (active() < most ? null : refused('concurrency_exceeded', 1))
  const dates = Array.from({ length: 1_000 }, () => ({
    id: toUuid(newId('sch')),
    org: world.org,
    from: at(0),
    once_at: at(60),
  }))
  await world.planted.addSchedules(dates)
  const other = await add({ interval_seconds: null, once_at: at(60) }, await world.planted.newOrg())
  let second = 60
  for (let before = -1; world.targets.started.size < 1_001 && second < 360; second += 0.5) {
    await lookAt(second)
    greatest = Math.max(greatest, active())
    if (before < 0) expect(await outcomesOf(other)).toEqual([['60', 'started', null]])
    before = world.targets.started.size
  }
  expect(world.targets.started.size).toBe(1_001)
  expect(greatest).toBeLessThanOrEqual(most)
  const [counts] = await world.planted.sql(
    `select count(*)::integer as firings, count(*) filter (where status = 'started')::integer as started from schedule_firings`,
  )
  expect(counts).toEqual({ firings: 1_001, started: 1_001 })
  console.log(`1,000 dates of one second, ${most} at once for 2.5 s each: ${second - 60} s`)
})
