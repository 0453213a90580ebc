import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { RunAccessRow } from './accessible-run.ts'
import type { Run } from './run.ts'
import { selectRun } from './run-row.store.ts'
import { type RunRow, toRun } from './run-row.ts'

/** What decides who may touch a run. Null: there is no such run. */
export const findRunAccess = async (db: Database, org: string, id: string): Promise<RunAccessRow | null> => {
  const [row] = await db.once(org, findAccess({ org, id }))
  return row ?? null
}

export const findRun = async (db: Database, org: string, id: string): Promise<Run | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ? toRun(row) : null
}

const find = statement<{ org: Uuid; id: Uuid }, RunRow>('runs.find', selectRun)

const findAccess = statement<{ org: Uuid; id: Uuid }, RunAccessRow>(
  'runs.find_access',
  sql`select agent_id, owner_id from runs where org_id = :org and id = :id`,
)
