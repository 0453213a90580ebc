import type {
  Answer,
  ApiKeyId,
  CreateApiKey,
  NewApiKey,
  RevokedApiKey,
  UpdateApiKey,
  UserId,
  ApiKey as WireApiKey,
} from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { recordAudit } from '../audit/index.ts'
import { budgetPatchOf, findTerms, hasChanged, ownBudgetOf, setBudget } from '../budgets/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { pageSize, toList } from '../page.ts'
import {
  countKeys,
  findKey,
  findKeyNow,
  isMember,
  listKeys,
  listKnownAgents,
  lockKey,
  lockKeys,
  revokeKey,
  updateKey,
} from './api-key.store.ts'
import {
  type ApiKey,
  type ApiKeyFields,
  budgetSubjectOf,
  grantOf,
  keyChangesBetween,
  noSuchKey,
  requireFuture,
  requireRotatable,
  requireUsable,
  toWireKey,
} from './api-key.ts'
import { type AuditAuthor, entryOf } from './author.ts'
import {
  earlierOf,
  isLater,
  isScope,
  isWidened,
  parseScopes,
  requireDemoSize,
  requireDominance,
  requireGrantable,
  requireLifetime,
  requireSight,
  requireWithinEnd,
} from './grant.ts'
import { createKeyIssuer, type Draft, type KeyIssuer, type Retrier } from './key-issuer.service.ts'
import type { KeyTree } from './key-tree.service.ts'
import { isKnownOrganisation } from './organisation.store.ts'

export type ApiKeyService = {
  /** For a narrowed key, those that are for its agents and no others. */
  list(ctx: Reader, page: ListKeys): Promise<ReturnType<typeof toList<WireApiKey>>>
  get(ctx: Reader, id: ApiKeyId): Promise<WireApiKey>
  /** The UUID that all rotations of the key share. */
  rootOf(org: string, id: ApiKeyId): Promise<string>
  create(ctx: Creator, body: CreateApiKey): Promise<Answer<NewApiKey>>
  update(ctx: Creator, body: UpdateApiKey): Promise<WireApiKey>
  /** Idempotent. `descendants`: the keys below it as well. */
  revoke(ctx: Creator, id: ApiKeyId, options?: { descendants: boolean }): Promise<RevokedApiKey>
  rotate(ctx: Creator, id: ApiKeyId): Promise<Answer<NewApiKey>>
  /** The key that an earlier `create` or `rotate` with the same idempotency key created, or null. */
  findReplay: KeyIssuer['findReplay']
  /** For the operator, who has all permissions. */
  issue(org: string, author: AuditAuthor, draft: Draft): Promise<{ id: ApiKeyId; key: string }>
}

type Creator = Retrier & Pick<Ctx, 'actor' | 'bucket' | 'scopes' | 'agentIds' | 'isDemo' | 'address' | 'requestId'>
type Reader = Pick<Ctx, 'org' | 'agentIds'>
type ListKeys = {
  limit?: number | undefined
  after?: ApiKeyId | undefined
  before?: ApiKeyId | undefined
  created_by?: ApiKeyId | UserId | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  tree: KeyTree
  /** Makes every process drop what it cached about this key or organisation (a UUID). */
  forget: (uuid: string) => void
}

export const createApiKeys = (deps: Deps): ApiKeyService => {
  const { app } = deps
  const issuer = createKeyIssuer(deps)

  const getLocked = async (tx: Tx, org: string, id: ApiKeyId): Promise<ApiKey> => {
    const key = await lockKey(tx, org, toUuid(id))
    if (!key) throw noSuchKey(id)
    return key
  }

  /**
   * When the caller ends, read now: nothing that it creates or extends may last longer. A person is bound by the
   * membership, which has no end.
   */
  const endOf = async (tx: Tx, ctx: Creator): Promise<Date | null> => {
    const id = toUuid(ctx.actor.id)
    if (ctx.actor.type === 'user') {
      if (await isMember(tx, ctx.org, id)) return null
      throw new Fault('forbidden', 'You are no longer a member of this organisation')
    }
    const own = await findKeyNow(tx, ctx.org, id)
    if (!own?.is_usable) throw new Fault('unauthorized', 'The API key is missing or invalid')
    return earlierOf(own.expires_at, own.grace_until)
  }

  const requireAgents = async (org: string, ids: readonly string[] | null): Promise<void> => {
    if (ids === null) return
    const known = new Set(await listKnownAgents(app, org, ids))
    const missing = ids.find((id) => !known.has(id))
    if (missing !== undefined)
      throw new Fault('not_found', `No agent ${fromUuid('ag', missing)}`, { param: 'agent_ids' })
  }

  /** A key that counts against a budget must not get another one that does not. */
  const requireNoBudget = async (tx: Tx, ctx: Creator): Promise<void> => {
    const [own] = ownBudgetOf(ctx)
    if (own === undefined || ((await findTerms(tx, ctx.org, own))?.monthly_budget_usd ?? null) === null) return
    throw new Fault('forbidden', 'A key with a budget cannot make other keys, because they would not count against it')
  }

  const changeBudget = async (tx: Tx, ctx: Creator, key: ApiKey, body: UpdateApiKey): Promise<ApiKey> => {
    const budget = budgetPatchOf(body)
    if (!budget) return key
    requireDominance(ctx, grantOf(key))
    if (isOwn(ctx, key)) throw new Fault('forbidden', 'A key cannot change its own budget')
    const { before, after } = await setBudget(tx, ctx.org, budgetSubjectOf(key), budget)
    if (!hasChanged(before, after)) return key
    await record(tx, ctx.org, ctx, { action: 'api_key.budget_changed', subject: body.id, before, after })
    return { ...key, ...after }
  }

  const record = (tx: Tx, org: string, author: AuditAuthor, act: Parameters<typeof entryOf>[2]): Promise<void> =>
    recordAudit(tx, org, entryOf(author, toUuid(deps.newId('aud')), act))

  return {
    list: async ({ org, agentIds }, page) => {
      const rows = await listKeys(app, org, {
        agentIds: agentIds && [...agentIds],
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        createdBy: page.created_by === undefined ? null : toUuid(page.created_by),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWireKey), page)
    },
    get: async ({ org, agentIds }, id) => {
      const key = await findKey(app, org, toUuid(id))
      if (!key) throw noSuchKey(id)
      requireSight({ agentIds }, key.agent_ids)
      return toWireKey(key)
    },
    rootOf: async (org, id) => {
      const key = await findKey(app, org, toUuid(id))
      if (!key) throw noSuchKey(id)
      return budgetSubjectOf(key).id
    },
    create: async (ctx, body) => {
      // A retry gets its key even if the request would be rejected by now.
      const replay = await issuer.findReplay(ctx, body)
      if (replay) return replay
      const draft = draftOf(body)
      requireDemoSize(draft.grant)
      await requireAgents(ctx.org, draft.grant.agentIds)
      requireGrantable(ctx, draft.grant)
      return issuer.issueOnce(ctx, body, async (tx, id) => {
        await requireNoBudget(tx, ctx)
        return issuer.insertNew(tx, ctx.org, ctx, { ...draft, id, endsAt: await endOf(tx, ctx) })
      })
    },
    update: async (ctx, body) => {
      await requireAgents(ctx.org, uuidsOf(body.agent_ids ?? null))
      const updated = await app.transaction(ctx.org, async (tx) => {
        const key = await getLocked(tx, ctx.org, body.id)
        requireUsable(key)
        const next = fieldsAfter(key, body)
        const { before, after } = keyChangesBetween(key, next)
        const changed = Object.keys(after)
        const budgeted = await changeBudget(tx, ctx, key, body)
        if (changed.length === 0) return budgeted
        const grant = { scopes: next.scopes, agentIds: next.agent_ids, kind: key.kind }
        requireDemoSize(grant)
        // A caller that changes a key must hold both the old and the new permissions.
        requireDominance(ctx, grantOf(key))
        requireGrantable(ctx, grant)
        const timed = { scopes: next.scopes, agentIds: next.agent_ids, expiresAt: next.expires_at }
        if (isWidened({ ...grantOf(key), expiresAt: key.expires_at }, timed)) {
          requireWithinEnd(await endOf(tx, ctx), next.expires_at)
        }
        if ('expires_at' in after) {
          const { now, max_lifetime_days } = await countKeys(tx, ctx.org)
          requireFuture(next.expires_at, now)
          if (isLater(next.expires_at, key.expires_at))
            requireLifetime(max_lifetime_days, next.expires_at, key.created_at)
        }
        await record(tx, ctx.org, ctx, { action: 'api_key.updated', subject: body.id, before, after })
        return updateKey(tx, ctx.org, key.id, next)
      })
      deps.forget(updated.id)
      return toWireKey(updated)
    },
    revoke: async (ctx, id, { descendants } = { descendants: false }) => {
      const { row, below } = await app.transaction(ctx.org, async (tx) => {
        // No key can be added below this one before the commit.
        if (descendants) await lockKeys(tx, ctx.org)
        const key = await getLocked(tx, ctx.org, id)
        requireDominance(ctx, grantOf(key))
        const revoked = key.revoked_at === null ? await revokeKey(tx, ctx.org, key.id) : key
        if (key.revoked_at === null) {
          const { revoked_at } = toWireKey(revoked)
          await record(tx, ctx.org, ctx, { action: 'api_key.revoked', subject: id, after: { revoked_at } })
        }
        return { row: revoked, below: descendants ? await deps.tree.revokeBelow(tx, ctx.org, ctx, key.id) : [] }
      })
      deps.forget(below.length === 0 ? row.id : ctx.org)
      return { ...toWireKey(row), descendants_revoked: below.length }
    },
    rotate: async (ctx, id) => {
      const replay = await issuer.findReplay(ctx, { id })
      if (replay) return replay
      const rotated = await issuer.issueOnce(ctx, { id }, async (tx, heirId) => {
        const old = await getLocked(tx, ctx.org, id)
        // The response contains a key with all permissions of the old one.
        requireGrantable(ctx, grantOf(old))
        requireRotatable(old)
        if (!isOwn(ctx, old)) await requireNoBudget(tx, ctx)
        return issuer.insertHeir(tx, ctx.org, ctx, { id: heirId, old, endsAt: await endOf(tx, ctx) })
      })
      deps.forget(toUuid(id))
      return rotated
    },
    findReplay: issuer.findReplay,
    issue: async (org, author, draft) => {
      requireDemoSize(draft.grant)
      await requireAgents(org, draft.grant.agentIds)
      const id = deps.newId('key')
      const { key } = await app.transaction(org, async (tx) => {
        if (!(await isKnownOrganisation(tx, org)))
          throw new Fault('not_found', `No organisation ${fromUuid('org', org)}`)
        await lockKeys(tx, org)
        return issuer.insertNew(tx, org, author, { ...draft, id: toUuid(id), endsAt: null })
      })
      return { id, key }
    },
  }
}

const draftOf = (body: CreateApiKey): Draft => ({
  name: body.name,
  grant: {
    scopes: parseScopes(body.scopes),
    agentIds: uuidsOf(body.agent_ids ?? null),
    kind: body.kind ?? 'live',
  },
  expiresAt: dateOf(body.expires_at ?? null),
})

const fieldsAfter = (key: ApiKey, body: UpdateApiKey): ApiKeyFields => ({
  name: body.name ?? key.name,
  scopes: body.scopes === undefined ? key.scopes.filter(isScope) : parseScopes(body.scopes),
  agent_ids: body.agent_ids === undefined ? key.agent_ids : uuidsOf(body.agent_ids),
  expires_at: body.expires_at === undefined ? key.expires_at : dateOf(body.expires_at),
})

/** Rotated keys are one key with two secrets. */
const isOwn = (ctx: Creator, key: ApiKey): boolean => ownBudgetOf(ctx).includes(budgetSubjectOf(key).id)

const uuidsOf = (ids: readonly string[] | null): string[] | null => ids && [...new Set(ids.map(toUuid))]

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
