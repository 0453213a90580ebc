import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Run } from './run.ts'
import { selectRun } from './run-row.store.ts'
import { type RunRow, toRun } from './run-row.ts'

/** The agent of a run. Null: there is no such run. */
export const findAgentOfRun = async (db: Database, org: string, id: string): Promise<string | null> => {
  const [row] = await db.once(org, findAgent({ org, id }))
  return row?.agent_id ?? null
}

export const findRun = async (db: Database, org: string, id: string): Promise<Run | null> => {
  const [row] = await db.once(org, find({ org, id }))
  return row ? toRun(row) : null
}

const find = statement<{ org: Uuid; id: Uuid }, RunRow>('runs.find', selectRun)

const findAgent = statement<{ org: Uuid; id: Uuid }, { agent_id: string }>(
  'runs.find_agent',
  sql`select agent_id from runs where org_id = :org and id = :id`,
)
