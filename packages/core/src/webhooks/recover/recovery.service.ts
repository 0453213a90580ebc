import { Answer, type RecoveryId, type WebhookId, type Recovery as WireRecovery } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList } from '../../page.ts'
import { findWebhook, lockWebhook } from '../webhook/webhook.store.ts'
import { requireActive, requireWebhook } from '../webhook/webhook.ts'
import type { Admin, KeyedAdmin } from '../webhook/webhook-parts.service.ts'
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
  recover(ctx: KeyedAdmin, asked: AskedRecovery): Promise<Answer<WireRecovery>>
  /** The recovery of an earlier request with the same key, or null. */
  findStarted(ctx: KeyedAdmin, asked: AskedRecovery): Promise<Answer<WireRecovery> | null>
  list(ctx: Reader, page: ListRecoveries): Promise<ReturnType<typeof toList<WireRecovery>>>
  get(ctx: Reader, ids: RecoveryIds): Promise<WireRecovery>
  /** An ended recovery stays unchanged. */
  cancel(ctx: Admin, ids: RecoveryIds): Promise<WireRecovery>
}

type Reader = Pick<Admin, 'org'>
type RecoveryIds = { id: WebhookId; recovery_id: RecoveryId }
export type AskedRecovery = { id: WebhookId; since: string; until?: string | undefined }
type ListRecoveries = {
  id: WebhookId
  limit?: number | undefined
  after?: RecoveryId | undefined
  before?: RecoveryId | undefined
}

type Deps = { app: Database; newId: IdMaker }

const onceOf = ({ app, newId }: Deps, ctx: KeyedAdmin, asked: AskedRecovery): Once<WireRecovery> => {
  const { id } = asked
  const webhookId = toUuid(id)
  const since = new Date(asked.since)
  const until = asked.until === undefined ? null : new Date(asked.until)
  const recoveryId = newId('rec')
  const answer = (recovery: WireRecovery) =>
    new Answer(recovery, { headers: { location: `/v2/webhooks/${id}/recoveries/${recovery.id}` } })
  return {
    thing: 'recovery',
    fingerprint: sha256(canonicalJson({ id, since: asked.since, until: asked.until ?? null })),
    id: toUuid(recoveryId),
    replay: async (found) => {
      const ids = { id, recovery_id: fromUuid('rec', found) }
      return answer(toWireRecovery(required(await findRecovery(app, ctx.org, uuidsOf(ids)), ids)))
    },
    create: async (tx) => {
      requireOrder(since, until)
      const webhook = requireWebhook(await lockWebhook(tx, ctx.org, webhookId), id)
      requireActive(webhook)
      const begun = await insertRecovery(tx, ctx.org, { id: toUuid(recoveryId), webhookId, since, until })
      if (!begun) throw new Fault('recovery_running', `A recovery of webhook ${id} is running`)
      if (begun.until < since) throw new Fault('input_invalid', 'since lies in the future', { param: 'since' })
      await settleMissed(tx, ctx.org, { webhookId, since, until: begun.until })
      const wire = toWireRecovery(begun)
      const after = { recovery_id: wire.id, since: wire.since, until: wire.until }
      const act = { action: 'webhook.recovery_started', subject: id, after }
      await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      return answer(wire)
    },
  }
}

export const createRecoveries = ({ app, newId }: Deps): RecoveryService => ({
  recover: (ctx, asked) => createOnce(app, ctx, onceOf({ app, newId }, ctx, asked)),
  findStarted: (ctx, asked) => findReplayOf(app, ctx, onceOf({ app, newId }, ctx, asked)),
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
