import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { Membership } from './person.ts'

export const findOrganisation = async (db: Database, org: string): Promise<Omit<Membership, 'role'> | null> => {
  const [row] = await db.once<Omit<Membership, 'role'>>(org, find(org))
  return row ?? null
}

export type OrganisationRow = {
  id: string
  name: string
  plan: string
  created_at: Date
  members: number
  /** E-mail addresses, the first of them. */
  owners: string[]
}

// crosses organisations: the operator lists them all, the oldest first.
export const listOrganisations = (db: Database, after: string | null, limit: number): Promise<OrganisationRow[]> =>
  db.once<OrganisationRow>(null, list(after, limit))

const find = statement('people.find_organisation', 'select id, name, plan from organisations where id = $1')

const list = statement(
  'people.list_organisations',
  `select o.id, o.name, o.plan, o.created_at,
          (select count(*)::integer from members m where m.org_id = o.id) as members,
          array(select u.email from members m join users u on u.id = m.user_id
                 where m.org_id = o.id and m.role = 'owner' order by m.id limit 10) as owners
     from organisations o where $1::uuid is null or o.id > $1 order by o.id limit $2`,
)
