import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { StepAgentRow } from './definition-fault.ts'

/** The agents with these ids that exist, archived ones too, with the output schema of their newest released version. */
export const listStepAgents = async (db: Database, org: string, ids: readonly string[]): Promise<StepAgentRow[]> =>
  ids.length === 0 ? [] : db.once(org, list({ org, ids }))

const list = statement<{ org: Uuid; ids: readonly Uuid[] }, StepAgentRow>(
  'pipelines.list_step_agents',
  sql`select id, status, output_schema from agents where org_id = :org and id = any (:ids::uuid[])`,
)
