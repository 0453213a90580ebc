import type { Database, Tx } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

// crosses organisations: a job of the service ends the shadows of all.
export const listOverdueShadows = (db: Database, limit: number): Promise<{ id: string; org_id: string }[]> =>
  db.once(null, overdue({ limit }))

/** False: it was renewed or ended before. */
export const endShadow = async (tx: Tx, org: string, id: string): Promise<boolean> => {
  const rows = await tx.query(end({ org, id }))
  return rows.length > 0
}

const overdue = statement<{ limit: number }, { id: string; org_id: string }>(
  'policies.overdue_shadows',
  sql`select id, org_id from policies where shadow_until <= app_now() order by shadow_until limit :limit`,
)

const end = statement<{ org: Uuid; id: Uuid }>(
  'policies.end_shadow',
  sql`update policies set shadow_until = null, updated_at = app_now()
       where org_id = :org and id = :id and shadow_until <= app_now() returning id`,
)
