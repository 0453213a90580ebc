import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** How many are ended with the change that ends them. What is left beyond it, a sweep ends. */
const waitingEndedAtOnce = 1000

export type EndWaiting = {
  webhookId: string
  /** Why nothing was sent, in words. */
  error: string
  /** `waiting`: an attempt that is under way comes to its own end. `all`: nobody will ask for that. */
  which: 'waiting' | 'all'
}

/**
 * Ends what waits for an endpoint that is paused, disabled or deleted, oldest event first. Under the lock of its lane. Answers
 * with the time of the oldest event that was to be told and now is not, or that nobody has been told of yet; null: there is none.
 */
export const endWaiting = async (
  tx: Tx,
  org: string,
  { webhookId, error, which }: EndWaiting,
): Promise<{ oldest: Date | null }> => {
  const [row] = await tx.query<{ oldest: Date | null }>(end(org, webhookId, error, which === 'all', waitingEndedAtOnce))
  return { oldest: row?.oldest ?? null }
}

const end = statement(
  'webhooks.end_waiting',
  `with ended as (
     delete from delivery_heads
      where org_id = $1 and delivery_id in (
        select delivery_id from delivery_heads
         where org_id = $1 and webhook_id = $2 and ($4::boolean or lease_until is null)
         order by event_id limit $5)
     returning delivery_id, lease_until
   ), closed as (
     update deliveries set status = 'failed', error = $3, ended_at = app_now()
      where org_id = $1 and id in (select delivery_id from ended)
     returning event_id, source
   ), lane as (
     update webhook_lanes
        set waiting = waiting - (select count(*) from ended)::integer,
            under_way = under_way - (select count(*) from ended where lease_until is not null)::integer,
            due_at = case when waiting > (select count(*) from ended) then due_at end
      where org_id = $1 and webhook_id = $2
   )
   select least(
     (select created_at from events
       where org_id = $1 and id = (select event_id from closed where source = 'event' order by event_id limit 1)),
     (select created_at from events
       where org_id = $1 and position is null and webhook_id is null order by id limit 1)) as oldest`,
)
