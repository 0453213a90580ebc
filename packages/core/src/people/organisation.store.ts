import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { peopleBounds } from './bounds.ts'
import type { Membership } from './person.ts'

export const findOrganisation = async (db: Database, org: string): Promise<Omit<Membership, 'role'> | null> => {
  const [row] = await db.once(org, find({ org }))
  return row ?? null
}

export type OrganisationRow = {
  id: string
  name: string
  plan: string
  created_at: Date
  members: number
  /** E-mail addresses of at most 10 owners. */
  owners: string[]
}

// crosses organisations: the operator lists all of them, oldest first.
export const listOrganisationRows = (db: Database, after: string | null, limit: number): Promise<OrganisationRow[]> =>
  db.once(null, list({ after, limit }))

const find = statement<{ org: Uuid }, Omit<Membership, 'role'>>(
  'people.find_organisation',
  sql`select id, name, plan, max_key_lifetime_days from organisations where id = :org`,
)

const list = statement<{ after: Uuid | null; limit: number }, OrganisationRow>(
  'people.list_organisations',
  sql`select o.id, o.name, o.plan, o.created_at,
          (select count(*)::integer from members m where m.org_id = o.id) as members,
          array(select u.email from members m join users u on u.id = m.user_id
                 where m.org_id = o.id and m.role = 'owner' order by m.id limit ${peopleBounds.ownersTold.count}) as owners
     from organisations o where :after::uuid is null or o.id > :after order by o.id limit :limit`,
)
