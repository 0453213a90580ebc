import { limits } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { recordAudit } from '../../audit/index.ts'
import { recordEvent } from '../../events/index.ts'
import { type DisableReason, notSentTo } from '../webhook/endpoint-queue.ts'
import { lockWebhook } from '../webhook/webhook.store.ts'
import { toWireWebhook } from '../webhook/webhook.ts'
import { endWaiting } from '../webhook/webhook-waiting.store.ts'
import { disableWebhook } from './disable.store.ts'

/** Disables an endpoint that is gone or always fails: once, however many workers detect it. */
export type DisableService = (org: string, webhookId: string, reason: DisableReason) => Promise<void>

/** The reasons that its owner sees. */
const words = {
  gone: 'The endpoint answered 410: it is gone',
  failing: `Every delivery has failed for ${limits.webhookFailingDays} days`,
} as const satisfies Record<DisableReason, string>

export const createDisable =
  ({ app, newId, log }: { app: Database; newId: IdMaker; log: Log }): DisableService =>
  async (org, webhookId, reason) => {
    const isDone = await app.transaction(org, async (tx) => {
      const webhook = await lockWebhook(tx, org, webhookId)
      if (!webhook || webhook.disabled_at !== null) return false
      const { oldest } = await endWaiting(tx, org, { webhookId, error: notSentTo.disabled, which: 'waiting' })
      if (!(await disableWebhook(tx, org, { id: webhookId, reason, oldest }))) return false
      const disabled = await lockWebhook(tx, org, webhookId)
      if (!disabled) throw new Error('A webhook was disabled and is not there')
      const { last_day: _, ...record } = toWireWebhook(disabled)
      await recordEvent(tx, org, {
        id: toUuid(newId('evt')),
        type: 'webhook.disabled',
        subjectId: webhookId,
        data: { ...record, reason: words[reason] },
      })
      await recordAudit(tx, org, {
        id: toUuid(newId('aud')),
        actor: { type: 'service', id: null },
        action: 'webhook.disabled',
        subject: record.id,
        address: null,
        requestId: null,
        before: { active: true },
        after: { active: false, disabled_reason: reason },
      })
      return true
    })
    if (isDone) log.warn('webhook disabled', { webhook_id: fromUuid('wh', webhookId), org_id: org, reason })
  }
