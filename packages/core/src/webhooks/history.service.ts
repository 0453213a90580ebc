import {
  Answer,
  type DeliveryId,
  type EventId,
  type WebhookId,
  type Delivery as WireDelivery,
  type Event as WireEvent,
} from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Wakeups } from '@ars/platform/redis/redis'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { EventService } from '../events/index.ts'
import { Fault } from '../fault.ts'
import { createdWithin, pageSize, toList } from '../page.ts'
import { toWireDelivery } from './delivery.ts'
import { deliveryChannel } from './delivery-channel.ts'
import { insertDelivery } from './delivery-new.store.ts'
import { findDelivery, listDeliveries, readSent } from './history.store.ts'
import { firstIdAfter, idsWithin, narrow, timeOf } from './id-window.ts'
import { createMissed, type MissedPage } from './missed.service.ts'
import { findWebhook, lockWebhook } from './webhook.store.ts'
import type { Webhook } from './webhook.ts'
import type { Admin } from './webhook-parts.service.ts'

export type HistoryService = {
  /** Newest first, with their attempts. */
  deliveries(ctx: Reader, page: ListDeliveries): Promise<ReturnType<typeof toList<WireDelivery>>>
  /** With what was sent and what was answered. */
  delivery(ctx: Reader, ids: DeliveryIds): Promise<WireDelivery>
  /** Sends the event of a delivery again, as a delivery of its own. */
  redeliver(ctx: Admin, ids: DeliveryIds): Promise<Answer<WireDelivery>>
  /** Events that the endpoint never acknowledged, newest first. */
  missed(ctx: Reader, page: MissedPage): Promise<ReturnType<typeof toList<WireEvent>>>
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
  wakeups: Pick<Wakeups, 'publish'>
  events: Pick<EventService, 'envelopesOf'>
}

export const createHistory = ({ app, newId, wakeups, events }: Deps): HistoryService => {
  const get = async (org: string, id: WebhookId): Promise<Webhook> => {
    const webhook = await findWebhook(app, org, toUuid(id))
    if (!webhook) throw new Fault('not_found', `No webhook ${id}`)
    return webhook
  }

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
    wakeups.publish(deliveryChannel, '')
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
      // A delivery is made after its event.
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
    missed: createMissed({ app, events, get }),
  }
}

export const requireActive = (webhook: Pick<Webhook, 'id' | 'disabled_at'>): void => {
  if (webhook.disabled_at === null) return
  throw new Fault('webhook_inactive', `Webhook ${fromUuid('wh', webhook.id)} is not active, so nothing is sent to it`)
}
