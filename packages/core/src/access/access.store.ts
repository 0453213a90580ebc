import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { KeyRow, TokenRow } from './caller.ts'

// crosses organisations: a key is looked up before its organisation is known. The role sees only keys.
export const findKeyByHash = async (db: Database, hash: Buffer): Promise<KeyRow | null> => {
  const [row] = await db.once(null, findKey({ hash }))
  return row ?? null
}

// crosses organisations: a token is looked up before its organisation is known, together with the key or session that it
// ends with.
export const findTokenByHash = async (db: Database, hash: Buffer): Promise<TokenRow | null> => {
  const [row] = await db.once(null, findToken({ hash }))
  return row ?? null
}

// crosses organisations: the last uses of all keys are stored together, every few seconds.
export const noteUses = async (db: Database, uses: readonly { keyId: string; agoMs: number }[]): Promise<void> => {
  const keyIds = uses.map(({ keyId }) => keyId)
  const agoMs = uses.map((use) => use.agoMs)
  await db.once(null, note({ keyIds, agoMs }))
}

/** Null: nothing to flag, because the key is revoked or its last flag is recent. The caller reports nothing in both cases. */
export const flagExposed = async (
  tx: Tx,
  org: string,
  { keyId, revoke }: { keyId: string; revoke: boolean },
): Promise<{ exposed_at: Date; revoked_at: Date | null } | null> => {
  const [row] = await tx.query(flag({ org, keyId, mustRevoke: revoke }))
  return row ?? null
}

/** Of an organisation `o`. */
export const limitsOfOrganisation =
  'o.name as org_name, o.plan, o.max_key_lifetime_days, o.requests_per_minute, o.burst, o.policy_set_id'

/** The columns of `KeyRow`, of a key `k` and its organisation `o`. */
export const keyColumns = `k.id as key_id, k.org_id, k.kind, k.scopes as key_scopes, k.agent_ids, coalesce(k.bucket_id, k.id) as bucket_id,
          k.rotated_at, least(k.expires_at, k.grace_until) as ends_at, ${limitsOfOrganisation},
          (extract(epoch from least(k.expires_at, k.grace_until) - app_now()) * 1000)::float8 as lives_ms`

/** Whether a key `k` is accepted now. */
export const isUsableKey = `k.revoked_at is null
      and (k.expires_at is null or k.expires_at > app_now())
      and (k.grace_until is null or k.grace_until > app_now())`

const findKey = statement<{ hash: Buffer }, KeyRow>(
  'access.find_key',
  sql`select ${keyColumns}
     from api_keys k join organisations o on o.id = k.org_id
    where k.hash = :hash and ${isUsableKey}`,
)

const sessionIdle = `interval '${limits.sessionIdleHours} hours'`

const findToken = statement<{ hash: Buffer }, TokenRow>(
  'access.find_token',
  sql`select t.org_id, t.id as token_id, t.scopes, t.run_id, o.name as org_name, o.plan, o.max_key_lifetime_days, o.requests_per_minute, o.burst, o.policy_set_id,
          k.id as key_id, k.kind, k.scopes as key_scopes, k.agent_ids, coalesce(k.bucket_id, k.id) as bucket_id,
          s.id as session_id, s.user_id, m.role,
          (extract(epoch from least(t.expires_at, k.expires_at, k.grace_until, s.expires_at, s.seen_at + ${sessionIdle})
            - app_now()) * 1000)::float8 as lives_ms
     from session_tokens t
     join organisations o on o.id = t.org_id
     left join api_keys k on k.id = t.key_id and k.org_id = t.org_id
     left join sessions s on s.id = t.session_id and s.org_id = t.org_id
     left join members m on m.org_id = s.org_id and m.user_id = s.user_id
    where t.hash = :hash and t.expires_at > app_now()
      and case when t.key_id is not null then k.id is not null and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > app_now())
            and (k.grace_until is null or k.grace_until > app_now())
          else m.id is not null and s.ended_at is null and s.expires_at > app_now()
            and s.seen_at + ${sessionIdle} > app_now() end`,
)

const note = statement<{ keyIds: readonly Uuid[]; agoMs: readonly number[] }>(
  'access.note_uses',
  sql`with used as (
     -- A row that another gateway writes is skipped: it stores a use of the same seconds. So gateways cannot deadlock.
     select k.id, app_now() - u.ago_ms * interval '1 millisecond' as at
       from unnest(:keyIds::uuid[], :agoMs::float8[]) as u (id, ago_ms) join api_keys k on k.id = u.id
        for update of k skip locked)
   update api_keys k set last_used_at = used.at from used
    where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.at)`,
)

const flag = statement<{ org: Uuid; keyId: Uuid; mustRevoke: boolean }, { exposed_at: Date; revoked_at: Date | null }>(
  'access.flag_exposed',
  sql`update api_keys set exposed_at = app_now(), revoked_at = case when :mustRevoke then app_now() end
    where org_id = :org and id = :keyId and revoked_at is null
      and (:mustRevoke or exposed_at is null or exposed_at <= app_now() - interval '1 hour')
    returning exposed_at, revoked_at`,
)
