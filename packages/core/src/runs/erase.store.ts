import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'

/**
 * Erases what a run was given and what it made, and keeps its record. Only for one that has ended. The run's own row comes first:
 * whoever writes down what is sent of it holds that row, and does so before or not at all.
 */
export const eraseRunData = async (db: Database, org: string, run: string): Promise<void> => {
  await db.batch(org, [
    eraseInput(org, run),
    eraseOutput(org, run),
    ...[eraseSteps, eraseEvents, eraseDeltas, eraseCalls, eraseActions, eraseMessages].map((erase) => erase(org, run)),
    ...[eraseQuestions, eraseSent, eraseAnswered].map((erase) => erase(org, run)),
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

// What the outside was told of it: what people were asked, the bytes that endpoints were sent, and what they answered.
const eraseQuestions = statement(
  'runs.erase_told_questions',
  `update events set data = (data::jsonb || '{"required_actions": []}')::json
    where org_id = $1 and subject_id = $2 and data is not null`,
)
const eraseSent = statement(
  'runs.erase_sent',
  `delete from event_bodies
    where org_id = $1 and event_id = any (array(select id from events where org_id = $1 and subject_id = $2))`,
)
const eraseAnswered = statement(
  'runs.erase_answered',
  `with told as materialized (
     select id, created_at from events where org_id = $1 and subject_id = $2
   ), sent as materialized (
     select d.id from told t cross join lateral (
       select id from deliveries
        where org_id = $1 and event_id = t.id and id >= least(uuid_floor(t.created_at - interval '1 minute'), t.id)
       offset 0 -- It stays a look-up for each event.
     ) d
   )
   update delivery_attempts set response_body = null
    where org_id = $1 and delivery_id = any (array(select id from sent)) and response_body is not null`,
)
