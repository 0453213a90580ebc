import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { peopleBounds } from './bounds.ts'
import type { Membership, User } from './person.ts'

export type KnownUser = User & { organisations: Membership[] }

// crosses organisations: a person who logs in is looked up before an organisation is chosen. An address may belong to several
// accounts, at most one of them proven: that one first, then the oldest. Accounts without an organisation are left out.
export const listUsersByEmail = (
  db: Database,
  email: string,
  limit: number,
  only: { org?: string | undefined; user?: string | undefined } = {},
): Promise<KnownUser[]> => db.once(null, byEmail({ email, limit, org: only.org ?? null, userId: only.user ?? null }))

// crosses organisations: a person may belong to several, and sees all of them.
export const findUser = async (db: Database, id: string): Promise<KnownUser | null> => {
  const [row] = await db.once(null, byId({ id }))
  return row ?? null
}

// crosses organisations: a person belongs to none of them. Locks the person until the commit, so that logins, changes of
// the password and links of one person do not run concurrently. Answers the current hash of the password.
export const lockUser = async (tx: Tx, id: string): Promise<string | null> => {
  const [row] = await tx.query(lock({ id }))
  return row?.password_hash ?? null
}

// crosses organisations: an account belongs to none of them.
export const insertUser = async (
  tx: Tx,
  user: { id: string; email: string; name: string; passwordHash: string },
): Promise<void> => {
  await tx.query(add({ id: user.id, email: user.email, name: user.name, passwordHash: user.passwordHash }))
}

// crosses organisations: a password belongs to the person.
export const setPassword = async (tx: Tx, id: string, passwordHash: string): Promise<void> => {
  await tx.query(set({ id, passwordHash }))
}

// crosses organisations: an account belongs to none of them. The name, locked until the commit. Null: no such person.
export const lockUserName = async (tx: Tx, id: string): Promise<string | null> => {
  const [row] = await tx.query(lockName({ id }))
  return row?.name ?? null
}

// crosses organisations: a name belongs to the person.
export const setUserName = async (tx: Tx, id: string, name: string): Promise<void> => {
  await tx.query(rename({ id, name }))
}

// crosses organisations: an address belongs to the person.
export const isEmailProven = async (tx: Tx, id: string): Promise<boolean> => (await tx.query(proven({ id }))).length > 0

// crosses organisations: at most one account has proven an address. False: another one has. The lock is for two proofs at once.
export const proveEmail = async (tx: Tx, id: string, email: string): Promise<boolean> => {
  await tx.query(lockEmail({ email }))
  return (await tx.query(prove({ id, email }))).length > 0
}

// crosses organisations: the organisations of a person.
export const listOrganisationsOf = async (tx: Tx, user: string): Promise<string[]> => {
  const rows = await tx.query(organisationsOf({ userId: user }))
  return rows.map(({ org_id }) => org_id)
}

// A person joins at most 100 organisations. The limit here is only a safeguard.
const known = `select u.id, u.email, u.name, u.password_hash,
  coalesce((select json_agg(json_build_object('id', j.id, 'name', j.name, 'plan', j.plan,
       'max_key_lifetime_days', j.max_key_lifetime_days, 'role', j.role) order by j.joined)
     from (select o.id, o.name, o.plan, o.max_key_lifetime_days, m.role, m.id as joined
             from members m join organisations o on o.id = m.org_id
            where m.user_id = u.id order by m.id limit ${peopleBounds.organisationsOfUser.count}) j), '[]') as organisations
  from users u`

const byEmail = statement<{ email: string; limit: number; org: Uuid | null; userId: Uuid | null }, KnownUser>(
  'people.list_by_email',
  sql`${known} where u.email = :email and (:userId::uuid is null or u.id = :userId)
     and exists (select from members m where m.user_id = u.id and (:org::uuid is null or m.org_id = :org))
   order by u.email_proven_at is null, u.id limit :limit`,
)
const byId = statement<{ id: Uuid }, KnownUser>('people.find_by_id', sql`${known} where u.id = :id`)
const lock = statement<{ id: Uuid }, { password_hash: string | null }>(
  'people.lock_user',
  sql`select password_hash from users where id = :id for update`,
)

const add = statement<{ id: Uuid; email: string; name: string; passwordHash: string }>(
  'people.add_user',
  sql`insert into users (id, email, name, password_hash, password_changed_at) values (:id, :email, :name, :passwordHash, app_now())`,
)

const set = statement<{ id: Uuid; passwordHash: string }>(
  'people.set_password',
  sql`update users set password_hash = :passwordHash, password_changed_at = app_now() where id = :id`,
)

const lockName = statement<{ id: Uuid }, { name: string }>(
  'people.lock_user_name',
  sql`select name from users where id = :id for update`,
)

const rename = statement<{ id: Uuid; name: string }>(
  'people.set_user_name',
  sql`update users set name = :name where id = :id`,
)

const proven = statement<{ id: Uuid }>(
  'people.is_email_proven',
  sql`select id from users where id = :id and email_proven_at is not null`,
)

const lockEmail = statement<{ email: string }>(
  'people.lock_email',
  sql`select pg_advisory_xact_lock(hashtextextended('email ' || :email::text, 0)) is null`,
)

const prove = statement<{ id: Uuid; email: string }>(
  'people.prove_email',
  sql`update users u set email_proven_at = coalesce(u.email_proven_at, app_now())
    where u.id = :id and u.email = :email
      and not exists (select from users o where o.email = :email and o.id <> :id and o.email_proven_at is not null)
   returning u.id`,
)

const organisationsOf = statement<{ userId: Uuid }, { org_id: string }>(
  'people.organisations_of',
  sql`select org_id from members where user_id = :userId order by org_id limit ${peopleBounds.organisationsOfUser.count}`,
)
