import {
  Answer,
  type CreateWebhook,
  type Delivery,
  limits,
  type UpdateWebhook,
  type WebhookId,
  type WebhookWithSecret,
  type Webhook as WireWebhook,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import { Fault } from '../fault.ts'
import { claimKey, findTwin } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import { pageSize, toList } from '../page.ts'
import { newSigningSecret } from '../signature.ts'
import { createTests } from './test-event.service.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  lockWebhooks,
  replaceSecret,
} from './webhook.store.ts'
import { auditFactsOf, contentOf, hintOf, secretPlaceOf, toWire, type Webhook } from './webhook.ts'
import { createChanges } from './webhook-change.service.ts'
import { requireEvents, requireSecret, requireTarget } from './webhook-check.service.ts'
import type { Admin, Author, WebhookDeps } from './webhook-parts.service.ts'
import { endWaiting } from './webhook-waiting.store.ts'

export type WebhookService = {
  list(ctx: Pick<Admin, 'org'>, page: ListWebhooks): Promise<ReturnType<typeof toList<WireWebhook>>>
  get(ctx: Pick<Admin, 'org'>, id: WebhookId): Promise<WireWebhook>
  /** The only answer, beside that of a rotation, that holds the secret; a replay does not. */
  create(ctx: Author, body: CreateWebhook): Promise<Answer<WebhookWithSecret>>
  /** What `create` would answer because this very request was made before; null: it was not. Nothing is created. */
  findReplay(ctx: Author, body: CreateWebhook): Promise<Answer<WebhookWithSecret> | null>
  update(ctx: Admin, body: UpdateWebhook): Promise<WireWebhook>
  /** Answers with what was deleted. What waited for it is ended. */
  delete(ctx: Admin, id: WebhookId): Promise<WireWebhook>
  rotateSecret(ctx: Admin, asked: RotateSecret): Promise<WebhookWithSecret>
  test(ctx: Admin, asked: { id: WebhookId; event_type?: string | undefined }): Promise<Delivery>
}

type ListWebhooks = {
  limit?: number | undefined
  after?: WebhookId | undefined
  before?: WebhookId | undefined
  status?: WireWebhook['status'] | undefined
}

type RotateSecret = { id: WebhookId; secret?: string | undefined; overlap_hours?: number | undefined }

const thing = 'webhook' as const

export const createWebhookService = (deps: WebhookDeps): WebhookService => {
  const { app, newId, secrets } = deps

  const get = async (org: string, uuid: string): Promise<Webhook> => {
    const webhook = await findWebhook(app, org, uuid)
    if (!webhook) throw new Fault('not_found', `No webhook ${fromUuid('wh', uuid)}`)
    return webhook
  }

  /** The webhook that an earlier request with this key has made, or null. */
  const findReplay = async (ctx: Author, fingerprint: Buffer): Promise<Answer<WebhookWithSecret> | null> => {
    const key = ctx.idempotencyKey
    const twin = key === undefined ? null : await findTwin(app, ctx.org, { thing, key })
    if (!twin) return null
    requireSameRequest(twin, fingerprint)
    return answer(await get(ctx.org, twin.subject_id), null, { 'idempotency-replayed': 'true' })
  }

  /** Without a secret inside, the fingerprint is the same as that of any other request. */
  const fingerprintOf = async (ctx: Author, body: CreateWebhook): Promise<Buffer> => {
    const text = canonicalJson(body)
    const isPlain = ctx.idempotencyKey === undefined || body.secret === undefined
    return isPlain ? sha256(text) : secrets.fingerprint(ctx.org, text)
  }

  const audit = (tx: Tx, ctx: Admin, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  const create = async (ctx: Author, body: CreateWebhook): Promise<Answer<WebhookWithSecret>> => {
    const fingerprint = await fingerprintOf(ctx, body)
    // A retry gets its webhook whatever may be refused by now.
    const replay = await findReplay(ctx, fingerprint)
    if (replay) return replay
    const events = requireEvents(body.events)
    const secret = body.secret === undefined ? newSigningSecret() : requireSecret(body.secret)
    await requireTarget(deps, body.url)
    const id = toUuid(newId('wh'))
    const sealed = await secrets.seal(ctx.org, secret, secretPlaceOf(id))
    const created = await app.transaction(ctx.org, async (tx) => {
      await lockWebhooks(tx, ctx.org)
      if (ctx.idempotencyKey !== undefined) {
        const claim = { thing, key: ctx.idempotencyKey, fingerprint, id }
        if (!(await claimKey(tx, ctx.org, claim))) return null
      }
      if ((await countWebhooks(tx, ctx.org)) >= limits.webhooksPerOrganisation) {
        throw new Fault('limit_reached', `An organisation has at most ${limits.webhooksPerOrganisation} webhooks`)
      }
      const webhook = await insertWebhook(tx, ctx.org, {
        id,
        url: body.url,
        events,
        description: body.description ?? null,
        active: body.active ?? true,
        secret: sealed,
        secretHint: hintOf(secret),
        author: { by: toUuid(ctx.actor.id), type: ctx.actor.type },
      })
      const after = auditFactsOf(contentOf(webhook))
      await audit(tx, ctx, { action: 'webhook.created', subject: fromUuid('wh', id), after })
      return webhook
    })
    if (created) return answer(created, secret, {})
    const twin = await findReplay(ctx, fingerprint)
    if (twin) return twin
    throw new Fault('unavailable', 'The idempotency key is contended', { retryAfterSeconds: 1 })
  }

  return {
    ...createChanges(deps),
    ...createTests(deps),
    create,
    list: async ({ org }, page) => {
      const rows = await listWebhooks(app, org, {
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        status: page.status ?? null,
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWire), page)
    },
    get: async ({ org }, id) => toWire(await get(org, toUuid(id))),
    findReplay: async (ctx, body) =>
      ctx.idempotencyKey === undefined ? null : findReplay(ctx, await fingerprintOf(ctx, body)),
    delete: (ctx, id) =>
      app.transaction(ctx.org, async (tx) => {
        const webhook = await lockWebhook(tx, ctx.org, toUuid(id))
        if (!webhook) throw new Fault('not_found', `No webhook ${id}`)
        await endWaiting(tx, ctx.org, { webhookId: webhook.id, error: 'The webhook was deleted', which: 'all' })
        await deleteWebhook(tx, ctx.org, webhook.id)
        await audit(tx, ctx, { action: 'webhook.deleted', subject: id, before: auditFactsOf(contentOf(webhook)) })
        return toWire(webhook)
      }),
    rotateSecret: async (ctx, { id, secret: own, overlap_hours }) => {
      const uuid = toUuid(id)
      await get(ctx.org, uuid)
      const secret = own === undefined ? newSigningSecret() : requireSecret(own)
      // Sealing may ask a key service over the network, which nobody waits for while they hold a lock.
      const sealed = await secrets.seal(ctx.org, secret, secretPlaceOf(uuid))
      const overlapHours = overlap_hours ?? limits.webhookSecretOverlapHours
      const webhook = await app.transaction(ctx.org, async (tx) => {
        const before = await lockWebhook(tx, ctx.org, uuid)
        if (!before) throw new Fault('not_found', `No webhook ${id}`)
        const change = { id: uuid, secret: sealed, secretHint: hintOf(secret), overlapHours }
        const after = await replaceSecret(tx, ctx.org, change)
        await audit(tx, ctx, { action: 'webhook.secret_rotated', subject: id, after: { overlap_hours: overlapHours } })
        return after
      })
      return { ...toWire(webhook), secret }
    },
  }
}

const answer = (webhook: Webhook, secret: string | null, extra: Record<string, string>): Answer<WebhookWithSecret> => {
  const body = { ...toWire(webhook), secret }
  return new Answer(body, { headers: { location: `/v2/webhooks/${body.id}`, ...extra } })
}
