import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeTargets, fakeTargets, openScheduleWorld, type ScheduleWorld } from '../../test/schedule-world.ts'
import { readScheduleLag } from './due-schedule.store.ts'
import { decideFiring, decideRefusal, firingLimits } from './firing.ts'
import type { FiringDeps } from './firing-start.service.ts'
import { oldScheduleSweep, scheduleDateSweep, scheduleEndSweep, scheduleFiringSweep } from './schedule.sweep.ts'
import type { FiringRow, ScheduleContent, ScheduleRow } from './schedule.ts'

const newId = createIdMaker(systemClock)
// Today, because entries of the audit log need a partition.
const noon = new Date(Math.floor(systemClock.now().getTime() / 86_400_000) * 86_400_000 + 43_200_000)
const at = (seconds: number): Date => new Date(noon.getTime() + 1_000 * seconds)

let world: ScheduleWorld
let org: string
let targets: FakeTargets
let paused: string[]
beforeAll(async () => {
  world = await openScheduleWorld(noon)
})
afterAll(() => world.close())
beforeEach(async () => {
  // Schedules of other tests are not due.
  await world.sql('update schedules set due_at = null')
  await world.sql('delete from schedule_firings')
  org = await world.newOrg()
  targets = fakeTargets(noon)
  paused = []
  await moveTo(0)
})

const deps = (): FiringDeps => ({
  ...world,
  ...targets,
  newId,
  onPaused: async (_tx, _org, { id, pause_reason }) => {
    paused.push(`${id} ${pause_reason}`)
  },
})
const moveTo = async (seconds: number): Promise<void> => {
  targets.now = at(seconds)
  await world.setTime(at(seconds))
}
const look = async (): Promise<void> => {
  await scheduleDateSweep({ ...world, newId }).run()
  await scheduleFiringSweep(deps()).run()
  await scheduleEndSweep(deps()).run()
}
/** Looks at each of these seconds. */
const lookAt = async (...seconds: number[]): Promise<void> => {
  for (const second of seconds) {
    await moveTo(second)
    await look()
  }
}
const add = async (content: Partial<ScheduleContent>, inOrg = org): Promise<string> => {
  const id = toUuid(newId('sch'))
  await world.addSchedules([{ id, org: inOrg, from: at(0), interval_seconds: 60, ...content }])
  return id
}
type Row = FiringRow & { due_at: Date | null; number: number }
const firingsOf = (id: string): Promise<Row[]> =>
  world.sql<Row>(
    `select id, schedule_id, kind, date, missed_from, status, code, run_id, pipeline_run_id, due_at, number, created_at, started_at, ended_at
       from schedule_firings where schedule_id = $1 order by number`,
    [id],
  )
const outcomesOf = async (id: string): Promise<(string | null)[][]> =>
  (await firingsOf(id)).map(({ date, status, code }) => [
    String((date.getTime() - noon.getTime()) / 1_000),
    status,
    code,
  ])
const scheduleOf = async (id: string): Promise<ScheduleRow> =>
  (
    await world.sql<ScheduleRow>(
      'select status, pause_code, paused_at, due_at, spent_usd::float8 as spent_usd from schedules where id = $1',
      [id],
    )
  )[0] as ScheduleRow

test('a date starts its target once, and the schedule is due at the next one', async () => {
  const id = await add({})
  await lookAt(59, 60, 60, 61, 119)
  const [firing, ...others] = await firingsOf(id)
  expect(others).toEqual([])
  expect(firing).toMatchObject({ date: at(60), status: 'started', missed_from: null })
  expect([...targets.started.values()].map((run) => run.id)).toEqual([firing?.run_id])
  expect((await scheduleOf(id)).due_at).toEqual(at(120))
})

test('dates that were missed are skipped in one row, or the last of them fires for all', async () => {
  const skipping = await add({ missed: 'skip' })
  const once = await add({ missed: 'once' })
  await lookAt(3_600)
  const onTime = [3_300, 3_360, 3_420, 3_480, 3_540, 3_600].map((second) => [String(second), 'started', null])
  expect(await outcomesOf(skipping)).toEqual([['3240', 'skipped', 'missed'], ...onTime])
  expect(await outcomesOf(once)).toEqual([['3240', 'started', null], ...onTime])
  for (const id of [skipping, once])
    expect((await firingsOf(id)).map(({ missed_from }) => missed_from)).toEqual([at(60), ...onTime.map(() => null)])
})

test('a schedule with one date ends after it', async () => {
  const id = await add({ interval_seconds: null, once_at: at(90) })
  await lookAt(60, 95, 3_600)
  expect(await outcomesOf(id)).toEqual([['90', 'started', null]])
  expect(await scheduleOf(id)).toMatchObject({ status: 'active', due_at: null })
})

test('overlap skip: a date is skipped while the run before it is active', async () => {
  targets.durationMs = 90_000
  const id = await add({ overlap: 'skip' })
  await lookAt(60, 120, 180, 240)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'started', null],
    ['120', 'skipped', 'overlap'],
    ['180', 'started', null],
    ['240', 'skipped', 'overlap'],
  ])
})

test('overlap queue: dates wait in their order, at most ten, and start when the run before them has ended', async () => {
  targets.durationMs = null
  const id = await add({ overlap: 'queue' })
  await lookAt(...Array.from({ length: 12 }, (_, index) => 60 * (index + 1)))
  const statuses = async () => (await firingsOf(id)).map(({ status }) => status)
  expect(await statuses()).toEqual(['started', ...Array.from({ length: 10 }, () => 'queued'), 'skipped'])
  await world.sql('update schedules set due_at = null where id = $1', [id])
  for (let second = 730; second < 1_000; second += 10) {
    for (const key of targets.started.keys()) targets.end(key)
    await lookAt(second)
  }
  expect(await statuses()).toEqual([...Array.from({ length: 11 }, () => 'started'), 'skipped'])
  expect([...targets.started.keys()]).toEqual([...targets.started.keys()].toSorted())
})

test('overlap allow: every date starts', async () => {
  targets.durationMs = null
  const id = await add({ overlap: 'allow' })
  await lookAt(60, 120, 180)
  expect((await firingsOf(id)).map(({ status }) => status)).toEqual(['started', 'started', 'started'])
})

test.for([
  ['the creator is gone', { isGone: true }, 'creator_gone', 'unauthorized'],
  ['the creator lost the scope', { scopes: new Set(['schedules:write']) }, 'forbidden', 'forbidden'],
  ['the agent is archived', { refuse: () => refused('agent_archived') }, 'target_not_available', 'agent_archived'],
  ['the key was narrowed', { refuse: () => refused('forbidden') }, 'forbidden', 'forbidden'],
] as const)('the schedule is paused when %s', async ([, lost, reason, code]) => {
  const id = await add({})
  await lookAt(60)
  Object.assign(targets, lost)
  await lookAt(120, 180, 240)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'started', null],
    ['120', 'failed', code],
  ])
  expect(await scheduleOf(id)).toMatchObject({ status: 'paused', pause_code: reason, due_at: null, paused_at: at(120) })
  expect(paused).toEqual([expect.stringContaining(reason)])
  const entries = await world.sql<{ action: string; actor_type: string }>(
    'select action, actor_type from audit_log where org_id = $1',
    [org],
  )
  expect(entries).toEqual([{ action: 'schedule.paused', actor_type: 'service' }])
})

const refused = (code: string, retryAfterSeconds?: number) => ({ kind: 'refused' as const, code, retryAfterSeconds })

test('a refusal that passes is tried again for five minutes, any other one fails the firing', async () => {
  const id = await add({ interval_seconds: 3_600 })
  targets.refuse = () => refused('concurrency_exceeded', 10)
  await lookAt(3_600, 3_609)
  expect(await outcomesOf(id)).toEqual([['3600', 'due', 'concurrency_exceeded']])
  targets.refuse = null
  await lookAt(3_610)
  expect(await outcomesOf(id)).toEqual([['3600', 'started', null]])
  targets.refuse = () => refused('rate_limited', 100)
  await lookAt(7_200, 7_260, 7_320, 7_380, 7_440, 7_499)
  expect((await outcomesOf(id))[1]).toEqual(['7200', 'due', 'rate_limited'])
  await lookAt(7_500)
  expect((await outcomesOf(id))[1]).toEqual(['7200', 'failed', 'rate_limited'])
  targets.refuse = () => refused('quota_exceeded')
  await lookAt(10_800)
  expect((await outcomesOf(id))[2]).toEqual(['10800', 'failed', 'quota_exceeded'])
})

test('a worker that dies between start and store does not start twice', async () => {
  const id = await add({ interval_seconds: 3_600 })
  const { start } = targets
  targets.start = async (...asked) => {
    await start(...asked)
    throw new Error('died')
  }
  await lookAt(3_600)
  targets.start = start
  await lookAt(3_601, 3_600 + firingLimits.leaseSeconds)
  expect(await outcomesOf(id)).toEqual([['3600', 'started', null]])
  expect(targets.started.size).toBe(1)
})

test('a firing whose attempt nobody remembers is not started again', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  const { start } = targets
  targets.start = async (...asked) => {
    await start(...asked)
    throw new Error('died')
  }
  await lookAt(60)
  targets.start = start
  await lookAt(90_000)
  expect(await outcomesOf(id)).toEqual([['60', 'failed', 'outcome_unknown']])
  expect(targets.started.size).toBe(1)
})

test('a firing that cannot be started is given up', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  const { start } = targets
  targets.start = async () => {
    throw new Error('our bug')
  }
  for (let attempt = 0; attempt <= firingLimits.maxAttempts; attempt++)
    await lookAt(60 + attempt * firingLimits.leaseSeconds)
  expect(await outcomesOf(id)).toEqual([['60', 'failed', 'internal_error']])
  targets.start = start
})

test('at its budget a schedule skips, until the month is over', async () => {
  targets.costUsd = 0.6
  const id = await add({ monthly_budget_usd: 1 })
  await lookAt(60, 75, 120, 135, 180)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'started', null],
    ['120', 'started', null],
    ['180', 'skipped', 'budget_exhausted'],
  ])
  expect((await scheduleOf(id)).spent_usd).toBe(1.2)
  await world.sql(`update schedules set spent_month = spent_month - interval '1 month' where id = $1`, [id])
  await lookAt(240)
  expect((await outcomesOf(id))[3]).toEqual(['240', 'started', null])
})

test('the last 1,000 firings of a schedule are kept, and those whose run has not ended', async () => {
  const id = await add({ overlap: 'skip' })
  await world.sql(
    `insert into schedule_firings (id, org_id, schedule_id, number, kind, date, status, code, run_id, started_at, due_at, ended_at)
     select gen_random_uuid(), $1, $2, n, 'date', app_now() - n * interval '1 second', case when n = 1 then 'started' else 'skipped' end,
            case when n > 1 then 'overlap' end, case when n = 1 then $2::uuid end, case when n = 1 then app_now() end,
            case when n = 1 then app_now() + interval '1 day' end, case when n > 1 then app_now() end
       from generate_series(1, 1000) as n`,
    [org, id],
  )
  await world.sql('update schedules set firings = 1000 where id = $1', [id])
  targets.durationMs = null
  await lookAt(60, 120)
  const numbers = (await firingsOf(id)).map(({ number }) => number)
  expect(numbers).toHaveLength(1_001)
  expect(numbers.slice(0, 2)).toEqual([1, 3])
})

test('1,000 dates of one second start within the limits of the plan and delay no other organisation', async () => {
  const most = 50
  targets.durationMs = 2_500
  let greatest = 0
  const active = () => [...targets.started.values()].filter(({ endsAt }) => endsAt && endsAt > targets.now).length
  targets.refuse = () => (active() < most ? null : refused('concurrency_exceeded', 1))
  const dates = Array.from({ length: 1_000 }, () => ({
    id: toUuid(newId('sch')),
    org,
    from: at(0),
    once_at: at(60),
  }))
  await world.addSchedules(dates)
  const other = await add({ interval_seconds: null, once_at: at(60) }, await world.newOrg())
  let second = 60
  for (let before = -1; targets.started.size < 1_001 && second < 360; second += 0.5) {
    await lookAt(second)
    greatest = Math.max(greatest, active())
    expect(targets.started.size - Math.max(before, 0)).toBeLessThanOrEqual(2 * firingLimits.firingsPerOrganisation)
    if (before < 0) expect(await outcomesOf(other)).toEqual([['60', 'started', null]])
    before = targets.started.size
  }
  expect(targets.started.size).toBe(1_001)
  expect(greatest).toBeLessThanOrEqual(most)
  const [counts] = await world.sql(
    `select count(*)::integer as firings, count(*) filter (where status = 'started')::integer as started from schedule_firings`,
  )
  expect(counts).toEqual({ firings: 1_001, started: 1_001 })
  console.log(`1,000 dates of one second, ${most} at once for 2.5 s each: ${second - 60} s`)
})

test('firings are deleted after 90 days, and archived schedules with their last firing', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  await lookAt(60, 75)
  await world.sql('update schedules set archived_at = app_now() where id = $1', [id])
  const daySeconds = 86_400
  await moveTo(90 * daySeconds)
  await oldScheduleSweep(world).run()
  expect(await firingsOf(id)).toHaveLength(1)
  await moveTo(91 * daySeconds)
  await oldScheduleSweep(world).run()
  expect(await firingsOf(id)).toEqual([])
  expect(await scheduleOf(id)).toBeUndefined()
})

test('the lag is the age of the oldest schedule or firing that is due', async () => {
  const id = await add({})
  await moveTo(75)
  expect(await readScheduleLag(world.system)).toBe(15)
  await scheduleDateSweep({ ...world, newId }).run()
  await moveTo(80)
  expect(await readScheduleLag(world.system)).toBe(5)
  await look()
  expect(await outcomesOf(id)).toEqual([['60', 'started', null]])
  expect(await readScheduleLag(world.system)).toBe(0)
})

test('outcomes of firings are counted, each once', async () => {
  const outcomes: string[] = []
  const counted = () => scheduleFiringSweep({ ...deps(), onFired: (outcome) => void outcomes.push(outcome) }).run()
  targets.durationMs = null
  await add({ overlap: 'skip' })
  for (const second of [60, 120]) {
    await moveTo(second)
    await scheduleDateSweep({ ...world, newId }).run()
    await counted()
    await counted()
  }
  expect(outcomes).toEqual(['started', 'skipped'])
})

test('what a firing decides', () => {
  const facts = {
    overlap: 'skip',
    earlierDue: 0,
    earlierQueued: 0,
    active: 0,
    monthlyBudgetUsd: null,
    spentUsd: 5,
  } as const
  expect(decideFiring(facts)).toEqual({ kind: 'start' })
  expect(decideFiring({ ...facts, earlierDue: 1 })).toEqual({ kind: 'skip', code: 'overlap' })
  expect(decideFiring({ ...facts, overlap: 'queue', earlierDue: 1 })).toEqual({ kind: 'queue' })
  expect(decideFiring({ ...facts, overlap: 'allow', active: 9, monthlyBudgetUsd: 6 })).toEqual({ kind: 'start' })
  expect(decideFiring({ ...facts, monthlyBudgetUsd: 5 })).toEqual({ kind: 'skip', code: 'budget_exhausted' })
})

test('what a refusal means', () => {
  const when = { now: at(0), startBy: at(30) }
  expect(decideRefusal({ code: 'unavailable' }, when)).toEqual({ kind: 'again', afterSeconds: 5 })
  expect(decideRefusal({ code: 'rate_limited', retryAfterSeconds: 50 }, when)).toEqual({
    kind: 'again',
    afterSeconds: 30,
  })
  expect(decideRefusal({ code: 'rate_limited' }, { ...when, now: at(30) })).toEqual({ kind: 'fail' })
  expect(decideRefusal({ code: 'input_invalid' }, when)).toEqual({ kind: 'fail' })
  expect(decideRefusal({ code: 'not_found' }, when)).toEqual({ kind: 'pause', reason: 'target_not_available' })
})
