import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'

/** All ids are UUIDs; `id` is that of the delivery. */
export type NewDelivery = { id: string; eventId: string; eventType: string }

export type NewDeliveries = {
  webhookId: string
  source: 'test' | 'redelivery' | 'recovery'
  recoveryId?: string | undefined
  deliveries: readonly NewDelivery[]
}

/** `failed` at once, with the reason in `error`, when too many deliveries wait for the endpoint. */
export type InsertedDelivery = {
  id: string
  status: 'pending' | 'failed'
  error: string | null
  created_at: Date
  ended_at: Date | null
}

/**
 * Creates deliveries of events to one endpoint, due at once. The caller has checked in this transaction that the endpoint
 * exists and is active, and notifies the senders after the commit (`deliveryChannel`).
 *
 * Locks are taken in one order everywhere: endpoint queue, webhook, delivery heads, deliveries. So they cannot deadlock.
 */
export const insertDeliveries = async (
  tx: Tx,
  org: string,
  { webhookId, source, recoveryId, deliveries }: NewDeliveries,
): Promise<InsertedDelivery[]> => {
  const rows = deliveries.map(({ id, eventId, eventType }) => ({ id, event_id: eventId, event_type: eventType }))
  return tx.query(insert({ org, webhookId, source, recoveryId: recoveryId ?? null, deliveries: JSON.stringify(rows) }))
}

/** One of them. */
export const insertDelivery = async (
  tx: Tx,
  org: string,
  { delivery, ...rest }: Omit<NewDeliveries, 'deliveries'> & { delivery: NewDelivery },
): Promise<InsertedDelivery> => {
  const [row] = await insertDeliveries(tx, org, { ...rest, deliveries: [delivery] })
  if (!row) throw new Error('The database did not return the delivery that was inserted')
  return row
}

const tooMany = `More than ${limits.deliveriesWaitingPerWebhook} deliveries wait for this endpoint; recover it later`

const insert = statement<
  { org: Uuid; webhookId: Uuid; source: string; recoveryId: Uuid | null; deliveries: Json },
  InsertedDelivery
>(
  'deliveries.insert_due',
  sql`with lane as (
     select waiting from webhook_lanes where org_id = :org and webhook_id = :webhookId for update
   ), placed as (
     select a.id, a.event_id, a.event_type,
            lane.waiting + row_number() over (order by a.id) <= ${limits.deliveriesWaitingPerWebhook} as fits
       from lane, json_to_recordset(:deliveries::json) as a (id uuid, event_id uuid, event_type text)
   ), heads as (
     insert into delivery_heads (delivery_id, org_id, webhook_id, event_id, due_at)
     select id, :org, :webhookId, event_id, app_now() from placed where fits
   ), raised as (
     update webhook_lanes
        set waiting = waiting + (select count(*) from placed where fits)::integer,
            -- A pause of the endpoint is kept. An endpoint at its limit of requests in flight stays as it is: the attempt
            -- that ends makes it due again.
            due_at = case when under_way < ${limits.deliveriesUnderWayPerWebhook}
              then least(due_at, greatest(app_now(), rest_until)) else due_at end
      where org_id = :org and webhook_id = :webhookId and exists (select from placed where fits)
   )
   insert into deliveries (id, org_id, webhook_id, event_id, event_type, status, source, recovery_id, error, ended_at)
   select id, :org, :webhookId, event_id, event_type, case when fits then 'pending' else 'failed' end, :source, :recoveryId,
          case when not fits then '${tooMany}' end, case when not fits then app_now() end
     from placed order by id
   returning id, status, error, created_at, ended_at`,
)
