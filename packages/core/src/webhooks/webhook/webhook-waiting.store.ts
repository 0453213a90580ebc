import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { webhooksBounds } from '../bounds.ts'

/** Deliveries that end in the same transaction. A sweep ends the rest. */
const maxEndedAtOnce = webhooksBounds.waitingEnded.count

export type EndWaiting = {
  webhookId: string
  /** The message for the deliveries that were not sent. */
  error: string
  /** `waiting`: attempts in flight end normally. `all`: attempts in flight are ended too. */
  which: 'waiting' | 'all'
}

/**
 * Ends the deliveries that wait for an endpoint that is paused, disabled or deleted, oldest event first. The caller holds
 * the lock of the endpoint queue. `oldest`: the time of the oldest event that is not delivered now, or that has no position
 * yet; null: there is none.
 */
export const endWaiting = async (
  tx: Tx,
  org: string,
  { webhookId, error, which }: EndWaiting,
): Promise<{ oldest: Date | null }> => {
  const [row] = await tx.query(end({ org, webhookId, error, includesInFlight: which === 'all', limit: maxEndedAtOnce }))
  return { oldest: row?.oldest ?? null }
}

const end = statement<
  { org: Uuid; webhookId: Uuid; error: string; includesInFlight: boolean; limit: number },
  { oldest: Date | null }
>(
  'webhooks.end_waiting',
  sql`with ended as (
     delete from delivery_heads
      where org_id = :org and delivery_id in (
        select delivery_id from delivery_heads
         where org_id = :org and webhook_id = :webhookId and (:includesInFlight::boolean or lease_until is null)
         order by event_id limit :limit)
     returning delivery_id, lease_until
   ), closed as (
     update deliveries set status = 'failed', error = :error, ended_at = app_now()
      where org_id = :org and id in (select delivery_id from ended)
     returning event_id, source
   ), lane as (
     update webhook_lanes
        set waiting = waiting - (select count(*) from ended)::integer,
            under_way = under_way - (select count(*) from ended where lease_until is not null)::integer,
            due_at = case when waiting > (select count(*) from ended) then due_at end
      where org_id = :org and webhook_id = :webhookId
   )
   select least(
     (select created_at from events
       where org_id = :org and id = (select event_id from closed where source = 'event' order by event_id limit 1)),
     (select created_at from events
       where org_id = :org and position is null and webhook_id is null order by id limit 1)) as oldest`,
)
