import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'

// crosses organisations: deletes expired idempotency keys.
export const deleteExpiredKeys = async (db: Database, limit: number): Promise<number> =>
  (await db.once(null, expiredKeys({ limit }))).length

// crosses organisations: partitions contain all organisations.
export const ensurePartitions = async (db: Database, daysAhead: number): Promise<number> => {
  const [row] = await db.once(null, partitions({ daysAhead }))
  return row?.made ?? 0
}

// crosses organisations: partitions contain all organisations. A day is dropped when it is older than the retention time
// and none of its runs is active. Its deltas are dropped sooner, when all of its runs ended long enough ago. Pending
// deliveries keep their day, and the day of their event.
export const listOldPartitions = (db: Database, keep: { days: number; deltaHours: number }): Promise<DayPartition[]> =>
  db.once(null, oldPartitions({ keepDays: keep.days, keepDeltaHours: keep.deltaHours }))

// crosses organisations: partitions contain all organisations. One at a time, because each drop locks the whole table.
export const dropPartition = async (db: Database, { parent, day }: DayPartition): Promise<boolean> => {
  const [row] = await db.once(null, drop({ parent, day }))
  return row?.dropped ?? false
}

/** `parent`: the partitioned table. */
export type DayPartition = { parent: string; day: string }

const expiredKeys = statement<{ limit: number }>(
  'sweep.expired_keys',
  sql`delete from idempotency_keys k using (
     select org_id, thing, key from idempotency_keys where expires_at <= app_now() limit :limit for update skip locked
   ) old
    where k.org_id = old.org_id and k.thing = old.thing and k.key = old.key
   returning 1`,
)

const partitions = statement<{ daysAhead: number }, { made: number }>(
  'sweep.partitions',
  sql`select ensure_partitions(:daysAhead) as made`,
)

const oldPartitions = statement<{ keepDays: number; keepDeltaHours: number }, DayPartition>(
  'sweep.old_partitions',
  sql`with days as (
    select p.relname::text as parent, to_date(right(c.relname, 8), 'YYYYMMDD') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relnamespace = 'public'::regnamespace and p.relkind = 'p' and c.relname ~ '_p[0-9]{8}$'
  ), bounds as (
    select parent, day, uuid_floor(day::timestamp at time zone 'utc') as first_id,
           uuid_floor((day + 1)::timestamp at time zone 'utc') as end_id, (day + 1)::timestamp at time zone 'utc' as ends_at
      from days
  ), old as materialized (
    select parent, day, first_id, end_id from bounds b
     where case when parent = 'run_deltas'
             then b.ends_at + make_interval(hours => :keepDeltaHours) <= app_now() and not exists (
                    select from run_results e where e.run_id >= b.first_id and e.run_id < b.end_id
                       and e.finished_at + make_interval(hours => :keepDeltaHours) > app_now())
             else b.ends_at + make_interval(days => :keepDays) <= app_now() end
  )
  select parent, day::text from old o
   where not exists (select from run_heads h where h.run_id >= o.first_id and h.run_id < o.end_id)
     and (parent not in ('deliveries', 'delivery_attempts')
       or not exists (select from delivery_heads h where h.delivery_id >= o.first_id and h.delivery_id < o.end_id))
     and (parent not in ('events', 'event_bodies')
       or not exists (select from delivery_heads h where h.event_id >= o.first_id and h.event_id < o.end_id))`,
)

const drop = statement<{ parent: string; day: string }, { dropped: boolean }>(
  'sweep.drop_partition',
  sql`select drop_partition(:parent, :day::date) as dropped`,
)
