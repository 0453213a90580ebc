import {
  Answer,
  type CreateWebhook,
  limits,
  type UpdateWebhook,
  type WebhookId,
  type WebhookWithSecret,
  type Webhook as WireWebhook,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { newSigningSecret } from '@ars/platform/signature'
import { auditOf, recordAudit } from '../../audit/index.ts'
import { Fault } from '../../fault.ts'
import { claimKey, findIdempotentReplay } from '../../idempotency.store.ts'
import { requireSameRequest } from '../../idempotency.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList } from '../../page.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  lockWebhooks,
  replaceSecret,
} from '../webhook/webhook.store.ts'
import {
  requireWebhook,
  secretHintOf,
  secretSealContext,
  toWireWebhook,
  type Webhook,
  webhookAuditFacts,
  webhookContentOf,
} from '../webhook/webhook.ts'
import type { Admin, KeyedAdmin, WebhookAuthor, WebhookChanger, WebhookDeps } from '../webhook/webhook-parts.service.ts'
import { endWaiting } from '../webhook/webhook-waiting.store.ts'
import { createTests, type TestService } from './test-event.service.ts'
import { createChanges } from './webhook-change.service.ts'
import { requireEvents, requireSecret, requireTarget } from './webhook-check.service.ts'

export type WebhookService = {
  list(ctx: Pick<Admin, 'org'>, page: ListWebhooks): Promise<ReturnType<typeof toList<WireWebhook>>>
  get(ctx: Pick<Admin, 'org'>, id: WebhookId): Promise<WireWebhook>
  /** Besides a rotation, the only response that contains the secret; a replay does not. */
  create(ctx: WebhookAuthor, body: CreateWebhook): Promise<Answer<WebhookWithSecret>>
  /** The response to an identical earlier `create`. Null: there was none. Nothing is created. */
  findReplay(ctx: WebhookAuthor, body: CreateWebhook): Promise<Answer<WebhookWithSecret> | null>
  update(ctx: WebhookChanger, body: UpdateWebhook): Promise<WireWebhook>
  /** Answers the deleted webhook. Its waiting deliveries are ended. */
  delete(ctx: Admin, id: WebhookId): Promise<WireWebhook>
  rotateSecret(ctx: KeyedAdmin, asked: RotateSecret): Promise<Answer<WebhookWithSecret>>
  /** The response to an earlier rotation with the same key, or null. */
  findRotation(ctx: KeyedAdmin, asked: RotateSecret): Promise<Answer<WebhookWithSecret> | null>
} & TestService

type ListWebhooks = {
  limit?: number | undefined
  after?: WebhookId | undefined
  before?: WebhookId | undefined
  status?: Exclude<WireWebhook['status'], 'deleted'>[] | undefined
}

export type RotateSecret = { id: WebhookId; secret?: string | undefined; overlap_hours?: number | undefined }

const thing = 'webhook' as const

export const createWebhookService = (deps: WebhookDeps): WebhookService => {
  const { app, newId, secrets } = deps

  const get = async (org: string, uuid: string): Promise<Webhook> => {
    const webhook = requireWebhook(await findWebhook(app, org, uuid), fromUuid('wh', uuid))
    return webhook
  }

  /** The webhook that an earlier request with this key created, or null. */
  const findReplay = async (ctx: WebhookAuthor, fingerprint: Buffer): Promise<Answer<WebhookWithSecret> | null> => {
    const key = ctx.idempotencyKey
    const replay = key === undefined ? null : await findIdempotentReplay(app, ctx.org, { thing, key })
    if (!replay) return null
    requireSameRequest(replay, fingerprint)
    return answer(await get(ctx.org, replay.subject_id), null, { 'idempotency-replayed': 'true' })
  }

  /** A request without a secret has a plain fingerprint. */
  const fingerprintOf = async (ctx: WebhookAuthor, body: CreateWebhook): Promise<Buffer> => {
    const text = canonicalJson(body)
    const isPlain = ctx.idempotencyKey === undefined || body.secret === undefined
    return isPlain ? sha256(text) : secrets.fingerprint(ctx.org, text)
  }

  /** A rotation with the same key and the same fields. A replay does not repeat the secret. */
  const repetitionOf = async (ctx: KeyedAdmin, { id, ...asked }: RotateSecret) => {
    const text = canonicalJson({ id, ...asked })
    const isPlain = ctx.idempotencyKey === undefined || asked.secret === undefined
    return {
      thing: 'webhook_secret' as const,
      fingerprint: isPlain ? sha256(text) : await secrets.fingerprint(ctx.org, text),
      replay: async (uuid: string) => new Answer({ ...toWireWebhook(await get(ctx.org, uuid)), secret: null }, {}),
    }
  }

  const audit = (tx: Tx, ctx: Admin, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  const create = async (ctx: WebhookAuthor, body: CreateWebhook): Promise<Answer<WebhookWithSecret>> => {
    const fingerprint = await fingerprintOf(ctx, body)
    // A retry gets its webhook even if the request would be rejected by now.
    const replay = await findReplay(ctx, fingerprint)
    if (replay) return replay
    const events = requireEvents(body.events)
    const secret = body.secret === undefined ? newSigningSecret() : requireSecret(body.secret)
    await requireTarget(deps, body.url)
    const id = toUuid(newId('wh'))
    const sealed = await secrets.seal(ctx.org, secret, secretSealContext(id))
    const created = await app.transaction(
      ctx.org,
      async (tx) => {
        await lockWebhooks(tx, ctx.org)
        if (ctx.idempotencyKey !== undefined) {
          const claim = { thing, key: ctx.idempotencyKey, fingerprint, id }
          if (!(await claimKey(tx, ctx.org, claim))) return null
        }
        if ((await countWebhooks(tx, ctx.org)) >= deps.maxWebhooks) {
          throw new Fault('limit_reached', `An organisation has at most ${deps.maxWebhooks} webhooks`)
        }
        const webhook = await insertWebhook(tx, ctx.org, {
          id,
          url: body.url,
          events,
          description: body.description ?? null,
          active: body.active ?? true,
          secret: sealed,
          secretHint: secretHintOf(secret),
          author: { by: toUuid(ctx.actor.id), type: ctx.actor.type },
        })
        const after = webhookAuditFacts(webhookContentOf(webhook))
        await audit(tx, ctx, { action: 'webhook.created', subject: fromUuid('wh', id), after })
        return webhook
      },
      thing,
    )
    if (created) return answer(created, secret, {})
    const concurrent = await findReplay(ctx, fingerprint)
    if (concurrent) return concurrent
    throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
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
      return toList(rows.map(toWireWebhook), page)
    },
    get: async ({ org }, id) => toWireWebhook(await get(org, toUuid(id))),
    findReplay: async (ctx, body) =>
      ctx.idempotencyKey === undefined ? null : findReplay(ctx, await fingerprintOf(ctx, body)),
    delete: (ctx, id) =>
      app.transaction(ctx.org, async (tx) => {
        const webhook = requireWebhook(await lockWebhook(tx, ctx.org, toUuid(id)), id)
        await endWaiting(tx, ctx.org, { webhookId: webhook.id, error: 'The webhook was deleted', which: 'all' })
        await deleteWebhook(tx, ctx.org, webhook.id)
        await audit(tx, ctx, {
          action: 'webhook.deleted',
          subject: id,
          before: webhookAuditFacts(webhookContentOf(webhook)),
        })
        return { ...toWireWebhook(webhook), active: false, status: 'deleted' as const }
      }),
    findRotation: async (ctx, asked) => findReplayOf(app, ctx, await repetitionOf(ctx, asked)),
    rotateSecret: async (ctx, asked) => {
      const { id, secret: own } = asked
      const uuid = toUuid(id)
      await get(ctx.org, uuid)
      const secret = own === undefined ? newSigningSecret() : requireSecret(own)
      // Sealing may call a key service over the network, so it happens before the lock.
      const sealed = await secrets.seal(ctx.org, secret, secretSealContext(uuid))
      const overlapHours = asked.overlap_hours ?? limits.webhookSecretOverlapHours
      const once: Once<WebhookWithSecret> = {
        ...(await repetitionOf(ctx, asked)),
        id: uuid,
        create: async (tx) => {
          requireWebhook(await lockWebhook(tx, ctx.org, uuid), id)
          const change = { id: uuid, secret: sealed, secretHint: secretHintOf(secret), overlapHours }
          const after = await replaceSecret(tx, ctx.org, change)
          const facts = { overlap_hours: overlapHours }
          await audit(tx, ctx, { action: 'webhook.secret_rotated', subject: id, after: facts })
          return new Answer({ ...toWireWebhook(after), secret }, {})
        },
      }
      return createOnce(app, ctx, once)
    },
  }
}

const answer = (webhook: Webhook, secret: string | null, extra: Record<string, string>): Answer<WebhookWithSecret> => {
  const body = { ...toWireWebhook(webhook), secret }
  return new Answer(body, { headers: { location: `/v2/webhooks/${body.id}`, ...extra } })
}
