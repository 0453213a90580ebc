import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

export type OpenReset = { id: string; user_id: string; email: string; name: string }

// crosses organisations: a password belongs to the person.
export const insertReset = async (tx: Tx, reset: { id: string; user: string; hash: Buffer }): Promise<Date> => {
  const [row] = await tx.query(
    add({ id: reset.id, userId: reset.user, hash: reset.hash, validHours: limits.passwordResetHours }),
  )
  if (!row) throw new Error('The database did not return the link that was inserted')
  return row.expires_at
}

// crosses organisations: a link is the only credential of the person who follows it.
export const findReset = async (db: Database, hash: Buffer): Promise<OpenReset | null> => {
  const [row] = await db.once(null, find({ hash }))
  return row ?? null
}

// crosses organisations: a link works once. False: the link is no longer valid.
export const consumeReset = async (tx: Tx, id: string): Promise<boolean> => {
  const rows = await tx.query(use({ id }))
  return rows.length > 0
}

// crosses organisations: invalidates the open links of a person.
export const voidResets = async (tx: Tx, user: string): Promise<void> => {
  await tx.query(voidAll({ userId: user }))
}

const add = statement<{ id: Uuid; userId: Uuid; hash: Buffer; validHours: number }, { expires_at: Date }>(
  'people.add_reset',
  sql`insert into password_resets (id, user_id, hash, expires_at)
   values (:id, :userId, :hash, app_now() + make_interval(hours => :validHours)) returning expires_at`,
)

const find = statement<{ hash: Buffer }, OpenReset>(
  'people.find_reset',
  sql`select r.id, r.user_id, u.email, u.name from password_resets r join users u on u.id = r.user_id
    where r.hash = :hash and r.used_at is null and r.expires_at > app_now()`,
)

const use = statement<{ id: Uuid }>(
  'people.use_reset',
  sql`update password_resets set used_at = app_now() where id = :id and used_at is null and expires_at > app_now() returning id`,
)

const voidAll = statement<{ userId: Uuid }>(
  'people.void_resets',
  sql`update password_resets set used_at = app_now() where user_id = :userId and used_at is null`,
)
