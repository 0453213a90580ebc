import { Answer, type Delivery, type EventType, eventSample, isEventType, type WebhookId } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { recordEvent } from '../../events/index.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { deliveryAddress, deliveryChannel, toWireDelivery } from '../webhook/delivery.ts'
import { insertDelivery } from '../webhook/delivery-new.store.ts'
import { lockWebhook } from '../webhook/webhook.store.ts'
import { requireActive, requireWebhook } from '../webhook/webhook.ts'
import type { KeyedAdmin, WebhookDeps } from '../webhook/webhook-parts.service.ts'
import { getDelivery } from './history.service.ts'

export type TestService = {
  /** An event for this endpoint only. */
  test(ctx: KeyedAdmin, asked: AskedTest): Promise<Answer<Delivery>>
  /** The delivery of an earlier request with the same key, or null. */
  findTest(ctx: KeyedAdmin, asked: AskedTest): Promise<Answer<Delivery> | null>
}

export type AskedTest = { id: WebhookId; event_type?: string | undefined }

export const createTests = ({ app, newId, pubSub }: Pick<WebhookDeps, 'app' | 'newId' | 'pubSub'>): TestService => {
  const onceOf = (ctx: KeyedAdmin, { id, event_type: type = 'test' }: AskedTest): Once<Delivery> => {
    const webhookId = toUuid(id)
    const deliveryId = newId('dlv')
    const answer = (delivery: Delivery) =>
      new Answer(delivery, { headers: { location: deliveryAddress(id, delivery.id) } })
    return {
      thing: 'delivery',
      fingerprint: sha256(canonicalJson({ way: 'test', id, type })),
      id: toUuid(deliveryId),
      replay: async (found) => answer(await getDelivery(app, ctx.org, { id, delivery_id: fromUuid('dlv', found) })),
      create: async (tx) => {
        const eventType = requireType(type)
        requireActive(requireWebhook(await lockWebhook(tx, ctx.org, webhookId), id))
        const eventId = toUuid(newId('evt'))
        await recordEvent(tx, ctx.org, {
          id: eventId,
          type: eventType,
          subjectId: webhookId,
          data: dataOf(eventType, id),
          webhookId,
        })
        const delivery = { id: toUuid(deliveryId), eventId, eventType }
        const inserted = await insertDelivery(tx, ctx.org, { webhookId, source: 'test', delivery })
        const after = { event_type: type, event_id: fromUuid('evt', eventId) }
        const act = { action: 'webhook.tested', subject: id, after }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        const { status, created_at } = inserted
        const known = { webhook_id: webhookId, event_id: eventId, event_type: eventType, source: 'test' } as const
        const next_attempt_at = status === 'pending' ? created_at : null
        return answer(toWireDelivery({ ...inserted, ...known, next_attempt_at }, []))
      },
    }
  }

  return {
    findTest: (ctx, asked) => findReplayOf(app, ctx, onceOf(ctx, asked)),
    test: async (ctx, asked) => {
      const answer = await createOnce(app, ctx, onceOf(ctx, asked))
      pubSub.publish(deliveryChannel, '')
      return answer
    },
  }
}

const requireType = (type: string): EventType => {
  if (isEventType(type)) return type
  throw new Fault('event_unknown', `There is no event ${JSON.stringify(type)}`, { param: 'event_type' })
}

const dataOf = (type: EventType, id: WebhookId): Readonly<Record<string, unknown>> =>
  type === 'test' ? { ...eventSample(type), webhook_id: id } : eventSample(type)
