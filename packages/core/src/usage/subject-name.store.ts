import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** The names of agents and API keys, by UUID. */
export const findNames = async (
  db: Database,
  org: string,
  asked: { agentIds: readonly string[]; apiKeyIds: readonly string[] },
): Promise<Map<string, string>> => {
  if (asked.agentIds.length + asked.apiKeyIds.length === 0) return new Map()
  const rows = await db.once(org, names({ org, ...asked }))
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const names = statement<
  { org: Uuid; agentIds: readonly Uuid[]; apiKeyIds: readonly Uuid[] },
  { id: string; name: string }
>(
  'usage.names',
  sql`select id, name from agents where org_id = :org and id = any (:agentIds::uuid[])
   union all
   select id, name from api_keys where org_id = :org and id = any (:apiKeyIds::uuid[])`,
)
