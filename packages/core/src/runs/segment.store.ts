import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { afterEnd, endedColumns } from './end.store.ts'
import { claimsUnsuspectedMost, type Outcome } from './run.ts'
import type { Segment } from './segment.ts'
import { type Held, type StoredStep, toHeldRow, toPayload, toStepRow } from './step-row.ts'

/** What a worker gets with its claim. Every later write of this attempt carries `epoch` and `attempt`. */
export type Claim = {
  attempt: number
  claims: number
  seq: number
  claimed_at: Date
  started_at: Date
  created_at: Date
  input_tokens: number
  output_tokens: number
  cost_usd: number | null
  waiting_ms: number
  /** Messages that the run was sent so far. */
  messages: number
  agent_id: string
  agent_version: number
  kind: 'llm' | 'remote'
  config: Record<string, unknown>
  output_schema: Record<string, unknown> | null
  limits: Record<string, unknown>
  input: Record<string, unknown>
  metadata: Record<string, string>
  deployment_id: string | null
  parent_run_id: string | null
  pipeline_run_id: string | null
}

/** `alone`: nothing else that is suspected runs beside it, so it may be claimed although it was interrupted before. */
export type AskedStep = { segment: Segment; step: number; alone: boolean }

/** Takes steps, and their runs with them. Null: stored already, ended, taken over, or suspected and not alone. */
export const claimSteps = async (db: Database, org: string, asked: readonly AskedStep[]): Promise<(Claim | null)[]> => {
  const wanted = asked.map(({ segment: { run, epoch, segment }, ...rest }) => ({
    run_id: run,
    epoch,
    segment,
    ...rest,
  }))
  const ids = idsOf(wanted).toSorted()
  const rows = await db.once<Numbers<Claim>>(
    org,
    claim(org, JSON.stringify(wanted), ids, claimsUnsuspectedMost, ids[0], ids.at(-1)),
  )
  const claims = new Map(rows.map((row) => [row.run_id, withNumbers(row)]))
  return asked.map(({ segment }) => claims.get(segment.run) ?? null)
}

export type Progress = {
  step: number
  segment: number
  claims: number
  status: string
  attempt: number
  messages: number
}

/** How far a run has come under this epoch, or null when the epoch is over. */
export const findProgress = async (db: Database, org: string, segment: Segment): Promise<Progress | null> => {
  const [row] = await db.once<Progress>(org, progress(org, segment.run, segment.epoch))
  return row ?? null
}

/** Null: somebody took over, stop. `reset`: what the step streamed is not part of the output. */
export const storeSteps = async (
  db: Database,
  org: string,
  results: readonly (Held & { stored: StoredStep; reset: boolean })[],
): Promise<({ seq: number } | null)[]> => {
  const asked = results.map(({ stored, reset, ...held }) => ({ ...toHeldRow(held), ...toStepRow(stored), reset }))
  const rows = await db.once<{ run_id: string; seq: number }>(org, store(org, JSON.stringify(asked), idsOf(asked)))
  const kept = new Map(rows.map((row) => [row.run_id, row]))
  return results.map(({ segment }) => kept.get(segment.run) ?? null)
}

export type Finished = {
  seq: number
  finished_at: Date
  input_tokens: number
  output_tokens: number
  cost_usd: number | null
  waiting_ms: number
  /** Other runs of the organisation wait for the slot that has come free. */
  queued: boolean
}

/**
 * Ends runs, each with its last step, and with the last words of it (`rest`) that have not gone into the feed yet. Deleting the head is the compare-and-set: whoever comes second finds no row, and
 * nothing of what follows is written. A run that would complete with a message unread does not end.
 */
export const finishRuns = async (
  db: Database,
  org: string,
  ends: readonly (Held & { eventId: string; stored: StoredStep | null; rest: string; outcome: Outcome })[],
): Promise<(Finished | null)[]> => {
  const asked = ends.map(({ stored, rest, outcome, eventId, ...held }) => ({
    ...toHeldRow(held),
    held_step: held.step,
    ...(rest === '' ? {} : { delta: JSON.stringify({ step: held.step, delta: rest }) }),
    ...(stored ? toStepRow(stored) : { step: null }),
    must_have_read: outcome.status === 'completed' ? (stored?.messagesRead ?? 0) : null,
    status: outcome.status,
    output: toPayload(outcome.output),
    error: toPayload(outcome.error),
    event_id: eventId,
  }))
  const rows = await db.once<Numbers<Finished>>(org, finish(org, JSON.stringify(asked), idsOf(asked)))
  const finished = new Map(rows.map((row) => [row.run_id, withNumbers(row)]))
  return ends.map(({ segment }) => finished.get(segment.run) ?? null)
}

/** Leaves the rest of the run to another worker: the next segment starts where this one stopped. */
export const handOver = async (db: Database, org: string, at: Held): Promise<Segment | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once<{ segment: number }>(org, handOverStatement(org, run, epoch, at.attempt, at.step + 1))
  return row ? { org, run, epoch, segment: row.segment, step: at.step + 1 } : null
}

/** The worker's word that a run it was executing has stopped. Null: it has ended otherwise. */
export const confirmCancelled = async (
  db: Database,
  org: string,
  at: { run: string; epoch: number; eventId: string },
): Promise<{ seq: number } | null> => {
  const [row] = await db.once<{ seq: number }>(org, confirm(org, at.run, at.epoch, at.eventId))
  return row ?? null
}

/** Tells the diagnosis that the worker waits before it asks a provider again. */
export const noteBackOff = async (
  db: Database,
  org: string,
  at: Held & { retryAt: Date; note: string },
): Promise<void> => {
  const { run, epoch } = at.segment
  await db.once(org, note(org, run, epoch, at.attempt, at.retryAt, at.note))
}

type Numbers<Row> = Row & {
  run_id: string
  input_tokens: string
  output_tokens: string
  cost_usd: string | null
  waiting_ms: string
}

const withNumbers = <Row>(row: Numbers<Row>) => ({
  ...row,
  input_tokens: Number(row.input_tokens),
  output_tokens: Number(row.output_tokens),
  waiting_ms: Number(row.waiting_ms),
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
})

const idsOf = (rows: readonly { run_id: string }[]): string[] => rows.map(({ run_id }) => run_id)

export const stepFields = `run_id uuid, epoch integer, attempt integer, step integer, kind text, step_output text,
             input_tokens bigint, output_tokens bigint, cost_usd numeric, messages_read integer, started_at timestamptz`

// The first claim of a run tells that it started; a step claimed again tells that its deltas are void. The ids come a
// second time as an array: so the planner takes the index, however few or many rows it expects. The first and the last of
// them let the executor open the partitions between those two only. A run is what its agent was in the version that it was
// accepted with; `limit` keeps that a look-up, however many versions there are.
const claim = statement(
  'runs.claim',
  `with head as (
    update run_heads h
       set status = 'running', attempt = h.attempt + 1, claims = h.claims + 1, progress_at = app_now(),
           started_at = coalesce(h.started_at, app_now()), retry_at = null, note = null,
           seq = h.seq + case when h.attempt = 0 then 2 else 1 end
      from json_to_recordset($2::json) as n (run_id uuid, epoch integer, segment integer, step integer, alone boolean)
     where h.run_id = any ($3::uuid[]) and h.org_id = $1 and h.run_id = n.run_id and h.epoch = n.epoch and h.segment = n.segment
       and h.step = n.step - 1 and h.status in ('queued', 'running') and (h.claims < $4::integer or n.alone)
    returning h.run_id, n.epoch, n.segment, n.step, h.attempt, h.claims, h.seq, h.started_at, h.created_at,
              h.input_tokens, h.output_tokens, h.cost_usd, h.waiting_ms, h.messages
  ), sent as (
    delete from outbox o using head
     where o.run_id = any ($3::uuid[]) and o.run_id = head.run_id and o.epoch = head.epoch and o.segment = head.segment
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select run_id, seq - 1, $1::uuid, 'run.started', null from head where attempt = 1
    union all
    select run_id, seq, $1::uuid, case when claims = 1 then 'run.step.started' else 'run.output.reset' end,
           json_build_object('step', step) from head
  )
  select h.run_id, h.attempt, h.claims, h.seq, h.started_at, h.created_at, h.input_tokens, h.output_tokens, h.cost_usd,
         h.waiting_ms, h.messages, app_now() as claimed_at, r.agent_id, r.agent_version, r.input, r.metadata,
         r.deployment_id, r.parent_run_id, r.pipeline_run_id, v.kind, v.config, v.output_schema, v.limits
    from head h
    join runs r on r.id = h.run_id and r.id = any ($3::uuid[]) and r.org_id = $1 and r.id between $5::uuid and $6::uuid
    cross join lateral (
      select v.kind, v.config, v.output_schema, v.limits from agent_versions v
       where v.org_id = $1 and v.agent_id = r.agent_id and v.version = r.agent_version limit 1
    ) v`,
)

const progress = statement(
  'runs.progress',
  `select step, segment, claims, status, attempt, messages from run_heads
    where org_id = $1 and run_id = $2 and epoch = $3`,
)

const store = statement(
  'runs.store_step',
  `with asked as (
    select run_id, epoch, attempt, step, kind, step_output, input_tokens, output_tokens, cost_usd, messages_read,
           started_at, reset::integer as resets
      from json_to_recordset($2::json) as n (${stepFields}, reset boolean)
  ), head as (
    update run_heads h
       set step = n.step, claims = 0, seq = h.seq + 1 + n.resets, progress_at = app_now(),
           input_tokens = h.input_tokens + n.input_tokens, output_tokens = h.output_tokens + n.output_tokens,
           cost_usd = h.cost_usd + n.cost_usd
      from asked n
     where h.run_id = any ($3::uuid[]) and h.org_id = $1 and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.step = n.step - 1 and h.status = 'running'
    returning h.run_id, h.seq
  ), kept as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, input_tokens, output_tokens, cost_usd,
           messages_read, started_at)
    select n.run_id, n.step, $1, n.epoch, n.attempt, n.kind, n.step_output::json, n.input_tokens, n.output_tokens, n.cost_usd,
           n.messages_read, n.started_at
      from asked n join head on head.run_id = n.run_id
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select n.run_id, head.seq - 1, $1::uuid, 'run.output.reset', json_build_object('step', n.step)
      from asked n join head on head.run_id = n.run_id where n.resets = 1
    union all
    select n.run_id, head.seq, $1::uuid, 'run.step.completed', json_build_object('step', n.step)
      from asked n join head on head.run_id = n.run_id
  )
  select run_id, seq from head`,
)

const finish = statement(
  'runs.finish',
  `with asked as (
    select run_id, epoch, attempt, step, kind, step_output, coalesce(input_tokens, 0) as input_tokens,
           coalesce(output_tokens, 0) as output_tokens, case when step is null then 0 else cost_usd end as cost_usd,
           coalesce(messages_read, 0) as messages_read, started_at, held_step, delta, must_have_read, status, output, error, event_id
      from json_to_recordset($2::json) as n (${stepFields}, held_step integer, delta text, must_have_read integer,
             status text, output text, error text, event_id uuid)
  ), head as (
    delete from run_heads h using asked n
     where h.run_id = any ($3::uuid[]) and h.org_id = $1 and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.step = n.held_step - 1 and h.status = 'running'
       and (n.must_have_read is null or h.messages <= n.must_have_read)
    returning h.run_id, h.agent_id, h.seq + 1 + (n.step is not null)::integer + (n.delta is not null)::integer as seq,
              h.started_at as run_started_at, h.slot, h.cell_slot, h.waiting_ms, h.input_tokens + n.input_tokens as total_input,
              h.output_tokens + n.output_tokens as total_output, h.cost_usd + n.cost_usd as total_cost
  ), freed as (
    update org_slots s set run_id = null from head
     where s.org_id = $1 and s.number = head.slot
  ), freed_cell as (
    update cell_slots s set run_id = null from head where s.number = head.cell_slot
  ), ended as (
    select n.run_id, n.epoch, n.attempt, n.step, n.kind, n.step_output, n.input_tokens, n.output_tokens, n.cost_usd,
           n.messages_read, n.started_at, n.delta, n.status, n.output, n.error, n.event_id, head.seq, head.agent_id,
           head.run_started_at, head.waiting_ms, head.total_input, head.total_output, head.total_cost
      from asked n join head on head.run_id = n.run_id
  ), kept as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, input_tokens, output_tokens, cost_usd,
           messages_read, started_at)
    select run_id, step, $1, epoch, attempt, kind, step_output::json, input_tokens, output_tokens, cost_usd, messages_read,
           started_at
      from ended where step is not null
  ), result as (
    insert into run_results (run_id, org_id, agent_id, status, output, error, input_tokens, output_tokens, cost_usd,
           waiting_ms, last_seq, started_at, finished_at)
    select run_id, $1, agent_id, status, output::json, error::json, total_input, total_output, total_cost, waiting_ms, seq,
           run_started_at, app_now() from ended
  ), said as (
    insert into run_deltas (run_id, seq, org_id, data)
    select run_id, seq - 1 - (step is not null)::integer, $1, delta::json from ended where delta is not null
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select run_id, seq - 1, $1::uuid, 'run.step.completed', json_build_object('step', step) from ended where step is not null
    union all
    select run_id, seq, $1::uuid, 'run.' || status, null from ended
  ), announced as (
    insert into events (id, org_id, type, subject_id) select event_id, $1, 'run.' || status, run_id from ended
  )
  select run_id, seq, app_now() as finished_at, total_input as input_tokens, total_output as output_tokens,
         total_cost as cost_usd, waiting_ms,
         exists (select from run_heads where org_id = $1 and rank is not null) as queued
    from head`,
)

const handOverStatement = statement(
  'runs.hand_over',
  `with head as (
    update run_heads set segment = segment + 1, progress_at = app_now()
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and step = $5::integer - 1 and status = 'running'
    returning segment
  ), told as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at) select $2, $3, segment, $1, $5, app_now() from head
  )
  select segment from head`,
)

const confirm = statement(
  'runs.confirm_cancelled',
  `with head as (
    delete from run_heads h where h.org_id = $1 and h.run_id = $2 and h.epoch = $3 and h.status = 'cancelling'
    returning ${endedColumns}, 'cancelled' as end_status, null::json as end_error, $4::uuid as event_id
  ), ${afterEnd}
  select seq from head`,
)

const note = statement(
  'runs.note_back_off',
  `update run_heads set retry_at = $5, note = $6, progress_at = app_now()
    where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and status = 'running'`,
)
