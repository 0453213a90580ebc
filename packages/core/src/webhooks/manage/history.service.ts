import { Answer, type DeliveryId, type EventId, type WebhookId, type Delivery as WireDelivery } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { createdWithin, pageSize, toList } from '../../page.ts'
import { deliveryChannel, toWireDelivery } from '../webhook/delivery.ts'
import { insertDelivery } from '../webhook/delivery-new.store.ts'
import { firstIdAfter, idsWithin, narrow, timeOf } from '../webhook/id-window.ts'
import { findWebhook, lockWebhook } from '../webhook/webhook.store.ts'
import { requireActive, requireWebhook, type Webhook } from '../webhook/webhook.ts'
import type { Admin } from '../webhook/webhook-parts.service.ts'
import { findDelivery, listDeliveries, readSent } from './history.store.ts'

export type HistoryService = {
  /** Newest first, with their attempts. */
  deliveries(ctx: Reader, page: ListDeliveries): Promise<ReturnType<typeof toList<WireDelivery>>>
  /** With the request and the response of each attempt. */
  delivery(ctx: Reader, ids: DeliveryIds): Promise<WireDelivery>
  /** Sends the event of a delivery again, as a new delivery. */
  redeliver(ctx: Admin, ids: DeliveryIds): Promise<Answer<WireDelivery>>
}

type Reader = Pick<Admin, 'org'>
type DeliveryIds = { id: WebhookId; delivery_id: DeliveryId }

type ListDeliveries = {
  id: WebhookId
  limit?: number | undefined
  after?: DeliveryId | undefined
  before?: DeliveryId | undefined
  status?: WireDelivery['status'] | undefined
  event_id?: EventId | undefined
  event_type?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  pubSub: Pick<PubSub, 'publish'>
}

export const createHistory = ({ app, newId, pubSub }: Deps): HistoryService => {
  const get = async (org: string, id: WebhookId): Promise<Webhook> =>
    requireWebhook(await findWebhook(app, org, toUuid(id)), id)

  const find = async (org: string, ids: DeliveryIds): Promise<WireDelivery> => {
    await get(org, ids.id)
    const found = await findDelivery(app, org, { webhookId: toUuid(ids.id), id: toUuid(ids.delivery_id) })
    if (!found) throw new Fault('not_found', `Webhook ${ids.id} has no delivery ${ids.delivery_id}`)
    return toWireDelivery(found.delivery, found.attempts, found.body)
  }

  const redeliver = async (ctx: Admin, ids: DeliveryIds): Promise<DeliveryId> => {
    const webhookId = toUuid(ids.id)
    const again = newId('dlv')
    await app.transaction(ctx.org, async (tx) => {
      const webhook = await lockWebhook(tx, ctx.org, webhookId)
      const sent = webhook && (await readSent(tx, ctx.org, { webhookId, id: toUuid(ids.delivery_id) }))
      if (!sent)
        throw new Fault('not_found', `Webhook ${ids.id} has no delivery ${ids.delivery_id} whose event is kept`)
      requireActive(webhook)
      const delivery = { id: toUuid(again), eventId: sent.event_id, eventType: sent.event_type }
      await insertDelivery(tx, ctx.org, { webhookId, source: 'redelivery', delivery })
      const after = { delivery_id: again, of: ids.delivery_id, event_id: fromUuid('evt', sent.event_id) }
      const act = { action: 'webhook.redelivered', subject: ids.id, after }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
    })
    pubSub.publish(deliveryChannel, '')
    return again
  }

  return {
    delivery: ({ org }, ids) => find(org, ids),
    redeliver: async (ctx, ids) => {
      const delivery = await find(ctx.org, { id: ids.id, delivery_id: await redeliver(ctx, ids) })
      return new Answer(delivery, { headers: { location: `/v2/webhooks/${ids.id}/deliveries/${delivery.id}` } })
    },
    deliveries: async ({ org }, page) => {
      const { createdAfter, createdBefore } = createdWithin(page)
      const webhook = await get(org, page.id)
      const window = idsWithin({ since: createdAfter, until: createdBefore })
      const own = narrow(window, { above: firstIdAfter(webhook), below: null })
      const eventId = page.event_id === undefined ? null : toUuid(page.event_id)
      // A delivery is created after its event.
      const since = eventId === null ? null : idsWithin({ since: timeOf(eventId), until: null }).from
      const { deliveries, attempts } = await listDeliveries(app, org, {
        webhookId: webhook.id,
        status: page.status ?? null,
        eventId,
        eventType: page.event_type ?? null,
        createdAfter,
        createdBefore,
        ids: narrow(narrow(own, { above: since, below: null }), {
          above: page.before === undefined ? null : toUuid(page.before),
          below: page.after === undefined ? null : toUuid(page.after),
        }),
        order: page.before === undefined ? 'desc' : 'asc',
        limit: pageSize(page) + 1,
      })
      return toList(
        deliveries.map((delivery) => toWireDelivery(delivery, attempts)),
        page,
      )
    },
  }
}
