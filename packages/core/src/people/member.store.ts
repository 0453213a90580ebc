import type { Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Member } from './member.ts'

export type PeoplePage = { after: string | null; before: string | null; limit: number }

/** Newest first. With `before` the order is oldest first, and the caller reverses it. */
export const listMembers = (db: Database, org: string, page: PeoplePage): Promise<Member[]> =>
  page.before === null
    ? db.once(org, listOlder({ org, after: page.after, limit: page.limit }))
    : db.once(org, listNewer({ org, before: page.before, limit: page.limit }))

/** Waits for other changes of the members, as long as the lock timeout of the database allows. */
export const holdMembers = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock({ org }))
}

export const findMember = async (tx: Tx, org: string, id: string): Promise<Member | null> => {
  const [row] = await tx.query(find({ org, id }))
  return row ?? null
}

export const findRole = async (tx: Tx, org: string, user: string): Promise<Role | null> => {
  const [row] = await tx.query(role({ org, userId: user }))
  return row?.role ?? null
}

/** Whether the key is valid and has no end. */
export const isLastingKey = async (tx: Tx, org: string, keyId: string): Promise<boolean> =>
  (await tx.query(lastingKey({ org, keyId }))).length > 0

export const isMemberByEmail = async (tx: Tx, org: string, email: string): Promise<boolean> => {
  const rows = await tx.query(byEmail({ org, email }))
  return rows.length > 0
}

export const countMembers = async (tx: Tx, org: string): Promise<{ members: number; owners: number }> => {
  const [row] = await tx.query(count({ org }))
  return row ?? { members: 0, owners: 0 }
}

/** False: the person is a member already. */
export const insertMember = async (
  tx: Tx,
  org: string,
  member: { id: string; user: string; role: Role },
): Promise<boolean> => {
  const rows = await tx.query(add({ org, id: member.id, userId: member.user, role: member.role }))
  return rows.length > 0
}

export const setRole = async (tx: Tx, org: string, id: string, to: Role): Promise<void> => {
  await tx.query(set({ org, id, role: to }))
}

export const deleteMember = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(remove({ org, id }))
}

/** Sets the organisation of the rest of the transaction, for an action that several organisations record. */
export const setTenant = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(speak({ org }))
}

const columns = 'm.id, m.user_id, u.email, u.name, m.role, m.created_at'
const joined = 'members m join users u on u.id = m.user_id'

const listOlder = statement<{ org: Uuid; after: Uuid | null; limit: number }, Member>(
  'people.list_members_older',
  sql`select ${columns} from ${joined}
    where m.org_id = :org and (:after::uuid is null or m.id < :after) order by m.id desc limit :limit`,
)

const listNewer = statement<{ org: Uuid; before: Uuid; limit: number }, Member>(
  'people.list_members_newer',
  sql`select ${columns} from ${joined} where m.org_id = :org and m.id > :before order by m.id limit :limit`,
)

const lock = statement<{ org: Uuid }>(
  'people.lock_members',
  sql`select pg_advisory_xact_lock(hashtextextended('members ' || :org::text, 0)) is null`,
)

const find = statement<{ org: Uuid; id: Uuid }, Member>(
  'people.find_member',
  sql`select ${columns} from ${joined} where m.org_id = :org and m.id = :id`,
)
const role = statement<{ org: Uuid; userId: Uuid }, { role: Role }>(
  'people.find_role',
  sql`select role from members where org_id = :org and user_id = :userId`,
)

const lastingKey = statement<{ org: Uuid; keyId: Uuid }>(
  'people.lasting_key',
  sql`select id from api_keys
    where org_id = :org and id = :keyId and revoked_at is null and expires_at is null and grace_until is null`,
)

const byEmail = statement<{ org: Uuid; email: string }>(
  'people.find_member_by_email',
  sql`select m.id from ${joined} where m.org_id = :org and u.email = :email`,
)

const count = statement<{ org: Uuid }, { members: number; owners: number }>(
  'people.count_members',
  sql`select count(*)::integer as members, count(*) filter (where role = 'owner')::integer as owners
     from members where org_id = :org`,
)

const add = statement<{ org: Uuid; id: Uuid; userId: Uuid; role: string }>(
  'people.add_member',
  sql`insert into members (org_id, id, user_id, role) values (:org, :id, :userId, :role)
   on conflict (org_id, user_id) do nothing returning id`,
)

const set = statement<{ org: Uuid; id: Uuid; role: string }>(
  'people.set_role',
  sql`update members set role = :role where org_id = :org and id = :id`,
)
const remove = statement<{ org: Uuid; id: Uuid }>(
  'people.remove_member',
  sql`delete from members where org_id = :org and id = :id`,
)
const speak = statement<{ org: Uuid }>('people.speak_for', sql`select set_config('app.org_id', :org, true)`)
