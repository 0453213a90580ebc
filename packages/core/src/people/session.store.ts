import { limits, peopleLimits, type Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Session } from './session.ts'

export type NewSession = {
  id: string
  user: string
  hash: Buffer
  /** Null: the longest lifetime of a session applies. */
  expiresAt: Date | null
  address: string
  userAgent: string | null
}

export const insertSession = async (tx: Tx, org: string, session: NewSession): Promise<Session> => {
  const { id, user, hash, expiresAt, address, userAgent } = session
  const [row] = await tx.query(
    add({ org, id, userId: user, hash, expiresAt, maxDays: limits.sessionMaxDays, address, userAgent }),
  )
  if (!row) throw new Error('The database did not return the session that was inserted')
  return row
}

export type LiveSession = {
  id: string
  org_id: string
  user_id: string
  role: Role
  requests_per_minute: number
  burst: number
  policy_set_id: string | null
  /** Since the last stored use of the session. */
  unseen_seconds: number
  /** Until the session ends because of its age or because it is idle. */
  lives_ms: number
}

// crosses organisations: a session is looked up before its organisation is known. The role is read with it, so that a
// removed member has no session, and a changed role applies at once.
export const findLiveSession = async (db: Database, hash: Buffer): Promise<LiveSession | null> => {
  const [row] = await db.once(null, findLive({ hash, idleHours: limits.sessionIdleHours }))
  return row ?? null
}

// crosses organisations: a person sees all of their sessions.
export const listOwnSessions = (
  db: Database,
  user: string,
  page: { after: string | null; before: string | null; limit: number },
): Promise<Session[]> =>
  db.once(
    null,
    page.before === null
      ? listOlder({ userId: user, idleHours: limits.sessionIdleHours, after: page.after, limit: page.limit })
      : listNewer({ userId: user, idleHours: limits.sessionIdleHours, before: page.before, limit: page.limit }),
  )

// crosses organisations: a person may end any of their sessions.
export const findOwnSession = async (db: Database, user: string, id: string): Promise<Session | null> => {
  const [row] = await db.once(null, findOwn({ userId: user, id }))
  return row ?? null
}

/** Null: the session has ended already. */
export const endSession = async (tx: Tx, org: string, id: string): Promise<Session | null> => {
  const [row] = await tx.query(end({ org, id }))
  return row ?? null
}

export const endSessionsOfMember = async (tx: Tx, org: string, user: string): Promise<number> => {
  const rows = await tx.query(endOfMember({ org, userId: user }))
  return rows.length
}

// crosses organisations: a new login from the same browser ends the session before, of any organisation.
export const endSessionByHash = async (tx: Tx, hash: Buffer): Promise<Session | null> => {
  const [row] = await tx.query(endByHash({ hash }))
  return row ?? null
}

// crosses organisations: a changed password ends all sessions of the person.
export const endSessionsOfUser = async (tx: Tx, user: string): Promise<number> => {
  const rows = await tx.query(endOfUser({ userId: user }))
  return rows.length
}

// crosses organisations: the number of sessions of a person is limited. The oldest ones end.
export const endSurplusSessions = async (tx: Tx, user: string): Promise<void> => {
  await tx.query(endSurplus({ userId: user, maxSessions: peopleLimits.sessionsPerUser }))
}

// crosses organisations: the uses of all sessions are stored together.
export const noteSeen = async (db: Database, ids: readonly string[]): Promise<void> => {
  await db.once(null, seen({ ids }))
}

const columns = 'id, org_id, user_id, created_at, seen_at, expires_at, ended_at, address, user_agent'
const isLive =
  's.ended_at is null and s.expires_at > app_now() and s.seen_at > app_now() - make_interval(hours => :idleHours)'

const add = statement<
  {
    org: Uuid
    id: Uuid
    userId: Uuid
    hash: Buffer
    expiresAt: Date | null
    maxDays: number
    address: string
    userAgent: string | null
  },
  Session
>(
  'people.add_session',
  sql`insert into sessions (org_id, id, user_id, hash, expires_at, address, user_agent)
   values (:org, :id, :userId, :hash, coalesce(:expiresAt::timestamptz, app_now() + make_interval(days => :maxDays)), :address,
     :userAgent)
   returning ${columns}`,
)

const findLive = statement<{ hash: Buffer; idleHours: number }, LiveSession>(
  'people.find_session',
  sql`select s.id, s.org_id, s.user_id, m.role, o.requests_per_minute, o.burst, o.policy_set_id,
          extract(epoch from app_now() - s.seen_at)::float8 as unseen_seconds,
          extract(epoch from least(s.expires_at, s.seen_at + make_interval(hours => :idleHours)) - app_now())::float8 * 1000 as lives_ms
     from sessions s
     join members m on m.org_id = s.org_id and m.user_id = s.user_id
     join organisations o on o.id = s.org_id
    where s.hash = :hash and ${isLive}`,
)

const listOlder = statement<{ userId: Uuid; idleHours: number; after: Uuid | null; limit: number }, Session>(
  'people.list_sessions_older',
  sql`select ${columns} from sessions s
    where user_id = :userId and ${isLive} and (:after::uuid is null or id < :after) order by id desc limit :limit`,
)

const listNewer = statement<{ userId: Uuid; idleHours: number; before: Uuid; limit: number }, Session>(
  'people.list_sessions_newer',
  sql`select ${columns} from sessions s where user_id = :userId and ${isLive} and id > :before order by id limit :limit`,
)

const findOwn = statement<{ userId: Uuid; id: Uuid }, Session>(
  'people.find_own_session',
  sql`select ${columns} from sessions where user_id = :userId and id = :id`,
)

const end = statement<{ org: Uuid; id: Uuid }, Session>(
  'people.end_session',
  sql`update sessions set ended_at = app_now() where org_id = :org and id = :id and ended_at is null returning ${columns}`,
)

const endOfMember = statement<{ org: Uuid; userId: Uuid }>(
  'people.end_sessions_of_member',
  sql`update sessions set ended_at = app_now() where org_id = :org and user_id = :userId and ended_at is null returning id`,
)

const endByHash = statement<{ hash: Buffer }, Session>(
  'people.end_session_by_hash',
  sql`update sessions set ended_at = app_now() where hash = :hash and ended_at is null returning ${columns}`,
)

const endOfUser = statement<{ userId: Uuid }>(
  'people.end_sessions_of_user',
  sql`update sessions set ended_at = app_now() where user_id = :userId and ended_at is null returning id`,
)

const endSurplus = statement<{ userId: Uuid; maxSessions: number }>(
  'people.end_surplus_sessions',
  sql`update sessions set ended_at = app_now()
    where user_id = :userId and id in (select id from sessions where user_id = :userId and ended_at is null order by id desc
      offset :maxSessions)`,
)

const seen = statement<{ ids: readonly Uuid[] }>(
  'people.note_seen',
  sql`update sessions set seen_at = app_now() where id = any(:ids::uuid[]) and ended_at is null and seen_at < app_now()`,
)
