import { limits } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export type OpenReset = { id: string; user_id: string; email: string; name: string }

// crosses organisations: a password belongs to the person.
export const insertReset = async (tx: Tx, reset: { id: string; user: string; hash: Buffer }): Promise<Date> => {
  const [row] = await tx.query<{ expires_at: Date }>(add(reset.id, reset.user, reset.hash, limits.passwordResetHours))
  if (!row) throw new Error('The database did not answer with the link that was inserted')
  return row.expires_at
}

// crosses organisations: whoever follows a link shows no other proof of who they are.
export const findReset = async (db: Database, hash: Buffer): Promise<OpenReset | null> => {
  const [row] = await db.once<OpenReset>(null, find(hash))
  return row ?? null
}

// crosses organisations: a link works once. False: it was used or has expired meanwhile.
export const consumeReset = async (tx: Tx, id: string): Promise<boolean> => {
  const rows = await tx.query(use(id))
  return rows.length > 0
}

// crosses organisations: links of a person that are not wanted any more.
export const voidResets = async (tx: Tx, user: string): Promise<void> => {
  await tx.query(voidAll(user))
}

const add = statement(
  'people.add_reset',
  `insert into password_resets (id, user_id, hash, expires_at)
   values ($1, $2, $3, app_now() + make_interval(hours => $4)) returning expires_at`,
)

const find = statement(
  'people.find_reset',
  `select r.id, r.user_id, u.email, u.name from password_resets r join users u on u.id = r.user_id
    where r.hash = $1 and r.used_at is null and r.expires_at > app_now()`,
)

const use = statement(
  'people.use_reset',
  'update password_resets set used_at = app_now() where id = $1 and used_at is null and expires_at > app_now() returning id',
)

const voidAll = statement(
  'people.void_resets',
  'update password_resets set used_at = app_now() where user_id = $1 and used_at is null',
)
