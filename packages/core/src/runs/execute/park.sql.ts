import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { tokenColumns, usageOf } from '../run/tokens.ts'
import { completedStep, stepFields } from './step-row.sql.ts'

export type ParkParameters = {
  org: Uuid
  /** The attempt, with its step if the step is stored now. */
  attempt: Json
  /** The content of its step, as JSON. */
  content: string | null
  questions: Json
  step: number
  eventId: Uuid
}

/** A time as the API writes it, for JSON that is built in SQL. */
const wireTime = (time: string): string => `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * The step is either stored with the questions (the model asked), or done later (its tool calls need a decision). In that
 * case `kind` is null.
 */
export const parkStatement = statement<ParkParameters, { seq: number }>(
  'runs.park',
  sql`with asked as (
    select run_id, epoch, attempt, claim_id, kind, :content::text as step_output, ${tokenColumns((column) => `coalesce(${column}, 0) as ${column}`)},
           case when kind is null and input_tokens is null then 0 else cost_usd end as cost_usd,
           coalesce(messages_read, 0) as messages_read, started_at, model, next_type, reset::integer as resets,
           (kind is not null)::integer as steps
      from json_to_record(:attempt::json) as n (${stepFields}, reset boolean)
  ), action as (
    select id, wire_id, type, ordinal, message, tool_call::json as tool_call, response_schema::json as response_schema,
           decode(held, 'base64') as held, policy,
           app_now() + make_interval(secs => expires_in_seconds) as expires_at
      from json_to_recordset(:questions::json) as n (id uuid, wire_id text, type text, ordinal integer, message text, tool_call text,
             response_schema text, expires_in_seconds integer, held text, policy json)

  -- It no longer counts against the limits.
  ), head as (
    update run_heads h
       set status = 'requires_action', step = h.step + n.steps, claims = 0,
           next_type = case when n.steps = 1 then n.next_type else h.next_type end, seq = h.seq + n.resets + n.steps + 1,
           ${tokenColumns((column) => `${column} = h.${column} + n.${column}`)},
           cost_usd = h.cost_usd + n.cost_usd, stored_bytes = h.stored_bytes + coalesce(octet_length(n.step_output), 0), progress_at = app_now(), waiting_since = app_now(),
           remaining_ms = greatest(0, (extract(epoch from h.deadline_at - app_now()) * 1000)::bigint),
           deadline_at = (select min(expires_at) from action), is_admitted = false, waits_for = null
      from asked n
     where h.run_id = n.run_id and h.org_id = :org and h.epoch = n.epoch and h.attempt = n.attempt and h.claim_id = n.claim_id
       and h.step = :step::integer - 1 and h.status = 'running'
    returning h.run_id, h.seq, ${tokenColumns((column) => `h.${column}`)}, h.cost_usd, h.waiting_ms
  ), open as (
    select json_agg(json_build_object('id', wire_id, 'type', type, 'message', message, 'tool_call', tool_call,
             'response_schema', response_schema, 'created_at', ${wireTime('app_now()')}, 'expires_at',
             ${wireTime('expires_at')}) order by id) as actions from action
  ), stored as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, ${tokenColumns()}, cost_usd,
           messages_read, started_at, bytes)
    select n.run_id, :step, :org, n.epoch, n.attempt, n.kind, n.step_output::json, ${tokenColumns((column) => `n.${column}`)}, n.cost_usd,
           n.messages_read, n.started_at, octet_length(n.step_output)
      from asked n join head on head.run_id = n.run_id where n.steps = 1
  ), questions as (
    insert into run_actions (run_id, id, org_id, type, step, ordinal, message, tool_call, response_schema, expires_at, held, policy)
    select head.run_id, a.id, :org, a.type, :step, a.ordinal, a.message, a.tool_call, a.response_schema, a.expires_at, a.held, a.policy
      from action a cross join head
  ), feed_event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select n.run_id, head.seq - 1 - n.steps, :org::uuid, 'run.output.reset', json_build_object('step', :step::integer)
      from asked n join head on head.run_id = n.run_id where n.resets = 1
    union all
    select n.run_id, head.seq - 1, :org::uuid, 'run.step.completed',
           ${completedStep({ from: 'n', step: ':step::integer', status: "'completed'" })}
      from asked n join head on head.run_id = n.run_id where n.steps = 1
    union all
    select head.run_id, head.seq, :org::uuid, 'run.requires_action', json_build_object('required_actions', open.actions)
      from head cross join open

  -- The run will change later, so the event for webhooks carries the state of this moment.
  ), public_event as (
    insert into events (id, org_id, type, subject_id, data)
    select :eventId, :org, 'run.requires_action', head.run_id, json_build_object('status', 'requires_action', 'output', null,
             'latency_ms', null, 'tokens_used', head.input_tokens + head.output_tokens, 'error', null,
             'required_actions', open.actions, 'usage', ${usageOf('head')}, 'timing', json_build_object(
             'execution_ms', null, 'waiting_ms', head.waiting_ms), 'finished_at', null)
      from head cross join open
  )
  select seq from head`,
)
