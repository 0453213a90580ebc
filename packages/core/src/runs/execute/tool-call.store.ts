import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { toUuid } from '@ars/platform/id'
import type { ToolCallStart } from '../../steps/index.ts'
import type { ClaimedStep } from './step-row.ts'

/** Stores that a tool call is about to be sent. Null: the attempt no longer holds the step, so it must not be sent. */
export const startToolCall = async (
  db: Database,
  org: string,
  at: ClaimedStep,
  call: ToolCallStart,
): Promise<{ seq: number } | null> => {
  const [row] = await db.once(
    org,
    startCall({
      ...claimedStepKeyOf(org, at),
      callNumber: call.ordinal,
      toolName: call.name,
      connectorId: call.connectorId && toUuid(call.connectorId),
      arguments: JSON.stringify(call.arguments),
      repeatable: call.repeatable,
    }),
  )
  return row ?? null
}

/** Null: the attempt no longer holds the step. */
export const finishToolCall = async (
  db: Database,
  org: string,
  at: ClaimedStep,
  call: { ordinal: number; name: string; result: unknown; isError: boolean },
): Promise<{ seq: number } | null> => {
  const status = call.isError ? 'failed' : 'completed'
  const [row] = await db.once(
    org,
    finishCall({
      ...claimedStepKeyOf(org, at),
      callNumber: call.ordinal,
      toolName: call.name,
      status,
      result: JSON.stringify(call.result ?? null),
    }),
  )
  return row ?? null
}

/** Invalidates the text that the step streamed so far, because it starts again. Null: as above. */
export const resetOutput = async (db: Database, org: string, at: ClaimedStep): Promise<{ seq: number } | null> => {
  const [row] = await db.once(org, reset(claimedStepKeyOf(org, at)))
  return row ?? null
}

type ClaimedStepKey = { org: Uuid; runId: Uuid; epoch: number; attempt: number; claimId: Uuid; step: number }

const claimedStepKeyOf = (org: string, { segment, attempt, claimId, step }: ClaimedStep): ClaimedStepKey => ({
  org,
  runId: segment.run,
  epoch: segment.epoch,
  attempt,
  claimId,
  step,
})

/** The next number of the feed, while the attempt holds the step. */
const advanceFeed = sql`update run_heads set seq = seq + 1, progress_at = app_now()
     where org_id = :org and run_id = :runId and epoch = :epoch and attempt = :attempt and claim_id = :claimId
       and step = :step::integer - 1 and status = 'running'
    returning seq`

// A call that is sent again after a crash keeps its row: several attempts are still one call.
const startCall = statement<
  ClaimedStepKey & {
    callNumber: number
    toolName: string
    connectorId: Uuid | null
    arguments: Json
    repeatable: boolean
  },
  { seq: number }
>(
  'runs.start_tool_call',
  sql`with head as (
    ${advanceFeed}
  ), call as (
    insert into run_tool_calls as c (run_id, step, ordinal, org_id, name, connector_id, arguments, repeatable)
    select :runId, :step, :callNumber, :org, :toolName, :connectorId, :arguments::json, :repeatable from head
    on conflict (run_id, step, ordinal) do update set status = 'started', started_at = app_now()
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select :runId, seq, :org, 'run.tool_call.started', json_build_object('step', :step::integer, 'call', :callNumber::integer, 'name', :toolName::text, 'arguments', :arguments::json)
      from head
  )
  select seq from head`,
)

const finishCall = statement<
  ClaimedStepKey & {
    callNumber: number
    toolName: string
    status: string
    result: Json
  },
  { seq: number }
>(
  'runs.finish_tool_call',
  sql`with head as (
    ${advanceFeed}
  ), call as (
    update run_tool_calls c set status = :status, result = :result::json, finished_at = app_now()
      from head where c.org_id = :org and c.run_id = :runId and c.step = :step and c.ordinal = :callNumber
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select :runId, seq, :org, 'run.tool_call.completed',
           json_build_object('step', :step::integer, 'call', :callNumber::integer, 'name', :toolName::text, 'status', :status::text, 'result', :result::json)
      from head
  )
  select seq from head`,
)

const reset = statement<ClaimedStepKey, { seq: number }>(
  'runs.reset_output',
  sql`with head as (
    ${advanceFeed}
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select :runId, seq, :org, 'run.output.reset', json_build_object('step', :step::integer) from head
  )
  select seq from head`,
)
