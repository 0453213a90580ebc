import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { type NoParameters, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { webhooksBounds } from '../bounds.ts'
import { notSentTo } from '../webhook/endpoint-queue.ts'

/*
 * All statements of this file read all organisations, as role `ars_system`: they end deliveries that would never be sent,
 * and repair counts. No result of them reaches a customer.
 */

/** Deliveries that one transaction ends. */
export const orphansPerBatch = webhooksBounds.orphansEnded.count

// crosses organisations: endpoints of all organisations that were paused or disabled while deliveries waited.
export const listDisabledQueues = async (db: Database): Promise<string[]> =>
  (await db.once(null, disabledQueues())).map(({ webhook_id }) => webhook_id)

// crosses organisations: endpoints of all organisations that were deleted while deliveries waited.
export const listDeletedQueues = async (db: Database): Promise<string[]> =>
  (await db.once(null, deletedQueues())).map(({ webhook_id }) => webhook_id)

/** Ends a batch of the deliveries that wait for an inactive endpoint. Attempts in flight end normally. */
// crosses organisations: the endpoint was found in all of them.
export const endOrphans = (db: Database, webhookId: string): Promise<number> =>
  db.transaction(null, async (tx) => {
    // The queue is locked first, as everywhere. The second statement sees if the endpoint was enabled meanwhile.
    const [, , [row]] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query(lockQueue({ webhookId })),
      tx.query(
        end({
          webhookId,
          limit: orphansPerBatch,
          disabledError: notSentTo.disabled,
          deletedError: notSentTo.deleted,
        }),
      ),
    ])
    return row?.ended ?? 0
  })

// crosses organisations: endpoints of all organisations with pending deliveries of events older than this.
export const listOldQueues = async (db: Database, days: number): Promise<string[]> =>
  (await db.once(null, oldQueues({ days }))).map(({ webhook_id }) => webhook_id)

/** Ends a batch of the deliveries that wait although their event is about to be deleted. */
// crosses organisations: the endpoint was found in all of them.
export const endOldDeliveries = (db: Database, webhookId: string, days: number): Promise<number> =>
  db.transaction(null, async (tx) => {
    const [, , [row]] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query(lockQueue({ webhookId })),
      tx.query(endOld({ webhookId, days, limit: orphansPerBatch, error: notSentTo.expired })),
    ])
    return row?.ended ?? 0
  })

// crosses organisations: endpoints of all organisations whose counts differ from their delivery heads.
export const listWrongQueues = async (db: Database): Promise<string[]> =>
  (await db.once(null, wrongQueues())).map(({ webhook_id }) => webhook_id)

/** Counts again under the lock. True: the counts were wrong, and not only changing. */
// crosses organisations: the endpoint was found in all of them.
export const repairQueue = (db: Database, webhookId: string): Promise<boolean> =>
  db.transaction(null, async (tx) => {
    const [, repaired] = await Promise.all([tx.query(lockQueue({ webhookId })), tx.query(repair({ webhookId }))])
    return repaired.length > 0
  })

const disabledQueues = statement<NoParameters, { webhook_id: string }>(
  'leftovers.disabled_lanes',
  sql`select l.webhook_id from webhook_lanes l join webhooks w on w.id = l.webhook_id
    where l.due_at is not null and w.disabled_at is not null and l.waiting > l.under_way limit ${webhooksBounds.queuesRepaired.count}`,
)

const deletedQueues = statement<NoParameters, { webhook_id: string }>(
  'leftovers.deleted_lanes',
  sql`with recursive lane as (
     -- From one endpoint to the next through the index, for any number of deliveries.
     (select webhook_id from delivery_heads where lease_until is null order by webhook_id limit 1)
     union all
     select next.webhook_id from lane cross join lateral (
       select webhook_id from delivery_heads where lease_until is null and webhook_id > lane.webhook_id
        order by webhook_id limit 1) next
   )
   select lane.webhook_id from lane where not exists (select from webhooks w where w.id = lane.webhook_id) limit ${webhooksBounds.queuesRepaired.count}`,
)

const lockQueue = statement<{ webhookId: Uuid }>(
  'leftovers.lock_lane',
  sql`select webhook_id from webhook_lanes where webhook_id = :webhookId for update`,
)

const end = statement<
  { webhookId: Uuid; limit: number; disabledError: string; deletedError: string },
  { ended: number }
>(
  'leftovers.end',
  sql`with inactive as (
     select case when w.id is null then :deletedError else :disabledError end as error
       from (select :webhookId::uuid as id) asked left join webhooks w on w.id = asked.id
      where w.id is null or w.disabled_at is not null
   ), ended as (
     delete from delivery_heads
      where delivery_id in (
        select h.delivery_id from delivery_heads h, inactive
         where h.webhook_id = :webhookId and h.lease_until is null order by h.due_at limit :limit)
     returning delivery_id
   ), closed as (
     update deliveries d set status = 'failed', error = inactive.error, ended_at = app_now()
       from inactive where d.id in (select delivery_id from ended)
   ), lane as (
     update webhook_lanes l
        set waiting = greatest(l.waiting - (select count(*) from ended)::integer, 0),
            due_at = case when (select count(*) from ended) = :limit then l.due_at end
      where l.webhook_id = :webhookId and exists (select from inactive)
   )
   select count(*)::integer as ended from ended`,
)

const oldQueues = statement<{ days: number }, { webhook_id: string }>(
  'leftovers.old_lanes',
  sql`select distinct webhook_id from delivery_heads
    where lease_until is null and event_id < uuid_floor(app_now() - make_interval(days => :days))`,
)

const endOld = statement<{ webhookId: Uuid; days: number; limit: number; error: string }, { ended: number }>(
  'leftovers.end_old',
  sql`with ended as (
     delete from delivery_heads
      where delivery_id in (
        select delivery_id from delivery_heads
         where webhook_id = :webhookId and lease_until is null
           and event_id < uuid_floor(app_now() - make_interval(days => :days)) limit :limit)
     returning delivery_id
   ), closed as (
     update deliveries d set status = 'failed', error = :error, ended_at = app_now()
      where d.id in (select delivery_id from ended)
   ), lane as (
     update webhook_lanes l
        set waiting = greatest(l.waiting - n.ended, 0),
            due_at = case when l.waiting - n.ended > l.under_way then l.due_at end
       from (select count(*)::integer as ended from ended) n where l.webhook_id = :webhookId
   )
   select count(*)::integer as ended from ended`,
)

const wrongQueues = statement<NoParameters, { webhook_id: string }>(
  'leftovers.wrong_lanes',
  sql`select l.webhook_id
     from webhook_lanes l
     left join (select webhook_id, count(*) as waiting, count(lease_until) as under_way
                  from delivery_heads group by webhook_id) h on h.webhook_id = l.webhook_id
    where l.waiting <> coalesce(h.waiting, 0) or l.under_way <> coalesce(h.under_way, 0)
    limit ${webhooksBounds.queuesRepaired.count}`,
)

const repair = statement<{ webhookId: Uuid }>(
  'leftovers.repair',
  sql`update webhook_lanes l
      set waiting = h.waiting, under_way = h.under_way, due_at = case when h.waiting > h.under_way then app_now() end
     from (select count(*)::integer as waiting, count(lease_until)::integer as under_way
             from delivery_heads where webhook_id = :webhookId) h
    where l.webhook_id = :webhookId and (l.waiting <> h.waiting or l.under_way <> h.under_way)
   returning l.webhook_id`,
)
