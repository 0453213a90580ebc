import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** What a policy holds back until a person has decided, sealed. Null: nothing, or no longer. */
export const findHeld = async (
  db: Database,
  org: string,
  { run, action }: { run: string; action: string },
): Promise<Buffer | null> => {
  const [row] = await db.once(org, find({ org, runId: run, actionId: action }))
  return row?.held ?? null
}

const find = statement<{ org: Uuid; runId: Uuid; actionId: Uuid }, { held: Buffer | null }>(
  'runs.find_held',
  sql`select held from run_actions where org_id = :org and run_id = :runId and id = :actionId`,
)
