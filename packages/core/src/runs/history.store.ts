import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { toUuid } from '@ars/platform/id'
import type { CallRecord, Decision, History, StepContent, ToolCallStart } from '../agents/index.ts'
import type { Held } from './step-row.ts'

/** All that a run remembers: its steps, the messages that it was sent, its tool calls and what people decided. */
export const readHistory = async (db: Database, org: string, run: string): Promise<History> => {
  const [steps, messages, calls, decisions] = (await db.batch(org, [
    listSteps(org, run),
    listMessages(org, run),
    listCalls(org, run),
    listDecisions(org, run),
  ])) as [StepRow[], { number: number; message: string }[], CallRecord[], Decision[]]
  return {
    steps: steps.map(({ step, kind, output, messages_read, ...rest }) => ({
      step,
      kind,
      content: output,
      messagesRead: messages_read,
      inputTokens: Number(rest.input_tokens),
      outputTokens: Number(rest.output_tokens),
      costUsd: rest.cost_usd === null ? null : Number(rest.cost_usd),
      startedAt: rest.started_at,
      finishedAt: rest.finished_at,
    })),
    messages: messages.map(({ number, message }) => ({ number, text: message })),
    calls,
    decisions,
  }
}

type StepRow = {
  step: number
  kind: 'model' | 'tools' | 'remote'
  output: StepContent
  messages_read: number
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  started_at: Date
  finished_at: Date
}

/** Writes down that a tool call is about to be sent. Null: somebody took over, so it must not be. */
export const startToolCall = async (
  db: Database,
  org: string,
  at: Held,
  call: ToolCallStart,
): Promise<{ seq: number } | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once<{ seq: number }>(
    org,
    startCall(
      org,
      run,
      epoch,
      at.attempt,
      at.step,
      call.ordinal,
      call.name,
      call.connectorId && toUuid(call.connectorId),
      JSON.stringify(call.arguments),
      call.repeatable,
    ),
  )
  return row ?? null
}

export const finishToolCall = async (
  db: Database,
  org: string,
  at: Held,
  call: { ordinal: number; name: string; result: unknown; isError: boolean },
): Promise<{ seq: number } | null> => {
  const { run, epoch } = at.segment
  const status = call.isError ? 'failed' : 'completed'
  const [row] = await db.once<{ seq: number }>(
    org,
    finishCall(
      org,
      run,
      epoch,
      at.attempt,
      at.step,
      call.ordinal,
      call.name,
      status,
      JSON.stringify(call.result ?? null),
    ),
  )
  return row ?? null
}

/** What the step has streamed so far is void: it begins again. */
export const resetOutput = async (db: Database, org: string, at: Held): Promise<{ seq: number } | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once<{ seq: number }>(org, reset(org, run, epoch, at.attempt, at.step))
  return row ?? null
}

const listSteps = statement(
  'runs.history_steps',
  `select step, kind, output, messages_read, input_tokens, output_tokens, cost_usd, started_at, finished_at
     from run_steps where org_id = $1 and run_id = $2 order by step`,
)

const listMessages = statement(
  'runs.history_messages',
  'select number, message from run_messages where org_id = $1 and run_id = $2 order by number',
)

const listCalls = statement(
  'runs.history_calls',
  `select step, ordinal, name, connector_id, arguments, repeatable, status, result, started_at, finished_at
     from run_tool_calls where org_id = $1 and run_id = $2 order by step, ordinal`,
)

const listDecisions = statement(
  'runs.history_decisions',
  `select id, type, step, ordinal, resolution, payload, comment, resolved_by, resolved_by_type, resolved_at
     from run_actions where org_id = $1 and run_id = $2 order by id`,
)

// A call that is sent again after a crash keeps its row: it is one call, however often it took to get an answer.
const startCall = statement(
  'runs.start_tool_call',
  `with head as (
    update run_heads set seq = seq + 1, progress_at = app_now()
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and step = $5::integer - 1 and status = 'running'
    returning seq
  ), kept as (
    insert into run_tool_calls as c (run_id, step, ordinal, org_id, name, connector_id, arguments, repeatable)
    select $2, $5, $6, $1, $7, $8, $9::json, $10 from head
    on conflict (run_id, step, ordinal) do update set status = 'started', started_at = app_now()
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq, $1, 'run.tool_call.started', json_build_object('step', $5::integer, 'call', $6::integer, 'name', $7::text, 'arguments', $9::json)
      from head
  )
  select seq from head`,
)

const finishCall = statement(
  'runs.finish_tool_call',
  `with head as (
    update run_heads set seq = seq + 1, progress_at = app_now()
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and step = $5::integer - 1 and status = 'running'
    returning seq
  ), kept as (
    update run_tool_calls c set status = $8, result = $9::json, finished_at = app_now()
      from head where c.org_id = $1 and c.run_id = $2 and c.step = $5 and c.ordinal = $6
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq, $1, 'run.tool_call.completed',
           json_build_object('step', $5::integer, 'call', $6::integer, 'name', $7::text, 'status', $8::text, 'result', $9::json)
      from head
  )
  select seq from head`,
)

const reset = statement(
  'runs.reset_output',
  `with head as (
    update run_heads set seq = seq + 1, progress_at = app_now()
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and step = $5::integer - 1 and status = 'running'
    returning seq
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq, $1, 'run.output.reset', json_build_object('step', $5::integer) from head
  )
  select seq from head`,
)
