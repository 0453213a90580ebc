import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Segment } from '../run/segment.ts'

/*
 * All statements of this file read all organisations, as role `ars_system`: background jobs look for lost orders and
 * stalled runs everywhere. No result of them reaches a customer.
 */

// crosses organisations: orders that may not have reached the engine.
export const takeDueOrders = async (db: Database, page: { limit: number; againAfterMs: number }): Promise<Segment[]> =>
  (await db.once(null, dueOrders({ limit: page.limit, againAfterMs: page.againAfterMs }))).map(toSegment)

// crosses organisations: active runs that made no progress for some time and have no order in the outbox.
export const listStalled = async (
  db: Database,
  page: { limit: number; quietMs: number; after: string | null },
): Promise<Segment[]> =>
  (await db.once(null, stalled({ limit: page.limit, quietMs: page.quietMs, after: page.after }))).map(toSegment)

/** A segment that the engine has lost. With a step: only if the run has not progressed past it. */
type LostSegment = Pick<Segment, 'run' | 'epoch' | 'segment'> & Partial<Segment>

// crosses organisations: starts a run that the engine has lost again, under a new epoch. Null: it has moved on.
export const resubmit = async (db: Database, lost: LostSegment): Promise<Segment | null> => {
  const { run: runId, epoch, segment, step = null } = lost
  const [row] = await db.once(null, resubmitStatement({ runId, epoch, segment, step }))
  return row ? toSegment(row) : null
}

// crosses organisations: a metric for the operator.
export const outboxLagMs = async (db: Database): Promise<number> => {
  const [row] = await db.once(null, lag())
  return row?.lag_ms ?? 0
}

type OrderRow = { org_id: string; run_id: string; epoch: number; segment: number; step: number }

const toSegment = (row: OrderRow): Segment => ({
  org: row.org_id,
  run: row.run_id,
  epoch: row.epoch,
  segment: row.segment,
  step: row.step,
})

// A row that is taken becomes due again later, so that an order survives a sender that crashes, and no row is locked
// during the request to the engine.
const dueOrders = statement<{ limit: number; againAfterMs: number }, OrderRow>(
  'sweep.due_orders',
  sql`with due as (
    select run_id, epoch, segment from outbox where due_at <= app_now() order by due_at limit :limit for update skip locked

  -- An order whose run has ended, or has another epoch now, is deleted: no worker could claim it.
  ), alive as (
    select d.run_id, d.epoch, d.segment from due d join run_heads h on h.run_id = d.run_id and h.epoch = d.epoch
  ), dropped as (
    delete from outbox o using due d
     where o.run_id = d.run_id and o.epoch = d.epoch and o.segment = d.segment
       and not exists (select from alive a where a.run_id = d.run_id and a.epoch = d.epoch and a.segment = d.segment)
  )
  update outbox o set sends = o.sends + 1, due_at = app_now() + make_interval(secs => :againAfterMs::double precision / 1000)
    from alive a where o.run_id = a.run_id and o.epoch = a.epoch and o.segment = a.segment
  returning o.org_id, o.run_id, o.epoch, o.segment, o.step`,
)

const stalled = statement<{ limit: number; quietMs: number; after: Uuid | null }, OrderRow>(
  'sweep.stalled',
  sql`select h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step
     from run_heads h
    where h.is_admitted and h.status in ('queued', 'running') and h.progress_at <= app_now() - make_interval(secs => :quietMs::double precision / 1000)
      and not exists (select from outbox o where o.run_id = h.run_id and o.epoch = h.epoch and o.sends < 3)
      and (:after::uuid is null or h.run_id > :after)
    order by h.run_id limit :limit`,
)

const resubmitStatement = statement<{ runId: Uuid; epoch: number; segment: number; step: number | null }, OrderRow>(
  'sweep.resubmit',
  sql`with head as (
    update run_heads set epoch = epoch + 1, progress_at = app_now()
     where run_id = :runId and epoch = :epoch and segment = :segment and step = coalesce(:step::integer - 1, step)
       and status in ('queued', 'running') and is_admitted
    returning org_id, run_id, epoch, segment, step + 1 as step
  ), dropped as (
    delete from outbox o using head where o.run_id = head.run_id and o.epoch < head.epoch
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, org_id, step, app_now() from head
  )
  select org_id, run_id, epoch, segment, step from head`,
)

const lag = statement<NoParameters, { lag_ms: number }>(
  'sweep.outbox_lag',
  sql`select coalesce(extract(epoch from app_now() - min(created_at)) * 1000, 0)::double precision as lag_ms from outbox`,
)
