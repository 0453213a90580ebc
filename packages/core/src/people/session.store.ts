import { limits, peopleLimits, type Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Session } from './session.ts'

export type NewSession = {
  id: string
  user: string
  hash: Buffer
  /** Null: as long as a session may live. */
  expiresAt: Date | null
  address: string
  userAgent: string | null
}

export const insertSession = async (tx: Tx, org: string, session: NewSession): Promise<Session> => {
  const { id, user, hash, expiresAt, address, userAgent } = session
  const [row] = await tx.query<Session>(add(org, id, user, hash, expiresAt, limits.sessionMaxDays, address, userAgent))
  if (!row) throw new Error('The database did not answer with the session that was inserted')
  return row
}

export type LiveSession = {
  id: string
  org_id: string
  user_id: string
  role: Role
  requests_per_minute: number
  burst: number
  /** Since it was last written that the session is used. */
  unseen_seconds: number
  /** Until it ends, be it by age or because nobody uses it. */
  lives_ms: number
}

// crosses organisations: a session is looked for before its organisation is known. The role is read with it, so that
// one who was removed is nobody, and one whose role has changed has the new one.
export const findLiveSession = async (db: Database, hash: Buffer): Promise<LiveSession | null> => {
  const [row] = await db.once<LiveSession>(null, findLive(hash, limits.sessionIdleHours))
  return row ?? null
}

// crosses organisations: a person sees all of their own sessions, wherever they speak.
export const listOwnSessions = (
  db: Database,
  user: string,
  page: { after: string | null; before: string | null; limit: number },
): Promise<Session[]> =>
  db.once<Session>(
    null,
    page.before === null
      ? listOlder(user, limits.sessionIdleHours, page.after, page.limit)
      : listNewer(user, limits.sessionIdleHours, page.before, page.limit),
  )

// crosses organisations: a person ends any of their own sessions.
export const findOwnSession = async (db: Database, user: string, id: string): Promise<Session | null> => {
  const [row] = await db.once<Session>(null, findOwn(user, id))
  return row ?? null
}

/** Null: it has ended already. */
export const endSession = async (tx: Tx, org: string, id: string): Promise<Session | null> => {
  const [row] = await tx.query<Session>(end(org, id))
  return row ?? null
}

export const endSessionsOfMember = async (tx: Tx, org: string, user: string): Promise<number> => {
  const rows = await tx.query(endOfMember(org, user))
  return rows.length
}

// crosses organisations: whoever logs in again from the same browser leaves no second door open, wherever it led.
export const endSessionByHash = async (tx: Tx, hash: Buffer): Promise<Session | null> => {
  const [row] = await tx.query<Session>(endByHash(hash))
  return row ?? null
}

// crosses organisations: a changed password shuts out whoever knew the old one, everywhere.
export const endSessionsOfUser = async (tx: Tx, user: string): Promise<number> => {
  const rows = await tx.query(endOfUser(user))
  return rows.length
}

// crosses organisations: the bound is on what one person holds. The oldest go.
export const endSurplusSessions = async (tx: Tx, user: string): Promise<void> => {
  await tx.query(endSurplus(user, peopleLimits.sessionsPerUser))
}

// crosses organisations: which sessions are in use is noted in batches over all of them.
export const noteSeen = async (db: Database, ids: readonly string[]): Promise<void> => {
  await db.once(null, seen(ids))
}

const columns = 'id, org_id, user_id, created_at, seen_at, expires_at, ended_at, address, user_agent'
const isLive = 's.ended_at is null and s.expires_at > app_now() and s.seen_at > app_now() - make_interval(hours => $2)'

const add = statement(
  'people.add_session',
  `insert into sessions (org_id, id, user_id, hash, expires_at, address, user_agent)
   values ($1, $2, $3, $4, coalesce($5::timestamptz, app_now() + make_interval(days => $6)), $7, $8) returning ${columns}`,
)

const findLive = statement(
  'people.find_session',
  `select s.id, s.org_id, s.user_id, m.role, o.requests_per_minute, o.burst,
          extract(epoch from app_now() - s.seen_at)::float8 as unseen_seconds,
          extract(epoch from least(s.expires_at, s.seen_at + make_interval(hours => $2)) - app_now())::float8 * 1000 as lives_ms
     from sessions s
     join members m on m.org_id = s.org_id and m.user_id = s.user_id
     join organisations o on o.id = s.org_id
    where s.hash = $1 and ${isLive}`,
)

const listOlder = statement(
  'people.list_sessions_older',
  `select ${columns} from sessions s
    where user_id = $1 and ${isLive} and ($3::uuid is null or id < $3) order by id desc limit $4`,
)

const listNewer = statement(
  'people.list_sessions_newer',
  `select ${columns} from sessions s where user_id = $1 and ${isLive} and id > $3 order by id limit $4`,
)

const findOwn = statement('people.find_own_session', `select ${columns} from sessions where user_id = $1 and id = $2`)

const end = statement(
  'people.end_session',
  `update sessions set ended_at = app_now() where org_id = $1 and id = $2 and ended_at is null returning ${columns}`,
)

const endOfMember = statement(
  'people.end_sessions_of_member',
  'update sessions set ended_at = app_now() where org_id = $1 and user_id = $2 and ended_at is null returning id',
)

const endByHash = statement(
  'people.end_session_by_hash',
  `update sessions set ended_at = app_now() where hash = $1 and ended_at is null returning ${columns}`,
)

const endOfUser = statement(
  'people.end_sessions_of_user',
  'update sessions set ended_at = app_now() where user_id = $1 and ended_at is null returning id',
)

const endSurplus = statement(
  'people.end_surplus_sessions',
  `update sessions set ended_at = app_now()
    where user_id = $1 and id in (select id from sessions where user_id = $1 and ended_at is null order by id desc offset $2)`,
)

const seen = statement(
  'people.note_seen',
  'update sessions set seen_at = app_now() where id = any($1::uuid[]) and ended_at is null and seen_at < app_now()',
)
