import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { statement } from '@ars/platform/db/statement'
import { notSentTo } from './lane.ts'

/*
 * Everything in this file looks across organisations, as role `ars_system`: it ends what nobody would ever send, and puts right
 * what a fault may have left. No answer of it reaches a customer.
 */

/** Deliveries that are ended in one transaction. */
export const leftoversPerBatch = 1000

// crosses organisations: endpoints that were paused or disabled while deliveries waited for them, whoever they belong to.
export const listDisabledLanes = async (db: Database): Promise<string[]> =>
  (await db.once<{ webhook_id: string }>(null, disabledLanes())).map(({ webhook_id }) => webhook_id)

// crosses organisations: endpoints that were deleted while deliveries waited for them.
export const listDeletedLanes = async (db: Database): Promise<string[]> =>
  (await db.once<{ webhook_id: string }>(null, deletedLanes())).map(({ webhook_id }) => webhook_id)

/** Ends so many of what waits for one endpoint that is not active. Attempts under way come to their own end. */
// crosses organisations: the endpoint was found in all of them.
export const endLeftovers = (db: Database, webhookId: string): Promise<number> =>
  db.transaction(null, async (tx) => {
    // The lane comes first, as everywhere; one that was enabled again meanwhile is seen by the second statement.
    const [, , [row]] = await Promise.all([
      tx.query(preferIndexes()),
      tx.query(lockLane(webhookId)),
      tx.query<{ ended: number }>(end(webhookId, leftoversPerBatch, notSentTo.disabled, notSentTo.deleted)),
    ])
    return row?.ended ?? 0
  })

// crosses organisations: endpoints whose counts are not what their heads say.
export const listWrongLanes = async (db: Database): Promise<string[]> =>
  (await db.once<{ webhook_id: string }>(null, wrongLanes())).map(({ webhook_id }) => webhook_id)

/** Counts again, under the lock. True: something was wrong indeed, and not only on its way. */
// crosses organisations: the endpoint was found in all of them.
export const repairLane = (db: Database, webhookId: string): Promise<boolean> =>
  db.transaction(null, async (tx) => {
    const [, repaired] = await Promise.all([tx.query(lockLane(webhookId)), tx.query(repair(webhookId))])
    return repaired.length > 0
  })

const disabledLanes = statement(
  'leftovers.disabled_lanes',
  `select l.webhook_id from webhook_lanes l join webhooks w on w.id = l.webhook_id
    where l.due_at is not null and w.disabled_at is not null and l.waiting > l.under_way limit 100`,
)

// From one endpoint to the next through the index, however many deliveries wait for each.
const deletedLanes = statement(
  'leftovers.deleted_lanes',
  `with recursive lane as (
     (select webhook_id from delivery_heads where lease_until is null order by webhook_id limit 1)
     union all
     select next.webhook_id from lane cross join lateral (
       select webhook_id from delivery_heads where lease_until is null and webhook_id > lane.webhook_id
        order by webhook_id limit 1) next
   )
   select lane.webhook_id from lane where not exists (select from webhooks w where w.id = lane.webhook_id) limit 100`,
)

const lockLane = statement(
  'leftovers.lock_lane',
  'select webhook_id from webhook_lanes where webhook_id = $1 for update',
)

const end = statement(
  'leftovers.end',
  `with inactive as (
     select case when w.id is null then $4 else $3 end as words
       from (select $1::uuid as id) asked left join webhooks w on w.id = asked.id
      where w.id is null or w.disabled_at is not null
   ), ended as (
     delete from delivery_heads
      where delivery_id in (
        select h.delivery_id from delivery_heads h, inactive
         where h.webhook_id = $1 and h.lease_until is null order by h.due_at limit $2)
     returning delivery_id
   ), closed as (
     update deliveries d set status = 'failed', error = inactive.words, ended_at = app_now()
       from inactive where d.id in (select delivery_id from ended)
   ), lane as (
     update webhook_lanes l
        set waiting = greatest(l.waiting - (select count(*) from ended)::integer, 0),
            due_at = case when (select count(*) from ended) = $2 then l.due_at end
      where l.webhook_id = $1 and exists (select from inactive)
   )
   select count(*)::integer as ended from ended`,
)

const wrongLanes = statement(
  'leftovers.wrong_lanes',
  `select l.webhook_id
     from webhook_lanes l
     left join (select webhook_id, count(*) as waiting, count(lease_until) as under_way
                  from delivery_heads group by webhook_id) h on h.webhook_id = l.webhook_id
    where l.waiting <> coalesce(h.waiting, 0) or l.under_way <> coalesce(h.under_way, 0)
    limit 100`,
)

const repair = statement(
  'leftovers.repair',
  `update webhook_lanes l
      set waiting = h.waiting, under_way = h.under_way, due_at = case when h.waiting > h.under_way then app_now() end
     from (select count(*)::integer as waiting, count(lease_until)::integer as under_way
             from delivery_heads where webhook_id = $1) h
    where l.webhook_id = $1 and (l.waiting <> h.waiting or l.under_way <> h.under_way)
   returning l.webhook_id`,
)
