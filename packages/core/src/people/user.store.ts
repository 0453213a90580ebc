import type { Database, Tx } from '@ars/platform/db/database'
import { type Statement, statement } from '@ars/platform/db/statement'
import type { Membership, User } from './person.ts'

export type Known = User & { organisations: Membership[] }

// crosses organisations: whoever logs in is looked for before it is known where they belong.
export const findUserByEmail = (db: Database, email: string): Promise<Known | null> => first(db, byEmail(email))

// crosses organisations: a person may belong to several, and is shown all of their own.
export const findUser = (db: Database, id: string): Promise<Known | null> => first(db, byId(id))

// crosses organisations: a person belongs to none of them. Held until the commit, so that a login, a change of password
// and a link for one person go one after the other. Answers the password's hash as it is now.
export const lockUser = async (tx: Tx, id: string): Promise<string | null> => {
  const [row] = await tx.query<{ password_hash: string | null }>(lock(id))
  return row?.password_hash ?? null
}

// crosses organisations: an account belongs to none of them. False: somebody has made it a moment ago.
export const insertUser = async (
  tx: Tx,
  user: { id: string; email: string; name: string; passwordHash: string },
): Promise<boolean> => {
  const rows = await tx.query(add(user.id, user.email, user.name, user.passwordHash))
  return rows.length > 0
}

// crosses organisations: a password belongs to the person.
export const setPassword = async (tx: Tx, id: string, passwordHash: string): Promise<void> => {
  await tx.query(set(id, passwordHash))
}

// crosses organisations: in how many a person is, and which.
export const listOrganisationsOf = async (tx: Tx, user: string): Promise<string[]> => {
  const rows = await tx.query<{ org_id: string }>(organisationsOf(user))
  return rows.map(({ org_id }) => org_id)
}

const first = async (db: Database, find: Statement): Promise<Known | null> => {
  const [row] = await db.once<Known>(null, find)
  return row ?? null
}

// A person joins at most 100 organisations; the bound here is beyond what can be.
const known = `select u.id, u.email, u.name, u.password_hash,
  coalesce((select json_agg(json_build_object('id', j.id, 'name', j.name, 'plan', j.plan, 'role', j.role) order by j.joined)
     from (select o.id, o.name, o.plan, m.role, m.id as joined
             from members m join organisations o on o.id = m.org_id
            where m.user_id = u.id order by m.id limit 1000) j), '[]') as organisations
  from users u`

const byEmail = statement('people.find_by_email', `${known} where u.email = $1`)
const byId = statement('people.find_by_id', `${known} where u.id = $1`)
const lock = statement('people.lock_user', 'select password_hash from users where id = $1 for update')

const add = statement(
  'people.add_user',
  `insert into users (id, email, name, password_hash, password_changed_at) values ($1, $2, $3, $4, app_now())
   on conflict (email) do nothing returning id`,
)

const set = statement(
  'people.set_password',
  'update users set password_hash = $2, password_changed_at = app_now() where id = $1',
)

const organisationsOf = statement(
  'people.organisations_of',
  'select org_id from members where user_id = $1 order by org_id limit 1000',
)
