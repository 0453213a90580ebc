import { Answer, type DeliveryId, type EventId, type WebhookId, type Delivery as WireDelivery } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { PubSub } from '@ars/platform/redis/pub-sub'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { createdWithin, pageSize, toList } from '../../page.ts'
import { deliveryAddress, deliveryChannel, toWireDelivery } from '../webhook/delivery.ts'
import { insertDelivery } from '../webhook/delivery-new.store.ts'
import { firstIdAfter, idsWithin, narrow, timeOf } from '../webhook/id-window.ts'
import { findWebhook, lockWebhook } from '../webhook/webhook.store.ts'
import { requireActive, requireWebhook, type Webhook } from '../webhook/webhook.ts'
import type { Admin, KeyedAdmin } from '../webhook/webhook-parts.service.ts'
import { findDelivery, listDeliveries, readSent } from './history.store.ts'

export type HistoryService = {
  /** Newest first, with their attempts. */
  deliveries(ctx: Reader, page: ListDeliveries): Promise<ReturnType<typeof toList<WireDelivery>>>
  /** With the request and the response of each attempt. */
  delivery(ctx: Reader, ids: DeliveryIds): Promise<WireDelivery>
  /** Sends the event of a delivery again, as a new delivery. */
  redeliver(ctx: KeyedAdmin, ids: DeliveryIds): Promise<Answer<WireDelivery>>
  /** The new delivery of an earlier request with the same key, or null. */
  findRedelivery(ctx: KeyedAdmin, ids: DeliveryIds): Promise<Answer<WireDelivery> | null>
}

type Reader = Pick<Admin, 'org'>
export type DeliveryIds = { id: WebhookId; delivery_id: DeliveryId }

type ListDeliveries = {
  id: WebhookId
  limit?: number | undefined
  after?: DeliveryId | undefined
  before?: DeliveryId | undefined
  status?: WireDelivery['status'][] | undefined
  event_id?: EventId | undefined
  event_type?: string[] | undefined
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

  const onceOf = (ctx: KeyedAdmin, ids: DeliveryIds): Once<WireDelivery> => {
    const webhookId = toUuid(ids.id)
    const again = newId('dlv')
    const answer = (delivery: WireDelivery) =>
      new Answer(delivery, { headers: { location: deliveryAddress(ids.id, delivery.id) } })
    return {
      thing: 'delivery',
      fingerprint: sha256(canonicalJson({ way: 'redeliver', ...ids })),
      id: toUuid(again),
      replay: async (found) =>
        answer(await getDelivery(app, ctx.org, { id: ids.id, delivery_id: fromUuid('dlv', found) })),
      create: async (tx) => {
        const webhook = await lockWebhook(tx, ctx.org, webhookId)
        const sent = webhook && (await readSent(tx, ctx.org, { webhookId, id: toUuid(ids.delivery_id) }))
        if (!sent) {
          throw new Fault('not_found', `Webhook ${ids.id} has no delivery ${ids.delivery_id} whose event is kept`)
        }
        requireActive(webhook)
        const delivery = { id: toUuid(again), eventId: sent.event_id, eventType: sent.event_type }
        const inserted = await insertDelivery(tx, ctx.org, { webhookId, source: 'redelivery', delivery })
        const after = { delivery_id: again, of: ids.delivery_id, event_id: fromUuid('evt', sent.event_id) }
        const act = { action: 'webhook.redelivered', subject: ids.id, after }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        const next_attempt_at = inserted.status === 'pending' ? inserted.created_at : null
        const known = { webhook_id: webhookId, ...sent, source: 'redelivery' } as const
        return answer(toWireDelivery({ ...inserted, ...known, next_attempt_at }, []))
      },
    }
  }

  return {
    delivery: ({ org }, ids) => getDelivery(app, org, ids),
    findRedelivery: (ctx, ids) => findReplayOf(app, ctx, onceOf(ctx, ids)),
    redeliver: async (ctx, ids) => {
      const answer = await createOnce(app, ctx, onceOf(ctx, ids))
      pubSub.publish(deliveryChannel, '')
      return answer
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
        statuses: page.status ?? null,
        eventId,
        eventTypes: page.event_type ?? null,
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

export const getDelivery = async (app: Database, org: string, ids: DeliveryIds): Promise<WireDelivery> => {
  requireWebhook(await findWebhook(app, org, toUuid(ids.id)), ids.id)
  const found = await findDelivery(app, org, { webhookId: toUuid(ids.id), id: toUuid(ids.delivery_id) })
  if (!found) throw new Fault('not_found', `Webhook ${ids.id} has no delivery ${ids.delivery_id}`)
  return toWireDelivery(found.delivery, found.attempts, found.body)
}
