import { contract, type UpdateWebhook, type Webhook as WireWebhook } from '@ars/contract'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { holdsRuns, requireStored } from '../../whole-organisation.ts'
import { deliveryChannel } from '../webhook/delivery.ts'
import { findWebhook, lockWebhook, updateWebhook } from '../webhook/webhook.store.ts'
import {
  changedFields,
  requireWebhook,
  toWireWebhook,
  type Webhook,
  type WebhookContent,
  webhookAuditFacts,
  webhookContentOf,
} from '../webhook/webhook.ts'
import type { WebhookChanger, WebhookDeps } from '../webhook/webhook-parts.service.ts'
import { endWaiting } from '../webhook/webhook-waiting.store.ts'
import { requireEvents, requireTarget } from './webhook-check.service.ts'

export type ChangeService = { update(ctx: WebhookChanger, body: UpdateWebhook): Promise<WireWebhook> }

export const createChanges = (deps: WebhookDeps): ChangeService => {
  const { app, newId, pubSub } = deps

  /** Call it under the lock of the endpoint. */
  const change = async (
    tx: Tx,
    ctx: WebhookChanger,
    webhook: Webhook,
    asked: Partial<WebhookContent>,
  ): Promise<Webhook> => {
    const before = webhookContentOf(webhook)
    const after = { ...before, ...asked }
    const changed = changedFields(before, after)
    if (changed.length === 0) return webhook
    // A new URL or subscription decides who receives the data of runs.
    if ((changed.includes('url') || changed.includes('events')) && after.events.some(holdsRuns))
      requireStored(ctx, contract.webhooks.update, 'moved_webhook_of_runs')
    const isPaused = changed.includes('active') && !after.active
    const ended = isPaused
      ? await endWaiting(tx, ctx.org, { webhookId: webhook.id, error: 'The webhook was paused', which: 'waiting' })
      : { oldest: null }
    const resetsFailures = changed.includes('url') || (changed.includes('active') && after.active)
    const written = { ...after, id: webhook.id, missedSince: ended.oldest, resetsFailures }
    const updated = await updateWebhook(tx, ctx.org, written)
    const pick = (content: WebhookContent) => {
      const facts = webhookAuditFacts(content)
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
      const seen = requireWebhook(await findWebhook(app, ctx.org, uuid), id)
      const asked = wishesOf(body)
      // The DNS lookup may take seconds, so it happens before the lock.
      if (body.url !== undefined && body.url !== seen.url) await requireTarget(deps, body.url)
      const updated = await app.transaction(ctx.org, async (tx) => {
        const webhook = requireWebhook(await lockWebhook(tx, ctx.org, uuid), id)
        return change(tx, ctx, webhook, asked)
      })
      if (asked.active || asked.url !== undefined) pubSub.publish(deliveryChannel, '')
      return toWireWebhook(updated)
    },
  }
}

/** The fields of the request, validated; the others stay unchanged. */
const wishesOf = ({ url, events, description, active }: Omit<UpdateWebhook, 'id'>): Partial<WebhookContent> => ({
  ...(url !== undefined && { url }),
  ...(events !== undefined && { events: requireEvents(events) }),
  ...(description !== undefined && { description }),
  ...(active !== undefined && { active }),
})
