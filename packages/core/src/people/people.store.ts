import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'

// crosses organisations: deletes login attempts whose window is over.
export const deleteOldAttempts = async (db: Database, seconds: number, limit: number): Promise<number> =>
  (await db.once(null, attempts({ ageSeconds: seconds, limit }))).length

// crosses organisations: deletes sessions that ended long ago. The audit log keeps their record.
export const deleteOldSessions = async (db: Database, days: number, limit: number): Promise<number> =>
  (await db.once(null, sessions({ ageDays: days, limit }))).length

// crosses organisations: deletes links that have expired or were used.
export const deleteOldLinks = async (db: Database, days: number, limit: number): Promise<number> => {
  const deleted = await db.batch(null, [
    oldResets({ ageDays: days, limit }),
    oldProofs({ ageDays: days, limit }),
    oldInvitations({ ageDays: days, limit }),
  ])
  return Math.max(...deleted.map((rows) => rows.length))
}

const attempts = statement<{ ageSeconds: number; limit: number }>(
  'people.delete_old_attempts',
  sql`delete from login_attempts where subject in (select subject from login_attempts
    where window_at < app_now() - make_interval(secs => :ageSeconds) limit :limit for update skip locked) returning 1`,
)

const sessions = statement<{ ageDays: number; limit: number }>(
  'people.delete_old_sessions',
  sql`delete from sessions where id in (select s.id from sessions s
    where least(s.ended_at, s.expires_at) < app_now() - make_interval(days => :ageDays)
      and not exists (select from session_tokens t where t.session_id = s.id)
    limit :limit for update skip locked) returning 1`,
)

const oldResets = statement<{ ageDays: number; limit: number }>(
  'people.delete_old_resets',
  sql`delete from password_resets where id in (select id from password_resets
    where least(used_at, expires_at) < app_now() - make_interval(days => :ageDays) limit :limit for update skip locked) returning 1`,
)

const oldProofs = statement<{ ageDays: number; limit: number }>(
  'people.delete_old_proofs',
  sql`delete from email_proofs where id in (select id from email_proofs
    where least(used_at, expires_at) < app_now() - make_interval(days => :ageDays) limit :limit for update skip locked) returning 1`,
)

const oldInvitations = statement<{ ageDays: number; limit: number }>(
  'people.delete_old_invitations',
  sql`delete from invitations where id in (select id from invitations
    where least(accepted_at, revoked_at, expires_at) < app_now() - make_interval(days => :ageDays)
    limit :limit for update skip locked) returning 1`,
)
