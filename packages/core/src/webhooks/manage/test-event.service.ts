import { type Delivery, type EventType, eventSample, isEventType, type WebhookId } from '@ars/contract'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { recordEvent } from '../../events/index.ts'
import { Fault } from '../../fault.ts'
import { deliveryChannel, toWireDelivery } from '../webhook/delivery.ts'
import { insertDelivery } from '../webhook/delivery-new.store.ts'
import { lockWebhook } from '../webhook/webhook.store.ts'
import { requireWebhook } from '../webhook/webhook.ts'
import type { Admin, WebhookDeps } from '../webhook/webhook-parts.service.ts'

export type TestService = {
  /** An event for this endpoint only. */
  test(ctx: Admin, asked: { id: WebhookId; event_type?: string | undefined }): Promise<Delivery>
}

export const createTests = ({ app, newId, pubSub }: Pick<WebhookDeps, 'app' | 'newId' | 'pubSub'>): TestService => ({
  test: async (ctx, { id, event_type: type = 'test' }) => {
    if (!isEventType(type)) {
      throw new Fault('event_unknown', `There is no event ${JSON.stringify(type)}`, { param: 'event_type' })
    }
    const webhookId = toUuid(id)
    const eventId = toUuid(newId('evt'))
    const delivery = { id: toUuid(newId('dlv')), eventId, eventType: type }
    const inserted = await app.transaction(ctx.org, async (tx) => {
      const webhook = requireWebhook(await lockWebhook(tx, ctx.org, webhookId), id)
      if (webhook.disabled_at !== null) {
        throw new Fault('webhook_inactive', `Webhook ${id} is not active, so nothing is sent to it`)
      }
      const event = { id: eventId, type, subjectId: webhookId, data: dataOf(type, id), webhookId }
      await recordEvent(tx, ctx.org, event)
      const row = await insertDelivery(tx, ctx.org, { webhookId, source: 'test', delivery })
      const after = { event_type: type, event_id: fromUuid('evt', eventId) }
      const act = { action: 'webhook.tested', subject: id, after }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      return row
    })
    pubSub.publish(deliveryChannel, '')
    const { status, created_at } = inserted
    const known = { webhook_id: webhookId, event_id: eventId, event_type: type, source: 'test' } as const
    return toWireDelivery({ ...inserted, ...known, next_attempt_at: status === 'pending' ? created_at : null }, [])
  },
})

const dataOf = (type: EventType, id: WebhookId): Readonly<Record<string, unknown>> =>
  type === 'test' ? { message: 'This is a test. Nothing has happened.', webhook_id: id } : eventSample(type)
