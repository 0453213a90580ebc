import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

// crosses organisations: tries to log in that no window holds any more.
export const deleteOldAttempts = async (db: Database, seconds: number, most: number): Promise<number> =>
  (await db.once(null, attempts(seconds, most))).length

// crosses organisations: sessions that ended long ago, whoever they belonged to. The audit log remembers them.
export const deleteOldSessions = async (db: Database, days: number, most: number): Promise<number> =>
  (await db.once(null, sessions(days, most))).length

// crosses organisations: links that nobody can use any more.
export const deleteOldLinks = async (db: Database, days: number, most: number): Promise<number> => {
  const [resets, invitations] = await db.batch(null, [oldResets(days, most), oldInvitations(days, most)])
  return Math.max(resets?.length ?? 0, invitations?.length ?? 0)
}

const attempts = statement(
  'people.delete_old_attempts',
  `delete from login_attempts where subject in (select subject from login_attempts
    where window_at < app_now() - make_interval(secs => $1) limit $2 for update skip locked) returning 1`,
)

const sessions = statement(
  'people.delete_old_sessions',
  `delete from sessions where id in (select s.id from sessions s
    where least(s.ended_at, s.expires_at) < app_now() - make_interval(days => $1)
      and not exists (select from session_tokens t where t.session_id = s.id)
    limit $2 for update skip locked) returning 1`,
)

const oldResets = statement(
  'people.delete_old_resets',
  `delete from password_resets where id in (select id from password_resets
    where least(used_at, expires_at) < app_now() - make_interval(days => $1) limit $2 for update skip locked) returning 1`,
)

const oldInvitations = statement(
  'people.delete_old_invitations',
  `delete from invitations where id in (select id from invitations
    where least(accepted_at, revoked_at, expires_at) < app_now() - make_interval(days => $1)
    limit $2 for update skip locked) returning 1`,
)
