import type { Role } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Member } from './member.ts'

export type Page = { after: string | null; before: string | null; limit: number }

/** Newest first. `before` reads towards the newer ones, and is turned round again by the caller. */
export const listMembers = (db: Database, org: string, page: Page): Promise<Member[]> =>
  page.before === null
    ? db.once<Member>(org, listOlder(org, page.after, page.limit))
    : db.once<Member>(org, listNewer(org, page.before, page.limit))

/** Whoever changes who belongs to an organisation goes one after the other from here to the commit. */
export const lockMembers = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(lock(org))
}

export const findMember = async (tx: Tx, org: string, id: string): Promise<Member | null> => {
  const [row] = await tx.query<Member>(find(org, id))
  return row ?? null
}

export const findRole = async (tx: Tx, org: string, user: string): Promise<Role | null> => {
  const [row] = await tx.query<{ role: Role }>(role(org, user))
  return row?.role ?? null
}

export const isMemberByEmail = async (tx: Tx, org: string, email: string): Promise<boolean> => {
  const rows = await tx.query(byEmail(org, email))
  return rows.length > 0
}

export const countMembers = async (tx: Tx, org: string): Promise<{ members: number; owners: number }> => {
  const [row] = await tx.query<{ members: number; owners: number }>(count(org))
  return row ?? { members: 0, owners: 0 }
}

/** False: the person is a member already. */
export const insertMember = async (
  tx: Tx,
  org: string,
  member: { id: string; user: string; role: Role },
): Promise<boolean> => {
  const rows = await tx.query(add(org, member.id, member.user, member.role))
  return rows.length > 0
}

export const setRole = async (tx: Tx, org: string, id: string, to: Role): Promise<void> => {
  await tx.query(set(org, id, to))
}

export const deleteMember = async (tx: Tx, org: string, id: string): Promise<void> => {
  await tx.query(remove(org, id))
}

/** From here on the transaction speaks for this organisation; for an act that more than one must hear of. */
export const speakFor = async (tx: Tx, org: string): Promise<void> => {
  await tx.query(speak(org))
}

const columns = 'm.id, m.user_id, u.email, u.name, m.role, m.created_at'
const joined = 'members m join users u on u.id = m.user_id'

const listOlder = statement(
  'people.list_members_older',
  `select ${columns} from ${joined}
    where m.org_id = $1 and ($2::uuid is null or m.id < $2) order by m.id desc limit $3`,
)

const listNewer = statement(
  'people.list_members_newer',
  `select ${columns} from ${joined} where m.org_id = $1 and m.id > $2 order by m.id limit $3`,
)

const lock = statement(
  'people.lock_members',
  `select pg_advisory_xact_lock(hashtextextended('members ' || $1::text, 0)) is null`,
)

const find = statement('people.find_member', `select ${columns} from ${joined} where m.org_id = $1 and m.id = $2`)
const role = statement('people.find_role', 'select role from members where org_id = $1 and user_id = $2')

const byEmail = statement(
  'people.find_member_by_email',
  `select m.id from ${joined} where m.org_id = $1 and u.email = $2`,
)

const count = statement(
  'people.count_members',
  `select count(*)::integer as members, count(*) filter (where role = 'owner')::integer as owners
     from members where org_id = $1`,
)

const add = statement(
  'people.add_member',
  `insert into members (org_id, id, user_id, role) values ($1, $2, $3, $4)
   on conflict (org_id, user_id) do nothing returning id`,
)

const set = statement('people.set_role', 'update members set role = $3 where org_id = $1 and id = $2')
const remove = statement('people.remove_member', 'delete from members where org_id = $1 and id = $2')
const speak = statement('people.speak_for', `select set_config('app.org_id', $1, true)`)
