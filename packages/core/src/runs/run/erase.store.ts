import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { eraseTrialSamples } from '../../guardrails/index.ts'

/**
 * Erases the input, the metadata and the results of a run that has ended, and keeps its record. The row of the run is changed first. A
 * process that stores the body of an event of the run locks that row, so it does so before the erasure or not at all.
 * Each statement locks all partitions of its tables, so each is a transaction; all of them can be repeated.
 */
export const eraseRunData = async (db: Database, org: string, run: string): Promise<void> => {
  const everything = [
    ...[eraseInput, eraseLabels, eraseOutput],
    ...[eraseSteps, eraseEvents, eraseDeltas, eraseCalls, eraseActions, eraseMessages],
    eraseRedactions,
    ...[eraseQuestions, eraseSent, eraseAnswered],
  ]
  for (const erase of everything) await db.once(org, erase({ org, runId: run }))
  // Last: a trial that reads the run from now on finds it erased.
  await eraseTrialSamples(db, org, run)
}

type OneRun = { org: Uuid; runId: Uuid }

const eraseInput = statement<OneRun>(
  'runs.erase_input',
  sql`update runs set input = '{}', input_bytes = 2, metadata = '{}', trace_context = null, erased_at = coalesce(erased_at, app_now())
    where org_id = :org and id = :runId`,
)
const eraseOutput = statement<OneRun>(
  'runs.erase_output',
  sql`update run_results
      set output = null, output_bytes = null, stored_bytes = 0,
          -- The code stays; message and details may quote the input.
          error = case when error is not null
            then (error::jsonb || '{"message": "Erased", "details": null}')::json end
    where org_id = :org and run_id = :runId`,
)
const eraseLabels = statement<OneRun>(
  'runs.erase_labels',
  sql`delete from run_labels where org_id = :org and run_id = :runId`,
)
const eraseSteps = statement<OneRun>(
  'runs.erase_steps',
  sql`delete from run_steps where org_id = :org and run_id = :runId`,
)
const eraseEvents = statement<OneRun>(
  'runs.erase_events',
  sql`delete from run_events where org_id = :org and run_id = :runId`,
)
const eraseDeltas = statement<OneRun>(
  'runs.erase_deltas',
  sql`delete from run_deltas
    where org_id = :org and run_id = :runId and created_at > uuid_time(:runId) - interval '1 hour'
      and created_at < app_now() + interval '1 day'`,
)
const eraseCalls = statement<OneRun>(
  'runs.erase_calls',
  sql`delete from run_tool_calls where org_id = :org and run_id = :runId`,
)
const eraseActions = statement<OneRun>(
  'runs.erase_actions',
  sql`delete from run_actions where org_id = :org and run_id = :runId`,
)
const eraseMessages = statement<OneRun>(
  'runs.erase_messages',
  sql`delete from run_messages where org_id = :org and run_id = :runId`,
)

const eraseRedactions = statement<OneRun>(
  'runs.erase_redactions',
  sql`delete from run_redactions where org_id = :org and run_id = :runId`,
)

// The copies outside the run: questions in events, bodies that were sent to endpoints, and the responses of those.
const eraseQuestions = statement<OneRun>(
  'runs.erase_told_questions',
  sql`update events set data = (data::jsonb || '{"required_actions": []}')::json
    where org_id = :org and subject_id = :runId and data -> 'required_actions' is not null`,
)
const eraseSent = statement<OneRun>(
  'runs.erase_sent',
  sql`delete from event_bodies
    where org_id = :org and event_id = any (array(select id from events where org_id = :org and subject_id = :runId))`,
)
const eraseAnswered = statement<OneRun>(
  'runs.erase_answered',
  sql`with event as materialized (
     select id, created_at from events where org_id = :org and subject_id = :runId
   ), sent as materialized (
     select d.id from event t cross join lateral (
       select id from deliveries
        where org_id = :org and event_id = t.id and id >= least(uuid_floor(t.created_at - interval '1 minute'), t.id)
       offset 0 -- Keeps this a lookup for each event.
     ) d
   )
   update delivery_attempts set response_body = null
    where org_id = :org and delivery_id = any (array(select id from sent)) and response_body is not null`,
)
