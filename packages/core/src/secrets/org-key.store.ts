import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

export const findOrgKey = async (db: Database, org: string): Promise<Buffer | null> => {
  const [row] = await db.once<{ wrapped: Buffer }>(org, find(org))
  return row?.wrapped ?? null
}

/** Two processes may make a key at once: the first stays, so whoever adds one reads afterwards. */
export const addOrgKey = async (
  db: Database,
  org: string,
  { wrapped, kekId }: { wrapped: Buffer; kekId: string },
): Promise<void> => {
  await db.once(org, add(org, wrapped, kekId))
}

const find = statement('org_keys.find', 'select wrapped from org_keys where org_id = $1')

const add = statement(
  'org_keys.add',
  'insert into org_keys (org_id, wrapped, kek_id) values ($1, $2, $3) on conflict (org_id) do nothing',
)
