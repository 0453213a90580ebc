import { limits } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { EventBatch } from '../../events/index.ts'

/**
 * Creates a delivery of each event of the batch for each endpoint that subscribes to its type. An endpoint with too many
 * waiting deliveries gets failed ones, which a recovery can send later. Answers the number of deliveries by organisation.
 */
// crosses organisations: a batch holds events of all organisations; an event is matched only with endpoints of its organisation.
export const fanOutEvents = (
  tx: Tx,
  { ids, firstId, lastId }: EventBatch,
): Promise<{ org_id: string; deliveries: number }[]> => tx.query(fanOut({ eventIds: ids, firstId, lastId }))

const tooMany = `More than ${limits.deliveriesWaitingPerWebhook} deliveries wait for this endpoint; recover it later`

type FanOutParameters = { eventIds: readonly Uuid[]; firstId: Uuid; lastId: Uuid }

const fanOut = statement<FanOutParameters, { org_id: string; deliveries: number }>(
  'webhooks.fan_out',
  sql`with matched as (
     select e.id as event_id, e.org_id, e.type, w.id as webhook_id,
            row_number() over (partition by w.id order by e.position) as n
       from events e join webhooks w on w.org_id = e.org_id
      where e.id = any (:eventIds::uuid[]) and e.id >= :firstId and e.id <= :lastId
        and e.webhook_id is null and w.disabled_at is null and w.created_at <= e.created_at
        and w.events && array[e.type, '*']

   -- Endpoint queues are locked in the order of their ids, as everywhere. The limit is checked under the lock.
   ), lanes as (
     select l.webhook_id, l.waiting from webhook_lanes l
      where l.webhook_id in (select webhook_id from matched)
      order by l.webhook_id for update
   ), placed as (
     select new_uuid() as delivery_id, m.event_id, m.org_id, m.type, m.webhook_id,
            l.waiting + m.n <= ${limits.deliveriesWaitingPerWebhook} as fits
       from matched m join lanes l on l.webhook_id = m.webhook_id
   ), heads as (
     insert into delivery_heads (delivery_id, org_id, webhook_id, event_id, due_at)
     select delivery_id, org_id, webhook_id, event_id, app_now() from placed where fits
   ), made as (
     insert into deliveries (id, org_id, webhook_id, event_id, event_type, source, status, error, ended_at)
     select delivery_id, org_id, webhook_id, event_id, type, 'event', case when fits then 'pending' else 'failed' end,
            case when not fits then '${tooMany}' end, case when not fits then app_now() end
       from placed
   ), raised as (
     update webhook_lanes l
        set waiting = l.waiting + p.fitting,
            -- An endpoint at its limit of requests in flight stays as it is: the attempt that ends makes it due again.
            due_at = case when l.under_way < ${limits.deliveriesUnderWayPerWebhook}
              then least(l.due_at, greatest(app_now(), l.rest_until)) else l.due_at end
       from (select webhook_id, count(*)::integer as fitting from placed where fits group by webhook_id) p
      where l.webhook_id = p.webhook_id
   )
   select org_id, count(*)::integer as deliveries from placed group by org_id`,
)
