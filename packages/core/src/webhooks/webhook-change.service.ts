import type { UpdateWebhook, Webhook as WireWebhook } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { deliveryChannel } from './delivery-channel.ts'
import { findWebhook, lockWebhook, updateWebhook } from './webhook.store.ts'
import { auditFactsOf, changedFields, contentOf, toWire, type Webhook, type WebhookContent } from './webhook.ts'
import { requireEvents, requireTarget } from './webhook-check.service.ts'
import type { Admin, WebhookDeps } from './webhook-parts.service.ts'
import { endWaiting } from './webhook-waiting.store.ts'

export type ChangeService = { update(ctx: Admin, body: UpdateWebhook): Promise<WireWebhook> }

export const createChanges = (deps: WebhookDeps): ChangeService => {
  const { app, newId, wakeups } = deps

  /** Under the lock of the endpoint. */
  const change = async (tx: Tx, ctx: Admin, webhook: Webhook, asked: Partial<WebhookContent>): Promise<Webhook> => {
    const before = contentOf(webhook)
    const after = { ...before, ...asked }
    const changed = changedFields(before, after)
    if (changed.length === 0) return webhook
    const isPaused = changed.includes('active') && !after.active
    const ended = isPaused
      ? await endWaiting(tx, ctx.org, { webhookId: webhook.id, error: 'The webhook was paused', which: 'waiting' })
      : { oldest: null }
    const isAfresh = changed.includes('url') || (changed.includes('active') && after.active)
    const written = { ...after, id: webhook.id, missedSince: ended.oldest, isAfresh }
    const updated = await updateWebhook(tx, ctx.org, written)
    const pick = (content: WebhookContent) => {
      const facts = auditFactsOf(content)
      return Object.fromEntries(changed.map((field) => [field, facts[field]]))
    }
    const facts = { before: pick(before), after: pick(after) }
    const act = { action: 'webhook.updated', subject: fromUuid('wh', webhook.id), ...facts }
    await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
    return updated
  }

  return {
    update: async (ctx, { id, ...body }) => {
      if (Object.keys(body).length === 0)
        throw new Fault('invalid_request', 'The request changes nothing: it has no fields')
      const uuid = toUuid(id)
      const seen = await findWebhook(app, ctx.org, uuid)
      if (!seen) throw new Fault('not_found', `No webhook ${id}`)
      const asked = wishesOf(body)
      // The look-up may take seconds, and nobody waits for it while they hold a lock.
      if (body.url !== undefined && body.url !== seen.url) await requireTarget(deps, body.url)
      const updated = await app.transaction(ctx.org, async (tx) => {
        const webhook = await lockWebhook(tx, ctx.org, uuid)
        if (!webhook) throw new Fault('not_found', `No webhook ${id}`)
        return change(tx, ctx, webhook, asked)
      })
      if (asked.active || asked.url !== undefined) wakeups.publish(deliveryChannel, '')
      return toWire(updated)
    },
  }
}

/** What the request names, checked; what it leaves out stays. */
const wishesOf = ({ url, events, description, active }: Omit<UpdateWebhook, 'id'>): Partial<WebhookContent> => ({
  ...(url !== undefined && { url }),
  ...(events !== undefined && { events: requireEvents(events) }),
  ...(description !== undefined && { description }),
  ...(active !== undefined && { active }),
})
