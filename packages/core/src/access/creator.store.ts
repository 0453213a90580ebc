import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { isUsableKey, keyColumns, limitsOfOrganisation } from './access.store.ts'
import { accessBounds } from './bounds.ts'
import type { KeyRow, MemberRow } from './caller.ts'

/** The key, or the first of its rotations that still works. Null: none does. */
export const findUsableKey = async (db: Database, org: string, id: string): Promise<KeyRow | null> => {
  const [row] = await db.once(org, findKeyById({ org, id }))
  return row ?? null
}

/** Null: the person is no member. */
export const findMemberOf = async (db: Database, org: string, userId: string): Promise<MemberRow | null> => {
  const [row] = await db.once(org, findMember({ org, userId }))
  return row ?? null
}

/** A key is rotated seldom, so a chain is short. */
const maxRotations = accessBounds.rotations.count

const findKeyById = statement<{ org: Uuid; id: Uuid }, KeyRow>(
  'access.find_key_by_id',
  sql`with recursive chain as (
     select id, rotated_to, 1 as n from api_keys where org_id = :org and id = :id
     union all
     select k.id, k.rotated_to, c.n + 1 from chain c join api_keys k on k.org_id = :org and k.id = c.rotated_to where c.n < ${maxRotations}
   )
   select ${keyColumns}
     from chain c
     join api_keys k on k.org_id = :org and k.id = c.id
     join organisations o on o.id = k.org_id
    where ${isUsableKey}
    order by c.n limit 1`,
)

const findMember = statement<{ org: Uuid; userId: Uuid }, MemberRow>(
  'access.find_member',
  sql`select m.user_id, m.role, o.id as org_id, ${limitsOfOrganisation}
        from members m join organisations o on o.id = m.org_id
       where m.org_id = :org and m.user_id = :userId`,
)
