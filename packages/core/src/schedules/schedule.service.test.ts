import { type CreateSchedule, contract, scheduleLimits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { testRequest } from '@ars/testkit/caller'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fakeTargets, openScheduleWorld, type ScheduleWorld } from '../../test/schedule-world.ts'
import { unguardedTexts } from '../../test/unguarded-texts.ts'
import { type AllowedAgents, allowedAmong } from '../agent-access.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createFiringQueue } from './firing-start.service.ts'
import { createSchedules, type ScheduleTarget, scheduleApi, scheduleReplays } from './index.ts'
import { scheduleDateSweep } from './schedule.sweep.ts'
import { firingShare } from './schedule.ts'

const newId = createIdMaker(systemClock)
const noon = new Date(Math.floor(systemClock.now().getTime() / 86_400_000) * 86_400_000 + 43_200_000)
const at = (seconds: number): Date => new Date(noon.getTime() + 1_000 * seconds)
const iso = (seconds: number): string => at(seconds).toISOString()

let world: ScheduleWorld
let schedules: ReturnType<typeof createSchedules>
let ctx: Ctx
let all: AllowedAgents
/** Targets that were checked, and the refusal of the next check. */
let checked: ScheduleTarget[] = []
let refusal: Fault | null = null
beforeAll(async () => {
  world = await openScheduleWorld(noon)
  schedules = createSchedules({
    app: world.app,
    newId,
    texts: unguardedTexts,
    requireTarget: async (_caller, target) => {
      checked.push(target)
      if (refusal) throw refusal
    },
  })
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.setTime(noon)
  await world.sql('update schedules set due_at = null')
  ctx = testRequest(await world.newOrg()) as Ctx
  all = allowedAmong(ctx, [])
  checked = []
  refusal = null
})

const agent = newId('ag')
const body = (more: Record<string, unknown> = {}): CreateSchedule =>
  contract.schedules.create.input.parse({ name: 'Nightly', agent_id: agent, interval_seconds: 3_600, ...more })
const create = async (more: Record<string, unknown> = {}, by: Ctx = ctx) =>
  (await schedules.create(by, body(more), all)).body
const actionsOf = async () =>
  (
    await world.sql<{ action: string }>(
      `select action from audit_log where org_id = $1 and action like 'schedule.%' order by number`,
      [ctx.org],
    )
  ).map(({ action }) => action)
const other = (): Ctx => ({ ...(testRequest(ctx.org) as Ctx) })

test('a schedule answers its next five dates, and its target was checked', async () => {
  const schedule = await create({ cron: '30 2 * * *', time_zone: 'Europe/Berlin', interval_seconds: null })
  expect(schedule).toMatchObject({
    object: 'schedule',
    status: 'active',
    cron: '30 2 * * *',
    time_zone: 'Europe/Berlin',
    interval_seconds: null,
    agent_id: agent,
    pipeline_id: null,
    missed: 'skip',
    overlap: 'skip',
    monthly_budget_usd: null,
    spent_usd: 0,
    created_by: ctx.actor.id,
  })
  expect(schedule.next_dates).toHaveLength(5)
  expect(checked).toEqual([{ kind: 'agent', id: toUuid(agent) }])
  expect(contract.schedules.get.output.parse(await schedules.get(ctx, schedule.id, all))).toEqual(schedule)
  expect((await schedules.list(ctx, {}, all)).data).toEqual([schedule])
  expect(await actionsOf()).toEqual(['schedule.created'])
})

test('an interval counts from its creation', async () => {
  const { next_dates } = await create()
  expect(next_dates).toEqual([1, 2, 3, 4, 5].map((hours) => iso(3_600 * hours)))
})

test.for([
  [{ interval_seconds: null }, 'cron'],
  [{ cron: '0 0 * * *' }, 'cron'],
  [{ cron: 'nonsense', interval_seconds: null }, 'cron'],
  [{ cron: '0 0 * * *', interval_seconds: null, time_zone: 'Mars/Olympus' }, 'time_zone'],
  [{ time_zone: 'Europe/Berlin' }, 'time_zone'],
  [{ interval_seconds: null, once_at: '2020-01-01T00:00:00Z' }, 'once_at'],
  [{ agent_id: null }, 'agent_id'],
  [{ pipeline_id: newId('pl') }, 'pipeline_id'],
] as const)('%j is refused at %s', async ([more, param]) => {
  await expect(create(more)).rejects.toMatchObject({ code: 'input_invalid', param })
})

test('a target that the caller may not start is refused', async () => {
  refusal = new Fault('agent_archived', 'It is archived')
  await expect(create()).rejects.toBe(refusal)
  expect((await schedules.list(ctx, {}, all)).data).toEqual([])
})

test('creating is idempotent', async () => {
  const by = { ...ctx, idempotencyKey: 'once' }
  const first = await schedules.create(by, body(), all)
  const second = await schedules.create(by, body(), all)
  expect(second.body).toEqual(first.body)
  expect(second.headers).toMatchObject({ 'idempotency-replayed': 'true' })
  expect((await schedules.findReplay(by, body(), all))?.body).toEqual(first.body)
  await expect(schedules.create(by, body({ name: 'Other' }), all)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  })
})

test('an organisation has at most 1,000 schedules', async () => {
  await world.addSchedules(
    Array.from({ length: scheduleLimits.perOrganisation }, () => ({
      id: toUuid(newId('sch')),
      org: ctx.org,
      from: at(0),
      once_at: at(60),
    })),
  )
  await expect(create()).rejects.toMatchObject({ code: 'limit_reached' })
  const [first] = (await schedules.list(ctx, { limit: 1 }, all)).data
  await schedules.delete(ctx, first?.id ?? 'sch_', all)
  await create()
})

test('a change of target or input makes the caller the creator, another change does not', async () => {
  const { id } = await create()
  const by = other()
  await world.setTime(at(600))
  const renamed = await schedules.update(by, { id, name: 'Renamed', interval_seconds: 7_200, overlap: 'queue' }, all)
  expect(renamed).toMatchObject({ name: 'Renamed', overlap: 'queue', created_by: ctx.actor.id })
  expect(renamed.next_dates[0]).toBe(iso(600 + 7_200))
  expect(checked).toHaveLength(1)
  expect(await schedules.update(by, { id, input: {} }, all)).toMatchObject({ created_by: ctx.actor.id })
  const changed = await schedules.update(by, { id, input: { a: 1 } }, all)
  expect(changed).toMatchObject({ input: { a: 1 }, created_by: by.actor.id, interval_seconds: 7_200 })
  expect(changed.next_dates).toEqual(renamed.next_dates)
  const pipeline = newId('pl')
  const moved = await schedules.update(ctx, { id, pipeline_id: pipeline }, all)
  expect(moved).toMatchObject({ agent_id: null, pipeline_id: pipeline, created_by: ctx.actor.id })
  expect(checked.at(-1)).toEqual({ kind: 'pipeline', id: toUuid(pipeline) })
  await expect(schedules.update(ctx, { id }, all)).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(schedules.update(ctx, { id, interval_seconds: null }, all)).rejects.toMatchObject({ param: 'cron' })
  expect(await actionsOf()).toEqual(['schedule.created', ...Array.from({ length: 3 }, () => 'schedule.updated')])
})

test('a paused schedule has no dates, and dates of the pause do not fire later', async () => {
  const { id } = await create()
  const paused = await schedules.pause(ctx, id, all)
  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'requested', paused_at: iso(0), next_dates: [] })
  await world.setTime(at(36_000 + 1))
  const resumed = await schedules.resume(other(), id, all)
  expect(resumed).toMatchObject({ status: 'active', pause_reason: null, paused_at: null, created_by: ctx.actor.id })
  expect(resumed.next_dates[0]).toBe(iso(39_600))
  await scheduleDateSweep({ ...world, newId }).run()
  expect((await schedules.firings(ctx, { id }, all)).data).toEqual([])
  expect(checked).toHaveLength(1)
})

test('a caller who resumes a schedule that the service paused becomes its creator', async () => {
  const { id } = await create()
  await world.sql(
    `update schedules set status = 'paused', pause_code = 'creator_gone', paused_at = app_now(), due_at = null where id = $1`,
    [toUuid(id)],
  )
  const by = other()
  refusal = new Fault('forbidden', 'no')
  await expect(schedules.resume(by, id, all)).rejects.toBe(refusal)
  refusal = null
  expect(await schedules.resume(by, id, all)).toMatchObject({ status: 'active', created_by: by.actor.id })
})

test('running now adds a firing of another kind, also while the schedule is paused', async () => {
  const { id } = await create()
  const by = { ...ctx, idempotencyKey: 'now' }
  const first = await schedules.run(by, id, all)
  expect(first.body).toMatchObject({
    object: 'schedule_firing',
    schedule_id: id,
    kind: 'request',
    date: iso(0),
    status: 'due',
  })
  expect((await schedules.run(by, id, all)).body).toEqual(first.body)
  await schedules.pause(ctx, id, all)
  const second = await schedules.run(ctx, id, all)
  expect(second.body.date).toBe(new Date(noon.getTime() + 1).toISOString())
  const targets = fakeTargets(noon)
  await workDue(createFiringQueue({ ...world, ...targets, newId, onPaused: async () => undefined }))
  const { data } = await schedules.firings(ctx, { id }, all)
  expect(data.map(({ status, code }) => [status, code])).toEqual([
    ['started', null],
    ['skipped', 'schedule_paused'],
  ])
  expect([...targets.started.keys()]).toEqual([`§schedule/${id}/${second.body.date}/now`])
  expect((await schedules.firings(ctx, { id, limit: 1 }, all)).has_more).toBe(true)
  expect((await schedules.firings(ctx, { id, status: ['started'] }, all)).data).toHaveLength(1)
  expect(contract.schedules.firings.output.parse(await schedules.firings(ctx, { id }, all)).data).toEqual(data)
})

test('a firing says why it does not start', async () => {
  const { id } = await create()
  const [first, second] = [await schedules.run(ctx, id, all), await schedules.run(ctx, id, all)]
  const waiting = async () => (await schedules.firings(ctx, { id }, all)).data.map((firing) => firing.waiting)
  const turn = 'It waits for its turn: workers work on 0 of your firings now, and 2 are due.'
  expect(await waiting()).toEqual([
    { reason: 'turn', message: turn },
    { reason: 'turn', message: turn },
  ])
  const set = (columns: string, firing: typeof first) =>
    world.sql(`update schedule_firings set ${columns} where id = $1`, [toUuid(firing.body.id)])
  await set(`status = 'queued', due_at = app_now() + interval '1 hour'`, second)
  await set(`code = 'rate_limit_exceeded', due_at = app_now() + interval '5 s'`, first)
  expect(await waiting()).toEqual([
    { reason: 'line', message: 'It waits for the end of an earlier firing of its schedule.' },
    { reason: 'retry', message: 'It was refused (rate_limit_exceeded) and is tried again.' },
  ])
  await set(`held_until = app_now() + interval '30 s'`, first)
  expect((await waiting())[1]).toBeNull()
})

test('a narrowed key learns why a firing does not start with numbers of its agents only', async () => {
  const [{ id }, foreign] = [await create(), await create({ agent_id: newId('ag') })]
  const narrowed = allowedAmong({ ...ctx, agentIds: new Set([toUuid(agent)]) }, [])
  await schedules.run(ctx, id, narrowed)
  const others: Awaited<ReturnType<typeof schedules.run>>[] = []
  for (let n = 0; n < firingShare.perOrg; n++) others.push(await schedules.run(ctx, foreign.id, all))
  const waiting = async () => (await schedules.firings(ctx, { id }, narrowed)).data.map((firing) => firing.waiting)
  const counts = 'workers work on 0 of the firings of your agents now, and 1 are due.'
  expect(await waiting()).toEqual([{ reason: 'turn', message: `It waits for its turn: ${counts}` }])
  await world.sql(`update schedule_firings set held_until = app_now() + interval '30 s' where id = any ($1)`, [
    others.map(({ body: firing }) => toUuid(firing.id)),
  ])
  expect(await waiting()).toEqual([{ reason: 'share', message: `The share of your organisation is in use: ${counts}` }])
})

test('concurrent requests to fire one schedule are firings of different times', async () => {
  const { id } = await create()
  const answers = await Promise.all(Array.from({ length: 20 }, () => schedules.run(ctx, id, all)))
  expect(new Set(answers.map(({ body }) => body.date)).size).toBe(20)
})

test('a deleted schedule is gone, and what has not started is skipped', async () => {
  const { id } = await create()
  await schedules.run(ctx, id, all)
  expect(await schedules.delete(ctx, id, all)).toMatchObject({ id, next_dates: [] })
  await expect(schedules.get(ctx, id, all)).rejects.toMatchObject({ code: 'not_found' })
  await expect(schedules.run(ctx, id, all)).rejects.toMatchObject({ code: 'not_found' })
  expect((await schedules.list(ctx, {}, all)).data).toEqual([])
  expect(await world.sql('select status, code from schedule_firings where schedule_id = $1', [toUuid(id)])).toEqual([
    { status: 'skipped', code: 'schedule_deleted' },
  ])
})

test('a narrowed key sees the schedules of its agents, and none of pipelines', async () => {
  const [mine, pipeline] = [await create(), await create({ agent_id: null, pipeline_id: newId('pl') })]
  await create({ agent_id: newId('ag') })
  const narrowed = allowedAmong({ ...ctx, agentIds: new Set([toUuid(agent)]) }, [])
  expect((await schedules.list(ctx, {}, narrowed)).data.map(({ id }) => id)).toEqual([mine.id])
  await expect(schedules.get(ctx, pipeline.id, narrowed)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(schedules.update(ctx, { id: mine.id, agent_id: newId('ag') }, narrowed)).rejects.toMatchObject({
    code: 'forbidden',
  })
})

test('the operations of the contract reach the service', async () => {
  const api = scheduleApi(schedules)
  const by = { ...ctx, idempotencyKey: 'api' }
  await api.create(by, body(), all)
  const replays = scheduleReplays(schedules)
  const replay = await replays['schedules.create']?.(by, body(), all)
  const [schedule] = (await schedules.list(ctx, {}, all)).data
  const id = schedule?.id ?? 'sch_'
  expect(replay).toMatchObject({ body: { id } })
  await api.run(by, { id }, all)
  expect(await replays['schedules.run']?.(by, { id }, all)).toMatchObject({ body: { schedule_id: id } })
  expect(await api.get(ctx, { id }, all)).toEqual(schedule)
  expect(await api.list(ctx, {}, all)).toMatchObject({ data: [{ id }] })
  expect(await api.firings(ctx, { id }, all)).toMatchObject({ data: [{ schedule_id: id }] })
  expect(await api.update(ctx, { id, name: 'Other' }, all)).toMatchObject({ name: 'Other' })
  expect(await api.pause(ctx, { id }, all)).toMatchObject({ status: 'paused' })
  expect(await api.resume(ctx, { id }, all)).toMatchObject({ status: 'active' })
  expect(await api.delete(ctx, { id }, all)).toMatchObject({ id })
})

test('another organisation finds nothing', async () => {
  const { id } = await create()
  const stranger = { ...(testRequest(await world.newOrg()) as Ctx) }
  await expect(schedules.get(stranger, id, all)).rejects.toMatchObject({ code: 'not_found' })
  await expect(schedules.run(stranger, id, all)).rejects.toMatchObject({ code: 'not_found' })
  expect((await schedules.list(stranger, {}, all)).data).toEqual([])
  expect(fromUuid('sch', toUuid(id))).toBe(id)
})
