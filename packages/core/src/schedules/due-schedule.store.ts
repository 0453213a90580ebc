import { scheduleLimits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type Json, type NoParameters, sql, statement } from '@ars/platform/db/statement'
import { firingLimits } from './firing.ts'
import type { ScheduleRow, TimingColumns } from './schedule.ts'

/** A schedule that a worker holds. `now`: the time of the database, in whole milliseconds. */
export type DueSchedule = TimingColumns &
  Pick<ScheduleRow, 'id' | 'org_id' | 'missed'> & { handled_until: Date; claim: number; now: Date }

// crosses organisations: a background job notes the dates of all organisations. A schedule becomes due again, so that it survives a
// worker that dies.
export const takeDueSchedules = (db: Database, { limit }: { limit: number }): Promise<DueSchedule[]> =>
  db.once(null, take({ limit, leaseSeconds: firingLimits.leaseSeconds, maxScanned: firingLimits.maxScanned }))

/** The dates of a schedule up to `until`, and when it is due again. */
export type NotedDates = Pick<DueSchedule, 'id' | 'claim'> & {
  until: Date
  next: Date | null
  /** In their order. */
  firings: readonly { id: string; date: Date; missedFrom: Date | null; isSkipped: boolean }[]
}

/**
 * Stores the dates of many schedules and moves them on, in one transaction. A schedule that has changed, or that another worker has taken since,
 * is left out.
 */
// crosses organisations: dates of all organisations that are due at the same time share a commit.
export const noteDates = async (db: Database, noted: readonly NotedDates[]): Promise<void> => {
  const schedules = noted.map(({ id, claim, until, next, firings }) => ({
    id,
    claim,
    until,
    next,
    added: firings.length,
  }))
  const firings = noted.flatMap((schedule) =>
    schedule.firings.map(({ id, date, missedFrom, isSkipped }, at) => ({
      id,
      schedule_id: schedule.id,
      place: at + 1,
      date,
      missed_from: missedFrom,
      is_skipped: isSkipped,
    })),
  )
  const { startWithinSeconds } = firingLimits
  const rows = { schedules: JSON.stringify(schedules), firings: JSON.stringify(firings) }
  await db.once(null, note({ ...rows, startWithinSeconds, kept: scheduleLimits.keptFirings }))
}

// crosses organisations: a metric for the operator.
export const readScheduleLag = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, lag())
  return row?.seconds ?? 0
}

const take = statement<{ limit: number; leaseSeconds: number; maxScanned: number }, DueSchedule>(
  'schedules.take_due',
  sql`with oldest as (
     select id, due_at, row_number() over (partition by org_id order by due_at) as turn
       from (select id, org_id, due_at from schedules where due_at <= app_now() order by due_at limit :maxScanned) due
   ), chosen as (
     select id from oldest order by turn, due_at limit :limit
   ), locked as (
     select s.id from schedules s where s.id in (select id from chosen) and s.due_at <= app_now() for update skip locked
   )
   update schedules s set claim = s.claim + 1, due_at = app_now() + make_interval(secs => :leaseSeconds::integer)
     from locked where s.id = locked.id
   returning s.id, s.org_id, s.cron, s.time_zone, s.interval_seconds, s.anchor_at, s.once_at, s.missed, s.handled_until, s.claim,
     date_trunc('milliseconds', app_now()) as now`,
)

const note = statement<{ schedules: Json; firings: Json; startWithinSeconds: number; kept: number }>(
  'schedules.note_dates',
  sql`with asked as (
     select id, claim, until, next, added
       from json_to_recordset(:schedules::json) as a (id uuid, claim integer, until timestamptz, next timestamptz, added integer)
   ), moved as (
     update schedules s set handled_until = a.until, due_at = a.next, firings = s.firings + a.added
       from asked a where s.id = a.id and s.claim = a.claim and s.status = 'active' and s.archived_at is null
     returning s.id, s.org_id, s.firings, s.firings - a.added as before
   ), deleted as (
     delete from schedule_firings f using moved m
      where f.schedule_id = m.id and f.number <= m.firings - :kept::integer and f.ended_at is not null
   )
   insert into schedule_firings (id, org_id, schedule_id, number, kind, date, missed_from, status, code, due_at, start_by, ended_at)
   select f.id, m.org_id, m.id, m.before + f.place, 'date', f.date, f.missed_from,
          case when f.is_skipped then 'skipped' else 'due' end, case when f.is_skipped then 'missed' end,
          case when not f.is_skipped then app_now() end,
          case when not f.is_skipped then app_now() + make_interval(secs => :startWithinSeconds::integer) end,
          case when f.is_skipped then app_now() end
     from moved m
     join json_to_recordset(:firings::json) as f (id uuid, schedule_id uuid, place integer, date timestamptz, missed_from timestamptz,
       is_skipped boolean) on f.schedule_id = m.id
   -- A date fires once, even after the clock of the database was set back.
   on conflict (schedule_id, kind, date) do nothing`,
)

// A firing of a date is late since its date; one that waits for an earlier firing, or for another attempt, is not late.
const lag = statement<NoParameters, { seconds: number }>(
  'schedules.lag',
  sql`select greatest(0, extract(epoch from app_now() - least(
         (select min(due_at) from schedules where due_at <= app_now()),
         (select min(due_at) from schedule_firings where status in ('due', 'queued') and due_at <= app_now()))))::float8 as seconds`,
)
