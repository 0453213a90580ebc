import { Answer, type ApiKeyId, type CreateApiKey, type NewApiKey } from '@ars/contract'
import { canonicalJson, randomBytes, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { claimKey, findIdempotentReplay } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import { countKeys, findKey, insertKey, type KeyTerms, lockKeys, type NewKey, retireKey } from './api-key.store.ts'
import { type ApiKey, noSuchKey, requireFuture, requireRoom, toWireKey } from './api-key.ts'
import { type AuditAuthor, entryOf } from './author.ts'
import { credentialRandomBytes, describeCredential, formatCredential } from './credential.ts'
import { earlierOf, type Grant, latestEnd, requireLifetime, requireWithinEnd } from './grant.ts'

/** Creates keys: once per idempotency key, one at a time per organisation, and audited. */
export type KeyIssuer = {
  /** The key that an earlier request with the same idempotency key created, or null. */
  findReplay(ctx: Retrier, request: IssueRequest): Promise<Answer<NewApiKey> | null>
  /** `make` decides, under the lock, what is created for the given id (a UUID). */
  issueOnce(
    ctx: Retrier,
    request: IssueRequest,
    make: (tx: Tx, id: string) => Promise<Issued>,
  ): Promise<Answer<NewApiKey>>
  insertNew(tx: Tx, org: string, author: AuditAuthor, draft: Draft & Made): Promise<Issued>
  /** A key that replaces `old`. */
  insertHeir(tx: Tx, org: string, author: AuditAuthor, heir: Made & { old: ApiKey }): Promise<Issued>
}

/** The body of `create`, or the id of the key to rotate. Requests of the two never match. */
export type IssueRequest = CreateApiKey | { id: ApiKeyId }
export type Retrier = Pick<Ctx, 'org' | 'idempotencyKey'>
export type Draft = { name: string; grant: Grant; expiresAt: Date | null }
/** `endsAt`: when the creator ends. The key must not last longer. Null: no bound. */
type Made = { id: string; endsAt: Date | null }
/** The row, and the full key, which is not stored anywhere. */
export type Issued = { row: ApiKey; key: string }

const thing = 'api_key' as const

export const createKeyIssuer = ({ app, newId }: { app: Database; newId: IdMaker }): KeyIssuer => {
  const record = (tx: Tx, org: string, author: AuditAuthor, act: Parameters<typeof entryOf>[2]): Promise<void> =>
    recordAudit(tx, org, entryOf(author, toUuid(newId('aud')), act))

  const findReplay = async (ctx: Retrier, request: IssueRequest): Promise<Answer<NewApiKey> | null> => {
    const replay =
      ctx.idempotencyKey === undefined
        ? null
        : await findIdempotentReplay(app, ctx.org, { thing, key: ctx.idempotencyKey })
    if (!replay) return null
    requireSameRequest(replay, fingerprintOf(request))
    const row = await findKey(app, ctx.org, replay.subject_id)
    if (!row) throw noSuchKey(fromUuid('key', replay.subject_id))
    // A secret is shown once: a caller that missed it rotates the key.
    return answer(row, null, { 'idempotency-replayed': 'true' })
  }

  const insert = async (
    tx: Tx,
    org: string,
    { endsAt, ...key }: Omit<NewKey, 'hash' | 'prefix' | 'hint'> & Made,
    terms: KeyTerms,
  ): Promise<Issued> => {
    requireRoom(terms.keys)
    requireFuture(key.expires_at, terms.now)
    requireWithinEnd(endsAt, key.expires_at)
    const text = formatCredential(key.kind, randomBytes(credentialRandomBytes))
    return { key: text, row: await insertKey(tx, org, { ...key, hash: sha256(text), ...describeCredential(text) }) }
  }

  return {
    findReplay,
    issueOnce: async (ctx, request, make) => {
      const id = toUuid(newId('key'))
      const issued = await app.transaction(
        ctx.org,
        async (tx) => {
          await lockKeys(tx, ctx.org)
          if (ctx.idempotencyKey !== undefined) {
            const claim = { thing, key: ctx.idempotencyKey, fingerprint: fingerprintOf(request), id }
            if (!(await claimKey(tx, ctx.org, claim))) return null
          }
          return make(tx, id)
        },
        thing,
      )
      if (issued) return answer(issued.row, issued.key, {})
      const replay = await findReplay(ctx, request)
      if (replay) return replay
      throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
    },
    insertNew: async (tx, org, author, { id, endsAt, name, grant, expiresAt }) => {
      const terms = await countKeys(tx, org)
      requireLifetime(terms.max_lifetime_days, expiresAt, terms.now)
      const draft = {
        id,
        endsAt,
        name,
        kind: grant.kind,
        scopes: grant.scopes,
        agent_ids: grant.agentIds === null ? null : [...grant.agentIds],
        bucket_id: null,
        expires_at: expiresAt,
        ...creatorOf(author),
      }
      const issued = await insert(tx, org, draft, terms)
      const { kind, scopes, agent_ids, expires_at } = toWireKey(issued.row)
      const after = { name, kind, scopes, agent_ids, expires_at }
      await record(tx, org, author, { action: 'api_key.created', subject: fromUuid('key', id), after })
      return issued
    },
    insertHeir: async (tx, org, author, { id, endsAt, old }) => {
      const { name, kind, scopes, agent_ids } = old
      const terms = await countKeys(tx, org)
      // A key from before the policy can be rotated: its successor gets the longest life that is allowed.
      const expires_at = earlierOf(old.expires_at, latestEnd(terms.max_lifetime_days, terms.now))
      const copied = { name, kind, scopes, agent_ids, expires_at, bucket_id: old.bucket_id ?? old.id }
      const issued = await insert(tx, org, { id, endsAt, ...copied, ...creatorOf(author) }, terms)
      const { id: subject, rotated_to, grace_until } = toWireKey(await retireKey(tx, org, old.id, id))
      await record(tx, org, author, { action: 'api_key.rotated', subject, after: { rotated_to, grace_until } })
      return issued
    },
  }
}

const fingerprintOf = (request: IssueRequest): Buffer => sha256(canonicalJson(request))

const creatorOf = ({ actor }: AuditAuthor): Pick<NewKey, 'created_by' | 'created_by_type'> =>
  actor.type === 'key' || actor.type === 'user'
    ? { created_by: toUuid(actor.id), created_by_type: actor.type }
    : { created_by: null, created_by_type: 'operator' }

const answer = (row: ApiKey, key: string | null, headers: Record<string, string>): Answer<NewApiKey> => {
  const wire = toWireKey(row)
  return new Answer({ ...wire, key }, { headers: { location: `/v2/api-keys/${wire.id}`, ...headers } })
}
