import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { afterEnd, endedColumns } from './end.store.ts'
import type { RunFailure } from './run.ts'
import type { Segment } from './segment.ts'

/*
 * Everything in this file looks across organisations, as role `ars_system`: a deadline, a lost order or a stalled run
 * is looked for in all of them at once. No answer of it reaches a customer.
 */

// crosses organisations: orders that the engine may not have heard of, whoever accepted them.
export const takeDueOrders = async (db: Database, page: { limit: number; againAfterMs: number }): Promise<Segment[]> =>
  (await db.once<OrderRow>(null, dueOrders(page.limit, page.againAfterMs))).map(toSegment)

// crosses organisations: runs past their deadline end whether or not a worker lives. What it means depends on what the
// run was doing; one that is being cancelled is cancelled.
export const endOverdueRuns = (
  db: Database,
  page: {
    limit: number
    failures: Record<'queued' | 'running' | 'requires_action', RunFailure>
    eventIds: readonly string[]
  },
): Promise<{ run_id: string; seq: number; was: string }[]> =>
  db.once(null, endOverdue(page.limit, JSON.stringify(page.failures), page.eventIds))

// crosses organisations: active runs that have made no progress for a while and have no order waiting.
export const listStalled = async (
  db: Database,
  page: { limit: number; quietMs: number; after: string | null },
): Promise<Segment[]> => (await db.once<OrderRow>(null, stalled(page.limit, page.quietMs, page.after))).map(toSegment)

// crosses organisations: a run that the engine no longer knows is started again under a new epoch.
export const resubmit = async (db: Database, lost: Segment): Promise<Segment | null> => {
  const [row] = await db.once<OrderRow>(null, resubmitStatement(lost.run, lost.epoch, lost.segment, lost.step))
  return row ? toSegment(row) : null
}

// crosses organisations: of the runs that this process watches or executes, those that are still active.
export const listActive = (
  db: Database,
  ids: readonly string[],
): Promise<{ run_id: string; seq: number; epoch: number; status: string }[]> => db.once(null, active(ids))

// crosses organisations: keys that nobody can use any more.
export const deleteExpiredKeys = async (db: Database, limit: number): Promise<number> =>
  (await db.once(null, expiredKeys(limit))).length

// crosses organisations: figures for the operator.
export const countRuns = (db: Database): Promise<{ status: string; runs: number }[]> => db.once(null, counts())

// crosses organisations: figures for the operator.
export const outboxLagMs = async (db: Database): Promise<number> => {
  const [row] = await db.once<{ lag_ms: number }>(null, lag())
  return row?.lag_ms ?? 0
}

// crosses organisations: partitions hold all organisations.
export const ensurePartitions = async (db: Database, daysAhead: number): Promise<number> => {
  const [row] = await db.once<{ made: number }>(null, partitions(daysAhead))
  return row?.made ?? 0
}

// crosses organisations: partitions hold all organisations. A day goes when it is older than what is kept and none of
// its runs is active; its deltas go sooner, once all of its runs have ended long enough ago. Deliveries that are pending keep
// their own day, and that of their event.
export const listOldPartitions = (
  db: Database,
  keep: { days: number; deltaHours: number },
): Promise<{ parent: string; day: string }[]> => db.once(null, oldPartitions(keep.days, keep.deltaHours))

// crosses organisations: partitions hold all organisations. One at a time, because each locks its table for everybody.
export const dropPartition = async (
  db: Database,
  { parent, day }: { parent: string; day: string },
): Promise<boolean> => {
  const [row] = await db.once<{ dropped: boolean }>(null, drop(parent, day))
  return row?.dropped ?? false
}

type OrderRow = { org_id: string; run_id: string; epoch: number; segment: number; step: number }

const toSegment = (row: OrderRow): Segment => ({
  org: row.org_id,
  run: row.run_id,
  epoch: row.epoch,
  segment: row.segment,
  step: row.step,
})

// Taken rows come due again later, so a sender that dies loses nothing and no row is held while the engine is asked. An
// order whose run has ended, or has moved on to another epoch, is dropped: nobody would ever claim it.
const dueOrders = statement(
  'sweep.due_orders',
  `with due as (
    select run_id, epoch, segment from outbox where due_at <= app_now() order by due_at limit $1 for update skip locked
  ), alive as (
    select d.run_id, d.epoch, d.segment from due d join run_heads h on h.run_id = d.run_id and h.epoch = d.epoch
  ), dropped as (
    delete from outbox o using due d
     where o.run_id = d.run_id and o.epoch = d.epoch and o.segment = d.segment
       and not exists (select from alive a where a.run_id = d.run_id and a.epoch = d.epoch and a.segment = d.segment)
  )
  update outbox o set sends = o.sends + 1, due_at = app_now() + make_interval(secs => $2::double precision / 1000)
    from alive a where o.run_id = a.run_id and o.epoch = a.epoch and o.segment = a.segment
  returning o.org_id, o.run_id, o.epoch, o.segment, o.step`,
)

const endOverdue = statement(
  'sweep.end_overdue',
  `with due as (
    select run_id, row_number() over (order by run_id) as n from (
      select run_id from run_heads where deadline_at <= app_now() order by deadline_at limit $1 for update skip locked
    ) overdue
  ), head as (
    delete from run_heads h using due where h.run_id = due.run_id
    returning ${endedColumns}, h.status as was,
              case when h.status = 'cancelling' then 'cancelled' else 'failed' end as end_status,
              case when h.status <> 'cancelling' then $2::json -> h.status end as end_error,
              ($3::uuid[])[due.n] as event_id
  ), ${afterEnd}
  select run_id, seq, was from head`,
)

const stalled = statement(
  'sweep.stalled',
  `select h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step
     from run_heads h
    where h.status in ('queued', 'running') and h.rank is null and h.progress_at <= app_now() - make_interval(secs => $2::double precision / 1000)
      and not exists (select from outbox o where o.run_id = h.run_id and o.epoch = h.epoch and o.sends < 3)
      and ($3::uuid is null or h.run_id > $3)
    order by h.run_id limit $1`,
)

const resubmitStatement = statement(
  'sweep.resubmit',
  `with head as (
    update run_heads set epoch = epoch + 1, progress_at = app_now()
     where run_id = $1 and epoch = $2 and segment = $3 and step = $4::integer - 1 and status in ('queued', 'running') and rank is null
    returning org_id, run_id, epoch, segment, step + 1 as step
  ), dropped as (
    delete from outbox o using head where o.run_id = head.run_id and o.epoch < head.epoch
  ), told as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, org_id, step, app_now() from head
  )
  select org_id, run_id, epoch, segment, step from head`,
)

const active = statement(
  'sweep.active',
  'select run_id, seq, epoch, status from run_heads where run_id = any ($1::uuid[])',
)

const expiredKeys = statement(
  'sweep.expired_keys',
  `delete from idempotency_keys k using (
     select org_id, thing, key from idempotency_keys where expires_at <= app_now() limit $1 for update skip locked
   ) old
    where k.org_id = old.org_id and k.thing = old.thing and k.key = old.key
   returning 1`,
)

const counts = statement('sweep.counts', 'select status, count(*)::integer as runs from run_heads group by status')

const lag = statement(
  'sweep.outbox_lag',
  'select coalesce(extract(epoch from app_now() - min(created_at)) * 1000, 0)::double precision as lag_ms from outbox',
)

const partitions = statement('sweep.partitions', 'select ensure_partitions($1) as made')

const oldPartitions = statement(
  'sweep.old_partitions',
  `with days as (
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
             then b.ends_at + make_interval(hours => $2) <= app_now() and not exists (
                    select from run_results e where e.run_id >= b.first_id and e.run_id < b.end_id
                       and e.finished_at + make_interval(hours => $2) > app_now())
             else b.ends_at + make_interval(days => $1) <= app_now() end
  )
  select parent, day::text from old o
   where not exists (select from run_heads h where h.run_id >= o.first_id and h.run_id < o.end_id)
     and (parent not in ('deliveries', 'delivery_attempts')
       or not exists (select from delivery_heads h where h.delivery_id >= o.first_id and h.delivery_id < o.end_id))
     and (parent not in ('events', 'event_bodies')
       or not exists (select from delivery_heads h where h.event_id >= o.first_id and h.event_id < o.end_id))`,
)

const drop = statement('sweep.drop_partition', 'select drop_partition($1, $2::date) as dropped')
