import { Answer, type RecoveryId, type WebhookId, type Recovery as WireRecovery } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { pageSize, toList } from '../../page.ts'
import { findWebhook, lockWebhook } from '../webhook/webhook.store.ts'
import { requireActive, requireWebhook } from '../webhook/webhook.ts'
import type { Admin } from '../webhook/webhook-parts.service.ts'
import { requireOrder } from './missed.service.ts'
import {
  cancelRecovery,
  endWaitingOfRecovery,
  findRecovery,
  insertRecovery,
  listRecoveries,
  readRecovery,
  settleMissed,
  settleRecovery,
} from './recovery.store.ts'
import { maxPending, type Recovery, toWireRecovery } from './recovery.ts'

export type RecoveryService = {
  /** Starts a recovery; a periodic job continues it. */
  recover(ctx: Admin, asked: AskedRecovery): Promise<Answer<WireRecovery>>
  list(ctx: Reader, page: ListRecoveries): Promise<ReturnType<typeof toList<WireRecovery>>>
  get(ctx: Reader, ids: RecoveryIds): Promise<WireRecovery>
  /** An ended recovery stays unchanged. */
  cancel(ctx: Admin, ids: RecoveryIds): Promise<WireRecovery>
}

type Reader = Pick<Admin, 'org'>
type RecoveryIds = { id: WebhookId; recovery_id: RecoveryId }
type AskedRecovery = { id: WebhookId; since: string; until?: string | undefined }
type ListRecoveries = {
  id: WebhookId
  limit?: number | undefined
  after?: RecoveryId | undefined
  before?: RecoveryId | undefined
}

export const createRecoveries = ({ app, newId }: { app: Database; newId: IdMaker }): RecoveryService => ({
  recover: async (ctx, { id, since: sinceText, until: untilText }) => {
    const webhookId = toUuid(id)
    const since = new Date(sinceText)
    const until = untilText === undefined ? null : new Date(untilText)
    requireOrder(since, until)
    const recovery = await app.transaction(ctx.org, async (tx) => {
      const webhook = requireWebhook(await lockWebhook(tx, ctx.org, webhookId), id)
      requireActive(webhook)
      const begun = await insertRecovery(tx, ctx.org, { id: toUuid(newId('rec')), webhookId, since, until })
      if (!begun) throw new Fault('recovery_running', `A recovery of webhook ${id} is running`)
      if (begun.until < since) throw new Fault('input_invalid', 'since lies in the future', { param: 'since' })
      await settleMissed(tx, ctx.org, { webhookId, since, until: begun.until })
      const wire = toWireRecovery(begun)
      const after = { recovery_id: wire.id, since: wire.since, until: wire.until }
      const act = { action: 'webhook.recovery_started', subject: id, after }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      return wire
    })
    return new Answer(recovery, { headers: { location: `/v2/webhooks/${id}/recoveries/${recovery.id}` } })
  },
  list: async ({ org }, page) => {
    const webhookId = toUuid(page.id)
    requireWebhook(await findWebhook(app, org, webhookId), page.id)
    const rows = await listRecoveries(app, org, {
      webhookId,
      after: page.after === undefined ? null : toUuid(page.after),
      before: page.before === undefined ? null : toUuid(page.before),
      limit: pageSize(page) + 1,
    })
    return toList(rows.map(toWireRecovery), page)
  },
  get: async ({ org }, ids) => toWireRecovery(required(await findRecovery(app, org, uuidsOf(ids)), ids)),
  cancel: (ctx, ids) =>
    app.transaction(ctx.org, async (tx) => {
      const webhook = await lockWebhook(tx, ctx.org, toUuid(ids.id))
      const recovery = required(webhook && (await readRecovery(tx, ctx.org, uuidsOf(ids))), ids)
      if (recovery.status !== 'running') return toWireRecovery(recovery)
      const { id, webhook_id } = recovery
      const cancelled = await endEarly(tx, ctx.org, { id, webhookId: webhook_id, error: cancelledError })
      const act = { action: 'webhook.recovery_cancelled', subject: ids.id, after: { recovery_id: ids.recovery_id } }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      return toWireRecovery(required(cancelled, ids))
    }),
})

export const cancelledError = 'The recovery was cancelled before this was sent'

/** Under the lock of its webhook: removes its waiting deliveries from the queue, except those in flight. */
export const endEarly = async (
  tx: Tx,
  org: string,
  { id, webhookId, error }: { id: string; webhookId: string; error: string },
): Promise<Recovery | null> => {
  await cancelRecovery(tx, org, id)
  await endWaitingOfRecovery(tx, org, { webhookId, id, error, limit: maxPending })
  const left = await readRecovery(tx, org, { webhookId, id })
  if (left) await settleRecovery(tx, org, left)
  return readRecovery(tx, org, { webhookId, id })
}

const uuidsOf = (ids: RecoveryIds) => ({ webhookId: toUuid(ids.id), id: toUuid(ids.recovery_id) })

const required = (recovery: Recovery | null, ids: RecoveryIds): Recovery => {
  if (!recovery) throw new Fault('not_found', `Webhook ${ids.id} has no recovery ${ids.recovery_id}`)
  return recovery
}
