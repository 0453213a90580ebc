import { systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createIdMaker, fromUuid, toUuid } from '@ars/platform/id'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FakeTargets,
  fakeTargets,
  openScheduleWorld,
  type PlantedSchedule,
  type ScheduleWorld,
} from '../../test/schedule-world.ts'
import { schedulesBounds } from './bounds.ts'

import { createFiringQueue } from './firing-start.service.ts'
import { scheduleDateSweep, scheduleEndSweep } from './schedule.sweep.ts'
import { offsetsOf, type WallMatches, watchedDates } from './watched-clock.fixture.ts'

/*
 * A year of schedules. The size of the suite is small; `ARS_FULL_SIZE=true pnpm exec vitest run <this file>` plays 2,000 schedules.
 */
const isFullSize = process.env.ARS_FULL_SIZE === 'true'
const size = isFullSize
  ? { schedules: 2_000, organisations: 20, maxFirings: 300_000, killedEvery: 40 }
  : { schedules: 200, organisations: 5, maxFirings: 6_000, killedEvery: 60 }

const newId = createIdMaker(systemClock)
const from = new Date('2027-01-01T00:00:00Z')
const until = new Date('2028-01-01T00:00:00Z')
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata']

const minute = (wall: Date, ...minutes: number[]) => minutes.includes(wall.getUTCMinutes())
const hour = (wall: Date, ...hours: number[]) => hours.includes(wall.getUTCHours())
const month = (wall: Date, ...months: number[]) => months.includes(wall.getUTCMonth() + 1)
const isSunday = (wall: Date) => wall.getUTCDay() === 0

/** Each cron as an expression and as a rule for the clock on the wall. Most are due on the days on which clocks change. */
const crons: readonly (readonly [string, WallMatches, isLarge?: boolean])[] = [
  ['30 2 * 3,10 SUN', (wall) => minute(wall, 30) && hour(wall, 2) && month(wall, 3, 10) && isSunday(wall)],
  ['*/30 1-2 * 4,11 SUN', (wall) => minute(wall, 0, 30) && hour(wall, 1, 2) && month(wall, 4, 11) && isSunday(wall)],
  ['15 2 * * SUN', (wall) => minute(wall, 15) && hour(wall, 2) && isSunday(wall)],
  ['0 3 1 * *', (wall) => minute(wall, 0) && hour(wall, 3) && wall.getUTCDate() === 1],
  ['0 0 31 * *', (wall) => minute(wall, 0) && hour(wall, 0) && wall.getUTCDate() === 31],
  ['45 23 28 2-3 *', (wall) => minute(wall, 45) && hour(wall, 23) && month(wall, 2, 3) && wall.getUTCDate() === 28],
  ['30 2 * * *', (wall) => minute(wall, 30) && hour(wall, 2), true],
  ['0 9 * * 1-5', (wall) => minute(wall, 0) && hour(wall, 9) && wall.getUTCDay() % 6 !== 0, true],
]
const used = crons.filter(([, , isLarge]) => isFullSize || !isLarge)

/** The same numbers every time. */
const createRandom = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, below: (most: number) => Math.floor(next() * most), is: (every: number) => next() * every < 1 }
}

let world: ScheduleWorld
beforeAll(async () => {
  world = await openScheduleWorld(from)
})
afterAll(() => world.close())

/** A connection of a worker that is killed now and then, before or after a statement. */
const killable = (db: Database, die: () => void): Database => ({
  ...db,
  once: async (...asked) => {
    die()
    const rows = await db.once(...asked)
    die()
    return rows
  },
  transaction: async (...asked) => {
    die()
    const result = await db.transaction(...asked)
    die()
    return result
  },
})

test(
  'over a year each date of each schedule fires once or is skipped by its rule, whatever dies',
  async () => {
    const random = createRandom(20_270_101)
    const targets: FakeTargets = fakeTargets(from)
    const orgs = await Promise.all(Array.from({ length: size.organisations }, () => world.newOrg()))
    const { schedules, modelOf } = plan(orgs, random)
    await world.addSchedules(schedules)

    let kills = 0
    let isQuiet = false
    const die = () => {
      if (isQuiet || !random.is(size.killedEvery)) return
      kills += 1
      throw new Error('killed')
    }
    const overlaps = new Map(schedules.map(({ id, overlap }) => [id, overlap]))
    const lastEnd = new Map<string, Date>()
    let doubled = 0
    const start: FakeTargets['start'] = async (caller, asked) => {
      die()
      // Two runs of one schedule at once are only allowed by `allow`.
      const isNew = !targets.started.has(asked.key)
      const ends = lastEnd.get(asked.target.id)
      if (isNew && ends && ends > targets.now && overlaps.get(asked.target.id) !== 'allow') doubled += 1
      targets.durationMs = 60_000 * (1 + random.below(40))
      const answer = await targets.start(caller, asked)
      const { endsAt } = targets.started.get(asked.key) ?? {}
      if (endsAt) lastEnd.set(asked.target.id, endsAt)
      die()
      return answer
    }
    const workers = [0, 1].map(() => {
      const databases = { app: killable(world.app, die), system: killable(world.system, die) }
      const deps = { ...targets, ...databases, start, newId, log: world.log, onPaused: async () => undefined }
      const queue = createFiringQueue(deps)
      return [scheduleDateSweep(deps), { run: () => workDue(queue) }, scheduleEndSweep(deps)]
    })
    const look = () =>
      Promise.all(
        workers.map(async (sweeps) => {
          for (const sweep of sweeps) await sweep.run().catch(() => undefined)
        }),
      )

    let looks = 0
    let outages = 0
    for (;;) {
      const isOutage = random.is(60)
      if (isOutage) outages += 1
      // Noticed in time, at the last moment, or hours later. A key is remembered for a day.
      const lateMs = isOutage ? random.below(20 * 3_600_000) : random.below(schedulesBounds.lateDate.ms + 1)
      const now = await advance(lateMs)
      if (now === null) break
      targets.now = now
      await look()
      looks += 1
    }
    isQuiet = true
    for (let left = 1; left > 0; looks++) {
      targets.now = new Date(targets.now.getTime() + 60_000)
      await world.setTime(targets.now)
      await look()
      const [row] = await world.sql<{ left: number }>(
        `select count(*)::integer as left from schedule_firings where status in ('due', 'queued')`,
      )
      left = row?.left ?? 0
    }

    const counts: Record<string, number> = {}
    const tally = (what: string, more = 1) => {
      counts[what] = (counts[what] ?? 0) + more
    }
    const handled = await world.sql<{ id: string; handled_until: Date }>('select id, handled_until from schedules')
    let started = 0
    for (const { id, handled_until } of handled) {
      const expected = (modelOf.get(id) ?? []).filter((date) => date <= handled_until.toISOString())
      const found: string[] = []
      for (const row of await firingsOf(id)) {
        const date = row.date.toISOString()
        tally(row.code ?? row.status)
        const first = row.missed_from?.toISOString()
        const lateMs = row.created_at.getTime() - row.date.getTime()
        // Whether a date was missed depends only on when it was noticed.
        expect(first !== undefined).toBe(lateMs > schedulesBounds.lateDate.ms)
        expect(row.code === 'missed').toBe(first !== undefined && row.missed === 'skip')
        const stretch = first === undefined ? [date] : expected.filter((each) => each >= first && each <= date)
        if (first !== undefined) tally('dates in missed stretches', stretch.length)
        found.push(...stretch)
        const run = targets.started.get(`§schedule/${fromUuid('sch', id)}/${date}`)
        expect(run?.id ?? null).toBe(row.run_id)
        if (row.status === 'started') started += 1
        else expect(row.status).toBe('skipped')
      }
      // Every date of the model once, in order, and nothing else.
      expect(found).toEqual(expected)
    }
    expect(started).toBe(targets.started.size)
    expect(doubled).toBe(0)
    const total = [...modelOf.values()].reduce((sum, dates) => sum + dates.length, 0)
    const figures = { schedules: schedules.length, dates: total, looks, outages, kills, started, ...counts }
    console.log(JSON.stringify(figures))
    expect(started).toBeGreaterThan(total / 2)
    expect(total).toBeLessThanOrEqual(size.maxFirings)
    expect(kills).toBeGreaterThan(100)
    for (const code of ['missed', 'overlap', 'dates in missed stretches']) expect(counts[code]).toBeGreaterThan(0)
  },
  isFullSize ? 14_400_000 : 900_000,
)

type Row = {
  date: Date
  missed_from: Date | null
  status: string
  code: string | null
  run_id: string | null
  created_at: Date
  missed: 'skip' | 'once'
}

const firingsOf = (scheduleId: string): Promise<Row[]> =>
  world.sql<Row>(
    `select f.date, f.missed_from, f.status, f.code, f.run_id, f.created_at, s.missed
       from schedule_firings f join schedules s on s.id = f.schedule_id where s.id = $1 order by f.number`,
    [scheduleId],
  )

/** Moves the clock to the next moment at which something is due, or beyond it. Null: the year is over. */
const advance = async (lateMs: number): Promise<Date | null> => {
  const [row] = await world.sql<{ at: Date; is_behind: boolean }>(
    `with next as (
       select least((select min(due_at) from schedules), (select min(due_at) from schedule_firings where status in ('due', 'queued'))) as due
     )
     update stopped_clock set at = case when next.due <= at then at + interval '500 milliseconds'
         else date_trunc('milliseconds', next.due) + make_interval(secs => $1::float8 / 1000) end
       from next where next.due < $2 returning at`,
    [lateMs, until],
  )
  return row?.at ?? null
}

/** The schedules, and the dates of each by a clock that is watched every minute. */
const plan = (orgs: readonly string[], random: ReturnType<typeof createRandom>) => {
  const watched = new Map(
    zones.map((zone) => {
      const offsetAt = offsetsOf(zone, from.getTime(), until.getTime())
      const matches = used.map(([, rule]) => rule)
      return [zone, watchedDates(offsetAt, from.getTime(), until.getTime(), matches)]
    }),
  )
  const modelOf = new Map<string, string[]>()
  const schedules = Array.from({ length: size.schedules }, (_, index): PlantedSchedule => {
    const id = toUuid(newId('sch'))
    const common = {
      id,
      org: orgs[index % orgs.length] ?? '',
      from,
      missed: random.is(2) ? ('skip' as const) : ('once' as const),
      overlap: (['skip', 'queue', 'allow'] as const)[random.below(3)] ?? 'skip',
    }
    const kind = random.below(10)
    if (kind === 0) {
      const once_at = new Date(from.getTime() + random.below(until.getTime() - from.getTime()))
      modelOf.set(id, [once_at.toISOString()])
      return { ...common, once_at }
    }
    if (kind === 1) {
      const interval_seconds = 86_400 * (20 + random.below(40)) + random.below(86_400)
      const dates: string[] = []
      for (let at = from.getTime() + 1_000 * interval_seconds; at < until.getTime(); at += 1_000 * interval_seconds)
        dates.push(new Date(at).toISOString())
      modelOf.set(id, dates)
      return { ...common, interval_seconds }
    }
    const zone = zones[random.below(zones.length)] ?? 'UTC'
    const which = random.below(used.length)
    modelOf.set(id, watched.get(zone)?.[which] ?? [])
    return { ...common, cron: used[which]?.[0] ?? '', time_zone: zone }
  })
  return { schedules, modelOf }
}
