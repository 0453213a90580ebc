import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** All ids are UUIDs; `id` is the delivery's own. */
export type NewDelivery = { id: string; eventId: string; eventType: string }

export type NewDeliveries = {
  webhookId: string
  source: 'test' | 'redelivery' | 'recovery'
  recoveryId?: string | undefined
  deliveries: readonly NewDelivery[]
}

/** `failed` from the beginning, with words in `error`, when too many wait for this endpoint. */
export type InsertedDelivery = {
  id: string
  status: 'pending' | 'failed'
  error: string | null
  created_at: Date
  ended_at: Date | null
}

/**
 * Deliveries of events to one endpoint, due at once. Whoever calls it has seen in this transaction that the endpoint is
 * there and active, and tells the senders after the commit (`deliveryChannel`).
 *
 * The lane is locked first, here as everywhere: lane, then webhook, then heads, then deliveries. Nobody who keeps to this
 * order waits in a circle.
 */
export const insertDeliveries = async (
  tx: Tx,
  org: string,
  { webhookId, source, recoveryId, deliveries }: NewDeliveries,
): Promise<InsertedDelivery[]> => {
  const asked = deliveries.map(({ id, eventId, eventType }) => ({ id, event_id: eventId, event_type: eventType }))
  return tx.query<InsertedDelivery>(insert(org, webhookId, source, recoveryId ?? null, JSON.stringify(asked)))
}

/** One of them. */
export const insertDelivery = async (
  tx: Tx,
  org: string,
  { delivery, ...rest }: Omit<NewDeliveries, 'deliveries'> & { delivery: NewDelivery },
): Promise<InsertedDelivery> => {
  const [row] = await insertDeliveries(tx, org, { ...rest, deliveries: [delivery] })
  if (!row) throw new Error('The database did not answer with the delivery that was inserted')
  return row
}

const tooMany = `More than ${limits.deliveriesWaitingPerWebhook} deliveries wait for this endpoint; recover it later`

const insert = statement(
  'deliveries.insert_due',
  `with lane as (
     select waiting from webhook_lanes where org_id = $1 and webhook_id = $2 for update
   ), placed as (
     select a.id, a.event_id, a.event_type,
            lane.waiting + row_number() over (order by a.id) <= ${limits.deliveriesWaitingPerWebhook} as fits
       from lane, json_to_recordset($5::json) as a (id uuid, event_id uuid, event_type text)
   ), heads as (
     insert into delivery_heads (delivery_id, org_id, webhook_id, event_id, due_at)
     select id, $1, $2, event_id, app_now() from placed where fits
   ), raised as (
     update webhook_lanes
        set waiting = waiting + (select count(*) from placed where fits)::integer,
            -- A rest is kept: what is due during it waits for its end. Of an endpoint that is full nothing may be done until
            -- a place comes free, and whoever frees it says so.
            due_at = case when under_way < ${limits.deliveriesUnderWayPerWebhook}
              then least(due_at, greatest(app_now(), rest_until)) else due_at end
      where org_id = $1 and webhook_id = $2 and exists (select from placed where fits)
   )
   insert into deliveries (id, org_id, webhook_id, event_id, event_type, status, source, recovery_id, error, ended_at)
   select id, $1, $2, event_id, event_type, case when fits then 'pending' else 'failed' end, $3, $4,
          case when not fits then '${tooMany}' end, case when not fits then app_now() end
     from placed order by id
   returning id, status, error, created_at, ended_at`,
)
