import { batchLimits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import type { ClaimedItem } from '@ars/platform/work/queue'
import { isAsleep, workRows } from '../work-rows.store.ts'
import { batchColumns } from './batch.store.ts'
import { type BatchRoom, type BatchRow, batchLine } from './batch.ts'
import { batchesBounds } from './bounds.ts'

/** A batch that this worker holds. `claim` is the fence. */
export type ClaimedBatch = Pick<ClaimedItem, 'org' | 'id' | 'claim' | 'tries'>

export const batchWork = workRows('batches', { where: 'due_at is not null' })

/**
 * Makes batches due whose runs have ended. For the transaction that assigns positions to events: every way to end a run writes an
 * event. Answers how many it woke. The order of the ids prevents deadlocks with other transactions that lock several batches.
 */
// crosses organisations: the events of a position batch belong to many organisations.
export const wakeBatches = async (
  tx: Tx,
  events: { ids: readonly string[]; firstId: string; lastId: string },
): Promise<number> => {
  const woken = await tx.query(wake({ eventIds: events.ids, firstId: events.firstId, lastId: events.lastId }))
  return woken.length
}

export type LockedBatch = BatchRow & { cursor: number; is_expired: boolean }

/** Null: another worker has it. Locked until the commit. */
export const lockHeld = async (
  tx: Tx,
  org: string,
  { id, claim }: Pick<ClaimedBatch, 'id' | 'claim'>,
): Promise<LockedBatch | null> => {
  const rows = await tx.query(lock({ org, id, claim }))
  if (rows.length === 0) return null
  // New statements: they see all runs that ended before the lock. A run that ends later makes the batch due again.
  const runIds = (await tx.query(waits({ org, id }))).map(({ run_id }) => run_id)
  if (runIds.length > 0) await tx.query(settle({ org, id, runIds, ...idBounds(runIds) }))
  const [row] = await tx.query(read({ org, id, days: batchLimits.batchMaxDays }))
  return row ?? null
}

export const readRoom = async (tx: Tx, org: string, { agent_id: agentId }: BatchRow): Promise<BatchRoom> => {
  const [row] = await tx.query(room({ org, agentId }))
  return row ?? { allowed: 0, agentAllows: null, inLine: 0, agentInLine: 0, active: 1 }
}

/** Items of a cancelled batch that one transaction drops. */
const dropsPerRound = batchesBounds.dropsTogether.count

export const dropItems = async (tx: Tx, org: string, { id, cursor }: LockedBatch): Promise<void> => {
  await tx.query(drop({ org, id, cursor, limit: dropsPerRound }))
}

export const refuseRest = async (
  tx: Tx,
  org: string,
  { id, cursor }: LockedBatch,
  refusal: { code: string; message: string },
): Promise<void> => {
  await tx.query(refuseWaiting({ org, id, cursor, limit: dropsPerRound, ...refusal }))
}

export type ItemRefusal = { number: number; code: string; message: string }

export const storeRefusals = async (
  tx: Tx,
  org: string,
  { id }: ClaimedBatch,
  refusals: readonly ItemRefusal[],
): Promise<void> => {
  await tx.query(refuse({ org, id, refusals: JSON.stringify(refusals) }))
}

/** Moves the cursor to the first item that waits. */
export const moveCursor = async (tx: Tx, org: string, { id }: ClaimedBatch): Promise<void> => {
  await tx.query(advance({ org, id }))
}

/** Gives the batch back. It is due after this time. */
export const releaseBatch = async (
  tx: Tx,
  org: string,
  { id, claim }: ClaimedBatch,
  afterSeconds: number,
): Promise<void> => {
  await tx.query(release({ org, id, claim, afterSeconds }))
}

export const endBatch = async (
  tx: Tx,
  org: string,
  { id }: ClaimedBatch,
  status: 'completed' | 'cancelled',
): Promise<void> => {
  await tx.query(end({ org, id, status }))
}

/** Runs of a cancelled batch to which the cancel was not passed on, or some time ago. */
export const listUncancelled = async (
  db: Database,
  org: string,
  { id }: ClaimedBatch,
  { limit, againAfterSeconds }: { limit: number; againAfterSeconds: number },
): Promise<string[]> =>
  (await db.once(org, uncancelled({ org, id, limit, againAfterSeconds }))).map(({ run_id }) => run_id)

export const noteCancels = async (db: Database, org: string, runIds: readonly string[]): Promise<void> => {
  await db.once(org, noteCancelled({ org, runIds }))
}

/** Erases the inputs from the cursor on, up to the number `to`, and moves the cursor there. */
export const eraseInputs = async (
  tx: Tx,
  org: string,
  { id }: ClaimedBatch,
  { from, to }: { from: number; to: number },
): Promise<void> => {
  await tx.query(eraseItems({ org, id, from, to }))
  await tx.query(eraseTo({ org, id, to }))
}

export const endErasure = async (tx: Tx, org: string, { id }: ClaimedBatch): Promise<void> => {
  await tx.query(erased({ org, id }))
}

const wake = statement<{ eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid }, { id: string }>(
  'batches.wake',
  sql`with ended as materialized (
     select distinct w.batch_id
       from unnest(:eventIds::uuid[]) as u (id)
       cross join lateral (
         select e.subject_id from events e
          where e.id = u.id and e.id >= :firstId and e.id <= :lastId and e.type in ('run.completed', 'run.failed', 'run.cancelled')
          limit 1) e
       cross join lateral (select w.batch_id from batch_waits w where w.run_id = e.subject_id limit 1) w
      -- Without any batch, one lookup is all.
      where exists (select from batch_waits)
   ), asleep as materialized (
     select b.id from batches b
      where b.id = any (array(select batch_id from ended)) and ${isAsleep} order by b.id for update
   )
   update batches b set due_at = app_now() where b.id = any (array(select id from asleep)) returning b.id`,
)

type One = { org: Uuid; id: Uuid }

const lock = statement<One & { claim: string }, { id: string }>(
  'batches.lock_held',
  sql`select id from batches where org_id = :org and id = :id and claim = :claim::bigint and due_at is not null for update`,
)

const waits = statement<One, { run_id: string }>(
  'batches.waits',
  sql`select run_id from batch_waits where org_id = :org and batch_id = :id`,
)

const settle = statement<One & { runIds: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }>(
  'batches.settle',
  sql`with result as materialized (
     select u.id, e.status from unnest(:runIds::uuid[]) as u (id)
       cross join lateral (
         select e.status from run_results e
          where e.org_id = :org and e.run_id = u.id and e.run_id between :firstId and :lastId limit 1) e
   ), counted as (
     delete from batch_waits w where w.org_id = :org and w.run_id = any (array(select id from result)) returning w.run_id
   ), ended as (
     select status from result where id in (select run_id from counted)
   )
   update batches b
      set completed = b.completed + n.completed, failed = b.failed + n.failed, cancelled = b.cancelled + n.cancelled
     from (select count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed,
                  count(*) filter (where status = 'cancelled') as cancelled, count(*) as all_ended from ended) n
    where b.org_id = :org and b.id = :id and n.all_ended > 0`,
)

const read = statement<One & { days: number }, LockedBatch>(
  'batches.read_held',
  sql`select ${batchColumns}, b.cursor, b.created_at <= app_now() - make_interval(days => :days::integer) as is_expired
     from batches b where b.org_id = :org and b.id = :id`,
)

const room = statement<{ org: Uuid; agentId: Uuid }, BatchRoom>(
  'batches.room',
  sql`select o.concurrent_runs as allowed, concurrency_of_agent(:org, :agentId) as "agentAllows", l.runs as "inLine",
          l.of_agent as "agentInLine",
          (select count(*)::integer from batches b where b.org_id = :org and b.finished_at is null) as active
     from organisations o
     cross join lateral (
       select count(*)::integer as runs, (count(*) filter (where agent_id = :agentId))::integer as of_agent from (
         select agent_id from run_heads
          where org_id = :org and waits_for = '${batchLine}' and created_at < 'infinity' limit o.concurrent_runs) h) l
    where o.id = :org`,
)

const nextWaiting = sql`select number from batch_items
       where org_id = :org and batch_id = :id and number >= :cursor and state = 'waiting' order by number limit :limit for update`

const drop = statement<One & { cursor: number; limit: number }>(
  'batches.drop_items',
  sql`with next as materialized (
     ${nextWaiting}
   ), dropped as (
     update batch_items i set state = 'dropped', input = null
      where i.org_id = :org and i.batch_id = :id and i.number = any (array(select number from next))
     returning i.number
   )
   update batches set dropped = dropped + (select count(*) from dropped) where org_id = :org and id = :id`,
)

const refuseWaiting = statement<One & { cursor: number; limit: number; code: string; message: string }>(
  'batches.refuse_rest',
  sql`with next as materialized (
     ${nextWaiting}
   ), refused as (
     update batch_items i set state = 'refused', code = :code, message = :message, input = null
      where i.org_id = :org and i.batch_id = :id and i.number = any (array(select number from next))
     returning i.number
   )
   update batches set refused = refused + (select count(*) from refused) where org_id = :org and id = :id`,
)

const refuse = statement<One & { refusals: Json }>(
  'batches.refuse',
  sql`with refused as (
     update batch_items i set state = 'refused', code = n.code, message = n.message, input = null
       from json_to_recordset(:refusals::json) as n (number integer, code text, message text)
      where i.org_id = :org and i.batch_id = :id and i.number = n.number and i.state = 'waiting'
     returning i.number
   )
   update batches set refused = refused + (select count(*) from refused) where org_id = :org and id = :id`,
)

const advance = statement<One>(
  'batches.move_cursor',
  sql`update batches b set cursor = coalesce((
        select i.number from batch_items i
         where i.org_id = :org and i.batch_id = :id and i.number >= b.cursor and i.state = 'waiting' order by i.number limit 1), b.items)
    where b.org_id = :org and b.id = :id`,
)

const release = statement<One & { claim: string; afterSeconds: number }>(
  'batches.release',
  sql`update batches set held_until = null, tries = 0, due_at = app_now() + make_interval(secs => :afterSeconds::double precision)
    where org_id = :org and id = :id and claim = :claim::bigint and due_at is not null`,
)

const end = statement<One & { status: string }>(
  'batches.end',
  // No item keeps its input.
  sql`update batches set status = :status, finished_at = app_now(), due_at = null, held_until = null, cursor = items, bytes = 0
    where org_id = :org and id = :id`,
)

const uncancelled = statement<One & { limit: number; againAfterSeconds: number }, { run_id: string }>(
  'batches.uncancelled',
  sql`select run_id from batch_waits
    where org_id = :org and batch_id = :id
      and (cancelled_at is null or cancelled_at <= app_now() - make_interval(secs => :againAfterSeconds::integer))
    order by run_id limit :limit`,
)

const noteCancelled = statement<{ org: Uuid; runIds: readonly Uuid[] }>(
  'batches.note_cancels',
  sql`update batch_waits set cancelled_at = app_now() where org_id = :org and run_id = any (:runIds::uuid[])`,
)

const eraseItems = statement<One & { from: number; to: number }>(
  'batches.erase_items',
  sql`update batch_items set input = null, custom_id = null, message = case when message is not null then 'Erased' end
    where org_id = :org and batch_id = :id and number >= :from and number < :to`,
)

const eraseTo = statement<One & { to: number }>(
  'batches.erase_to',
  sql`update batches set cursor = :to where org_id = :org and id = :id`,
)

const erased = statement<One>(
  'batches.erased',
  sql`update batches set metadata = '{}', bytes = 0, erased_at = app_now(), due_at = null, held_until = null where org_id = :org and id = :id`,
)
