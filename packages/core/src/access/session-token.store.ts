import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

export type NewToken = {
  id: string
  hash: Buffer
  scopes: readonly string[]
  runId: string | null
  seconds: number
  /** The key or the browser session that the token ends with. */
  parent: { type: 'key' | 'session'; id: string }
}

/** Answers when the token expires, which is not later than its parent does. Null: the parent is no longer valid. */
export const insertToken = async (tx: Tx, org: string, token: NewToken): Promise<Date | null> => {
  const { id, hash, scopes, runId, seconds, parent } = token
  const add = parent.type === 'key' ? addOfKey : addOfSession
  const [row] = await tx.query(add({ org, id, parentId: parent.id, hash, scopes, runId, lifetimeSeconds: seconds }))
  return row?.expires_at ?? null
}

export const isKnownRun = async (db: Database, org: string, runId: string): Promise<boolean> => {
  const rows = await db.once(org, knownRun({ org, runId }))
  return rows.length > 0
}

type NewTokenRow = {
  org: Uuid
  id: Uuid
  parentId: Uuid
  hash: Buffer
  scopes: readonly string[]
  runId: Uuid | null
  lifetimeSeconds: number
}

const addOfKey = statement<NewTokenRow, { expires_at: Date }>(
  'session_tokens.add_of_key',
  sql`insert into session_tokens (org_id, id, key_id, hash, scopes, run_id, expires_at)
   select k.org_id, :id, k.id, :hash, :scopes, :runId, least(app_now() + :lifetimeSeconds::integer * interval '1 second', k.expires_at, k.grace_until)
     from api_keys k
    where k.org_id = :org and k.id = :parentId and k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now())
      and (k.grace_until is null or k.grace_until > app_now())
   returning expires_at`,
)

const addOfSession = statement<NewTokenRow, { expires_at: Date }>(
  'session_tokens.add_of_session',
  sql`insert into session_tokens (org_id, id, session_id, hash, scopes, run_id, expires_at)
   select s.org_id, :id, s.id, :hash, :scopes, :runId, least(app_now() + :lifetimeSeconds::integer * interval '1 second', s.expires_at)
     from sessions s
    where s.org_id = :org and s.id = :parentId and s.ended_at is null and s.expires_at > app_now()
   returning expires_at`,
)

const knownRun = statement<{ org: Uuid; runId: Uuid }>(
  'session_tokens.known_run',
  sql`select id from runs where org_id = :org and id = :runId`,
)
