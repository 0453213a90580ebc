import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { Redaction } from './guarded-run.ts'

export const listRedactions = (db: Database, org: string, run: string): Promise<Redaction[]> =>
  db.once(org, list({ org, runId: run }))

/** A value that has a number already keeps it. */
export const addRedactions = async (
  db: Database,
  org: string,
  run: string,
  added: readonly Redaction[],
): Promise<void> => {
  const rows = added.map(({ kind, hash, number }) => ({ kind, number, hash: hash.toString('hex') }))
  await db.once(org, add({ org, runId: run, rows: JSON.stringify(rows) }))
}

/** The policies that a run was accepted with. Null: there is no such run. */
export const findRunPolicies = async (db: Database, org: string, run: string): Promise<RunPolicies | null> => {
  const [row] = await db.once(org, findPolicies({ org, runId: run }))
  return row ?? null
}

type RunPolicies = {
  agent_id: string
  agent_version: number
  policy_set_id: string | null
  policy_key_id: string | null
}

const findPolicies = statement<{ org: Uuid; runId: Uuid }, RunPolicies>(
  'runs.find_policies',
  sql`select agent_id, agent_version, policy_set_id, policy_key_id from runs where org_id = :org and id = :runId`,
)

const list = statement<{ org: Uuid; runId: Uuid }, Redaction>(
  'runs.list_redactions',
  sql`select kind, hash, number from run_redactions where org_id = :org and run_id = :runId`,
)

const add = statement<{ org: Uuid; runId: Uuid; rows: Json }>(
  'runs.add_redactions',
  sql`insert into run_redactions (run_id, kind, hash, org_id, number)
      select :runId, n.kind, decode(n.hash, 'hex'), :org, n.number
        from json_to_recordset(:rows::json) as n (kind text, hash text, number integer)
      on conflict do nothing`,
)
