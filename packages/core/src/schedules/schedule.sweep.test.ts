import type { EventType } from '@ars/contract'
import { toUuid } from '@ars/platform/id'
import { openTurn, workDue } from '@ars/platform/work/due-work.fixture'
import { usualBounds } from '@ars/platform/work/queue'
import { expect, test } from 'vitest'
import { deleteOldRows } from '../../test/delete-old-rows.ts'
import { scheduleSweepWorld } from '../../test/schedule-sweep-world.ts'
import type { EventBatch } from '../events/index.ts'
import { schedulesBounds } from './bounds.ts'
import { endFirings, wakeFirings } from './due-firing.store.ts'
import { readScheduleLag } from './due-schedule.store.ts'
import { skipWaiting } from './firing.store.ts'
import { decideFiring, decideRefusal, queueLookAfter } from './firing.ts'
import { createFiringQueue } from './firing-start.service.ts'
import { scheduleDateSweep } from './schedule.sweep.ts'

const world = scheduleSweepWorld()
const { deps, newId, at, moveTo, look, lookAt, add, firingsOf, outcomesOf, scheduleOf } = world

test('a date starts its target once, and the schedule is due at the next one', async () => {
  const id = await add({})
  await lookAt(59, 60, 60, 61, 119)
  const [firing, ...others] = await firingsOf(id)
  expect(others).toEqual([])
  expect(firing).toMatchObject({ date: at(60), status: 'started', missed_from: null })
  expect([...world.targets.started.values()].map((run) => run.id)).toEqual([firing?.run_id])
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
  world.targets.durationMs = 90_000
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
  world.targets.durationMs = null
  const id = await add({ overlap: 'queue' })
  await lookAt(...Array.from({ length: 12 }, (_, index) => 60 * (index + 1)))
  const statuses = async () => (await firingsOf(id)).map(({ status }) => status)
  expect(await statuses()).toEqual(['started', ...Array.from({ length: 10 }, () => 'queued'), 'skipped'])
  await world.planted.sql('update schedules set due_at = null where id = $1', [id])
  for (let second = 730; second < 1_000; second += 10) {
    for (const key of world.targets.started.keys()) world.targets.end(key)
    await lookAt(second)
  }
  expect(await statuses()).toEqual([...Array.from({ length: 11 }, () => 'started'), 'skipped'])
  expect([...world.targets.started.keys()]).toEqual([...world.targets.started.keys()].toSorted())
})

test('queued firings behind the first need no look, and the next one follows when the first one fails or starts (schedulesBounds.queueLook, schedulesBounds.queueLookBehind)', async () => {
  world.targets.durationMs = null
  const id = await add({ overlap: 'queue' })
  await lookAt(60, 120, 180, 240)
  await world.planted.sql('update schedules set due_at = null where id = $1', [id])
  const claims = async () =>
    (
      await world.planted.sql<{ claim: number }>(
        'select claim from schedule_firings where schedule_id = $1 order by number',
        [id],
      )
    ).map(({ claim }) => claim)
  const before = await claims()
  for (let second = 250; second < 550; second += 10) await lookAt(second)
  const [, first = 0, ...behind] = (await claims()).map((claim, at) => claim - (before[at] ?? 0))
  expect(first).toBeGreaterThan(10)
  expect(behind).toEqual([0, 0])
  // The first one of the queue fails: nothing ends that would wake the next.
  world.targets.refuse = () => ({ kind: 'refused', code: 'input_invalid' })
  for (const key of world.targets.started.keys()) world.targets.end(key)
  await lookAt(550, 580, 590)
  world.targets.refuse = null
  await lookAt(600)
  expect((await outcomesOf(id)).slice(0, 4)).toEqual([
    ['60', 'started', null],
    ['120', 'failed', 'input_invalid'],
    ['180', 'failed', 'input_invalid'],
    ['240', 'failed', 'input_invalid'],
  ])
})

/** Ends every run that a firing has started, and answers the events of their ends as the relay reads them. */
const endRuns = async (id: string, type: EventType = 'run.completed') => {
  for (const key of world.targets.started.keys()) world.targets.end(key)
  const started = (await firingsOf(id)).filter(({ status }) => status === 'started')
  const ids: string[] = []
  for (const { run_id, pipeline_run_id } of started) {
    const event = toUuid(newId('evt'))
    await world.planted.sql('insert into events (id, org_id, type, subject_id) values ($1, $2, $3, $4)', [
      event,
      world.org,
      type,
      run_id ?? pipeline_run_id,
    ])
    ids.push(event)
  }
  return { ids, firstId: ids[0] as string, lastId: ids.at(-1) as string }
}
const wake = (events: EventBatch) => world.planted.system.transaction(null, (tx) => wakeFirings(tx, events))
const statusesOf = async (id: string) => (await firingsOf(id)).map(({ status }) => status)
const startDue = () => workDue(createFiringQueue(deps()))

test.for<EventType>(['run.completed', 'run.failed', 'run.cancelled', 'pipeline.completed'])(
  'the event %s starts the next queued firing before its pause is over',
  async (type) => {
    world.targets.durationMs = null
    const id = await add({ overlap: 'queue' })
    await lookAt(60, 120, 180)
    if (type === 'pipeline.completed')
      await world.planted.sql(
        `update schedule_firings set run_id = null, pipeline_run_id = run_id where schedule_id = $1 and status = 'started'`,
        [id],
      )
    await startDue()
    expect(await statusesOf(id)).toEqual(['started', 'queued', 'queued'])
    const events = await endRuns(id, type)
    expect(await wake(events)).toBe(1)
    await startDue()
    expect(await statusesOf(id)).toEqual(['started', 'started', 'queued'])
    // The end that was told is stored: telling it again wakes nobody.
    expect(await wake(events)).toBe(0)
  },
)

test('a queued firing whose event was lost starts after its pause', async () => {
  world.targets.durationMs = null
  const id = await add({ overlap: 'queue' })
  await lookAt(60, 120)
  await endRuns(id)
  await moveTo(120 + schedulesBounds.queueLook.seconds - 1)
  await startDue()
  expect(await statusesOf(id)).toEqual(['started', 'queued'])
  await moveTo(120 + schedulesBounds.queueLook.seconds)
  await startDue()
  expect(await statusesOf(id)).toEqual(['started', 'started'])
})

test.for(['due', 'queued'])('a run that ends while a worker puts off a firing that is %s wakes it', async (status) => {
  world.targets.durationMs = null
  const id = await add({ overlap: 'queue' })
  await lookAt(60, ...(status === 'queued' ? [120, 130] : []))
  if (status === 'due') await moveTo(120)
  await scheduleDateSweep({ ...world.planted, newId }).run()
  await world.planted.sql(
    `update schedule_firings set due_at = app_now() where schedule_id = $1 and status <> 'started'`,
    [id],
  )
  let woken = 0
  const statesOf: typeof world.targets.statesOf = async (org, started) => {
    const states = await world.targets.statesOf(org, started)
    if (woken === 0) woken = await wake(await endRuns(id))
    return states
  }
  await workDue(createFiringQueue({ ...deps(), statesOf }))
  expect([woken, await statusesOf(id)]).toEqual([1, ['started', 'started']])
})

test('the end of a run that no firing has started wakes nothing, nor does the end of the runs of others', async () => {
  world.targets.durationMs = null
  const [id, other] = [await add({ overlap: 'queue' }), await add({ overlap: 'queue' })]
  await lookAt(60, 120)
  expect(await wake(await endRuns(id))).toBe(1)
  expect(await wake({ ids: [id], firstId: id, lastId: id })).toBe(0)
  await startDue()
  expect([await statusesOf(id), await statusesOf(other)]).toEqual([
    ['started', 'started'],
    ['started', 'queued'],
  ])
})

test('overlap allow: every date starts', async () => {
  world.targets.durationMs = null
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
  Object.assign(world.targets, lost)
  await lookAt(120, 180, 240)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'started', null],
    ['120', 'failed', code],
  ])
  expect(await scheduleOf(id)).toMatchObject({ status: 'paused', pause_code: reason, due_at: null, paused_at: at(120) })
  expect(world.paused).toEqual([expect.stringContaining(reason)])
  const entries = await world.planted.sql<{ action: string; actor_type: string }>(
    'select action, actor_type from audit_log where org_id = $1',
    [world.org],
  )
  expect(entries).toEqual([{ action: 'schedule.paused', actor_type: 'service' }])
})

test.for([
  ['creator', 'update schedules set created_by = gen_random_uuid() where id = $1'],
  ['target', 'update schedules set agent_id = gen_random_uuid() where id = $1'],
] as const)('a schedule that gets another %s while the old one is refused goes on', async ([, change]) => {
  const id = await add({ overlap: 'allow' })
  const { start } = world.targets
  world.targets.start = async () => {
    await world.planted.sql(change, [id])
    return refused('forbidden')
  }
  await lookAt(60)
  world.targets.start = start
  await lookAt(120)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'failed', 'forbidden'],
    ['120', 'started', null],
  ])
  expect(await scheduleOf(id)).toMatchObject({ status: 'active', pause_code: null })
  expect(world.paused).toEqual([])
})

test('a run that starts while its schedule is paused is recorded with its firing', async () => {
  const id = await add({})
  const { start } = world.targets
  world.targets.start = async (...asked) => {
    const skipped = { scheduleId: id, code: 'schedule_paused', except: null } as const
    await world.planted.app.transaction(world.org, (tx) => skipWaiting(tx, world.org, skipped))
    return start(...asked)
  }
  await lookAt(60)
  world.targets.start = start
  const [run] = world.targets.started.values()
  expect(await firingsOf(id)).toMatchObject([{ status: 'started', code: null, run_id: run?.id }])
})

const refused = (code: string, retryAfterSeconds?: number) => ({ kind: 'refused' as const, code, retryAfterSeconds })

test('a refusal that passes is tried again for five minutes, any other one fails the firing (schedulesBounds.startWithin, schedulesBounds.retryPause)', async () => {
  const id = await add({ interval_seconds: 3_600 })
  world.targets.refuse = () => refused('concurrency_exceeded', 10)
  await lookAt(3_600, 3_609)
  expect(await outcomesOf(id)).toEqual([['3600', 'due', 'concurrency_exceeded']])
  world.targets.refuse = null
  await lookAt(3_610)
  expect(await outcomesOf(id)).toEqual([['3600', 'started', null]])
  world.targets.refuse = () => refused('rate_limited', 100)
  await lookAt(7_200, 7_260, 7_320, 7_380, 7_440, 7_499)
  expect((await outcomesOf(id))[1]).toEqual(['7200', 'due', 'rate_limited'])
  await lookAt(7_500)
  expect((await outcomesOf(id))[1]).toEqual(['7200', 'failed', 'rate_limited'])
  world.targets.refuse = () => refused('quota_exceeded')
  await lookAt(10_800)
  expect((await outcomesOf(id))[2]).toEqual(['10800', 'failed', 'quota_exceeded'])
})

test('a worker that dies between start and store does not start twice', async () => {
  const id = await add({ interval_seconds: 3_600 })
  const { start } = world.targets
  world.targets.start = async (...asked) => {
    await start(...asked)
    throw new Error('died')
  }
  await lookAt(3_600)
  world.targets.start = start
  await lookAt(3_601, 3_600 + schedulesBounds.firingLease.seconds)
  expect(await outcomesOf(id)).toEqual([['3600', 'started', null]])
  expect(world.targets.started.size).toBe(1)
})

test('a firing whose attempt nobody remembers is not started again (schedulesBounds.repeat)', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  const { start } = world.targets
  world.targets.start = async (...asked) => {
    await start(...asked)
    throw new Error('died')
  }
  await lookAt(60)
  world.targets.start = start
  await lookAt(90_000)
  expect(await outcomesOf(id)).toEqual([['60', 'failed', 'outcome_unknown']])
  expect(world.targets.started.size).toBe(1)
})

test('a firing that cannot be started is given up (schedulesBounds.firingTries)', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  const { start } = world.targets
  world.targets.start = async () => {
    throw new Error('our bug')
  }
  for (let attempt = 0; attempt < usualBounds.maxTries; attempt++) await lookAt(60 + attempt * 30)
  expect(await outcomesOf(id)).toEqual([['60', 'failed', 'internal_error']])
  world.targets.start = start
})

test('at its budget a schedule skips, until the month is over', async () => {
  world.targets.costUsd = 0.6
  const id = await add({ monthly_budget_usd: 1 })
  await lookAt(60, 75, 120, 135, 180)
  expect(await outcomesOf(id)).toEqual([
    ['60', 'started', null],
    ['120', 'started', null],
    ['180', 'skipped', 'budget_exhausted'],
  ])
  expect((await scheduleOf(id)).spent_usd).toBe(1.2)
  await world.planted.sql(`update schedules set spent_month = spent_month - interval '1 month' where id = $1`, [id])
  await lookAt(240, 255, 300)
  expect((await scheduleOf(id)).spent_usd).toBe(0.6)
  expect((await outcomesOf(id)).slice(3)).toEqual([
    ['240', 'started', null],
    ['300', 'started', null],
  ])
})

test('the cost of a run counts once, also if two workers notice its end', async () => {
  const id = await add({})
  await lookAt(60)
  const [firing] = await firingsOf(id)
  const ended = [{ id: firing?.id ?? '', costUsd: 0.25 }]
  await endFirings(world.planted.app, world.org, ended)
  await endFirings(world.planted.app, world.org, ended)
  expect((await scheduleOf(id)).spent_usd).toBe(0.25)
})

test('the last 1,000 firings of a schedule are kept, and those whose run has not ended (scheduleLimits.keptFirings)', async () => {
  const id = await add({ overlap: 'skip' })
  await world.planted.sql(
    `insert into schedule_firings (id, org_id, schedule_id, number, kind, date, status, code, run_id, started_at, due_at, ended_at)
     select gen_random_uuid(), $1, $2, n, 'date', app_now() - n * interval '1 second', case when n = 1 then 'started' else 'skipped' end,
            case when n > 1 then 'overlap' end, case when n = 1 then $2::uuid end, case when n = 1 then app_now() end,
            case when n = 1 then app_now() + interval '1 day' end, case when n > 1 then app_now() end
       from generate_series(1, 1000) as n`,
    [world.org, id],
  )
  await world.planted.sql('update schedules set firings = 1000 where id = $1', [id])
  world.targets.durationMs = null
  await lookAt(60, 120)
  const numbers = (await firingsOf(id)).map(({ number }) => number)
  expect(numbers).toHaveLength(1_001)
  expect(numbers.slice(0, 2)).toEqual([1, 3])
})

test('firings are deleted after 90 days, and archived schedules with their last firing (scheduleLimits.firingDays)', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  await lookAt(60, 75)
  await world.planted.sql('update schedules set archived_at = app_now() where id = $1', [id])
  const daySeconds = 86_400
  await moveTo(90 * daySeconds)
  await deleteOldRows(world.planted.system)
  expect(await firingsOf(id)).toHaveLength(1)
  await moveTo(91 * daySeconds)
  await deleteOldRows(world.planted.system)
  expect(await firingsOf(id)).toEqual([])
  expect(await scheduleOf(id)).toBeUndefined()
})

test('an archived schedule is kept as long as a firing of it, which may end later', async () => {
  const id = await add({ interval_seconds: null, once_at: at(60) })
  await lookAt(60, 75)
  const daySeconds = 86_400
  await world.planted.sql('update schedules set archived_at = app_now() where id = $1', [id])
  await world.planted.sql('update schedule_firings set ended_at = $2 where schedule_id = $1', [id, at(2 * daySeconds)])
  await moveTo(91 * daySeconds)
  await deleteOldRows(world.planted.system)
  expect(await scheduleOf(id)).toBeDefined()
  expect(await firingsOf(id)).toHaveLength(1)
  await moveTo(93 * daySeconds)
  await deleteOldRows(world.planted.system)
  expect(await scheduleOf(id)).toBeUndefined()
  expect(await firingsOf(id)).toEqual([])
})

test('the lag is the age of the oldest schedule or firing that is due', async () => {
  const id = await add({})
  await moveTo(75)
  expect(await readScheduleLag(world.planted.system)).toBe(15)
  await scheduleDateSweep({ ...world.planted, newId }).run()
  await moveTo(80)
  expect(await readScheduleLag(world.planted.system)).toBe(5)
  await look()
  expect(await outcomesOf(id)).toEqual([['60', 'started', null]])
  expect(await readScheduleLag(world.planted.system)).toBe(0)
})

test('outcomes of firings are counted, each once', async () => {
  const outcomes: string[] = []
  const counted = () => workDue(createFiringQueue({ ...deps(), onFired: (outcome) => void outcomes.push(outcome) }))
  world.targets.durationMs = null
  await add({ overlap: 'skip' })
  for (const second of [60, 120]) {
    await moveTo(second)
    await scheduleDateSweep({ ...world.planted, newId }).run()
    await counted()
    await counted()
  }
  expect(outcomes).toEqual(['started', 'skipped'])
})

test('a run of a firing that takes long is asked about at the latest after schedulesBounds.endLook', async () => {
  world.targets.durationMs = null
  const id = await add({})
  await lookAt(60)
  await world.planted.sql('update schedules set due_at = null where id = $1', [id])
  await lookAt(86_400)
  const [firing] = await firingsOf(id)
  expect(firing).toMatchObject({ status: 'started', due_at: at(86_400 + schedulesBounds.endLook.seconds) })
})

test('an organisation whose firing was refused starts none for schedulesBounds.rest at most', async () => {
  world.targets.refuse = () => ({ kind: 'refused', code: 'rate_limited', retryAfterSeconds: 50 })
  await add({})
  await moveTo(60)
  await scheduleDateSweep({ ...world.planted, newId }).run()
  const queue = createFiringQueue(deps())
  const { items } = await queue.claim({ count: 1, heavyCount: 1, perOrg: 1, uses: [], leaseSeconds: 30 })
  const outcomes = await Promise.all(items.map((item) => queue.work(item, openTurn())))
  expect(outcomes).toEqual([{ kind: 'done', restMs: 1_000 * schedulesBounds.rest.seconds }])
})

test('a firing that has waited long looks less often (schedulesBounds.queueLookLate)', () => {
  expect([0, 100, 400, 1_200, 86_400].map(queueLookAfter)).toEqual([10, 10, 20, 60, 60])
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
