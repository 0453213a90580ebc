import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export type NewToken = {
  id: string
  hash: Buffer
  scopes: readonly string[]
  runId: string | null
  seconds: number
  /** The key or the browser session that it dies with. */
  parent: { type: 'key' | 'session'; id: string }
}

/** Answers when it ends, which is never later than its parent does; null: the parent itself is no longer valid. */
export const insertToken = async (db: Database, org: string, token: NewToken): Promise<Date | null> => {
  const { id, hash, scopes, runId, seconds, parent } = token
  const add = parent.type === 'key' ? addOfKey : addOfSession
  const [row] = await db.once<{ expires_at: Date }>(org, add(org, id, parent.id, hash, scopes, runId, seconds))
  return row?.expires_at ?? null
}

export const isKnownRun = async (db: Database, org: string, runId: string): Promise<boolean> => {
  const rows = await db.once(org, knownRun(org, runId))
  return rows.length > 0
}

// crosses organisations: tokens that nobody can use any more go, whoever made them; so many at a time.
export const deleteExpiredTokens = async (db: Database, most: number): Promise<number> => {
  const rows = await db.once(null, deleteExpired(most))
  return rows.length
}

const addOfKey = statement(
  'session_tokens.add_of_key',
  `insert into session_tokens (org_id, id, key_id, hash, scopes, run_id, expires_at)
   select k.org_id, $2, k.id, $4, $5, $6, least(app_now() + $7::integer * interval '1 second', k.expires_at, k.grace_until)
     from api_keys k
    where k.org_id = $1 and k.id = $3 and k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now())
      and (k.grace_until is null or k.grace_until > app_now())
   returning expires_at`,
)

const addOfSession = statement(
  'session_tokens.add_of_session',
  `insert into session_tokens (org_id, id, session_id, hash, scopes, run_id, expires_at)
   select s.org_id, $2, s.id, $4, $5, $6, least(app_now() + $7::integer * interval '1 second', s.expires_at)
     from sessions s
    where s.org_id = $1 and s.id = $3 and s.ended_at is null and s.expires_at > app_now()
   returning expires_at`,
)

const knownRun = statement('session_tokens.known_run', 'select id from runs where org_id = $1 and id = $2')

const deleteExpired = statement(
  'session_tokens.delete_expired',
  `delete from session_tokens where id in (
     select id from session_tokens where expires_at <= app_now() order by expires_at limit $1 for update skip locked)
   returning id`,
)
