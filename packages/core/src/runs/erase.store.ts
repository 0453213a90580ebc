import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/** Erases what a run was given and what it made, and keeps its record. Only for one that has ended. */
export const eraseRunData = async (db: Database, org: string, run: string): Promise<void> => {
  await db.batch(org, [
    eraseInput(org, run),
    eraseOutput(org, run),
    ...[eraseSteps, eraseEvents, eraseDeltas, eraseCalls, eraseActions, eraseMessages].map((erase) => erase(org, run)),
  ])
}

const eraseInput = statement(
  'runs.erase_input',
  `update runs set input = '{}', erased_at = coalesce(erased_at, app_now()) where org_id = $1 and id = $2`,
)
const eraseOutput = statement(
  'runs.erase_output',
  'update run_results set output = null where org_id = $1 and run_id = $2',
)
const eraseSteps = statement('runs.erase_steps', 'delete from run_steps where org_id = $1 and run_id = $2')
const eraseEvents = statement('runs.erase_events', 'delete from run_events where org_id = $1 and run_id = $2')
const eraseDeltas = statement('runs.erase_deltas', 'delete from run_deltas where org_id = $1 and run_id = $2')
const eraseCalls = statement('runs.erase_calls', 'delete from run_tool_calls where org_id = $1 and run_id = $2')
const eraseActions = statement('runs.erase_actions', 'delete from run_actions where org_id = $1 and run_id = $2')
const eraseMessages = statement('runs.erase_messages', 'delete from run_messages where org_id = $1 and run_id = $2')
