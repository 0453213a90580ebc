import { type Database, statement } from '@ars/platform/db/database'
import type { Outcome } from './run.ts'
import type { Segment } from './segment.ts'

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
  agent_id: string
  agent_version: number
  config: Record<string, unknown>
  input: Record<string, unknown>
  metadata: Record<string, string>
}

export type StoredStep = { output: unknown; inputTokens: number; outputTokens: number; startedAt: Date }

/** Takes the step, and the run with it. Null: stored already, ended, or taken over under a newer epoch. */
export const claimStep = async (db: Database, org: string, segment: Segment, step: number): Promise<Claim | null> => {
  type Row = Claim & { input_tokens: string; output_tokens: string }
  const [row] = await db.once<Row>(org, claim(org, segment.run, segment.epoch, segment.segment, step))
  return row ? { ...row, input_tokens: Number(row.input_tokens), output_tokens: Number(row.output_tokens) } : null
}

/** How far a run has come under this epoch, or null when the epoch is over. */
export const findProgress = async (
  db: Database,
  org: string,
  segment: Segment,
): Promise<{ step: number; segment: number; attempt: number } | null> => {
  const [row] = await db.once<{ step: number; segment: number; attempt: number }>(
    org,
    progress(org, segment.run, segment.epoch),
  )
  return row ?? null
}

/** False: somebody took over, stop. */
export const storeStep = async (
  db: Database,
  org: string,
  at: { segment: Segment; step: number; attempt: number },
  stored: StoredStep,
): Promise<{ seq: number } | null> => {
  const { run, epoch } = at.segment
  const output = stored.output === null ? null : JSON.stringify(stored.output)
  const [row] = await db.once<{ seq: number }>(
    org,
    store(org, run, epoch, at.attempt, at.step, output, stored.inputTokens, stored.outputTokens, stored.startedAt),
  )
  return row ?? null
}

/**
 * Ends the run with its last step. Deleting the head is the compare-and-set: whoever comes second finds no row, and
 * nothing of what follows is written.
 */
export const finishRun = async (
  db: Database,
  org: string,
  at: { segment: Segment; step: number; attempt: number; eventId: string },
  { stored, outcome }: { stored: StoredStep | null; outcome: Outcome },
): Promise<{ seq: number; finished_at: Date; input_tokens: number; output_tokens: number } | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once<{ seq: number; finished_at: Date; input_tokens: string; output_tokens: string }>(
    org,
    finish(
      org,
      run,
      epoch,
      at.attempt,
      stored ? at.step : null,
      stored && stored.output !== null ? JSON.stringify(stored.output) : null,
      stored?.inputTokens ?? 0,
      stored?.outputTokens ?? 0,
      stored?.startedAt ?? null,
      outcome.status,
      outcome.output === null ? null : JSON.stringify(outcome.output),
      outcome.error === null ? null : JSON.stringify(outcome.error),
      at.eventId,
    ),
  )
  return row ? { ...row, input_tokens: Number(row.input_tokens), output_tokens: Number(row.output_tokens) } : null
}

/** Leaves the rest of the run to another worker: the next segment starts where this one stopped. */
export const handOver = async (
  db: Database,
  org: string,
  at: { segment: Segment; step: number; attempt: number },
): Promise<Segment | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once<{ segment: number }>(org, handOverStatement(org, run, epoch, at.attempt, at.step + 1))
  return row ? { org, run, epoch, segment: row.segment, step: at.step + 1 } : null
}

// The first claim of a run tells that it started; a step claimed again tells that its deltas are void.
const claim = statement(
  'runs.claim',
  `with head as (
    update run_heads
       set status = 'running', attempt = attempt + 1, claims = claims + 1, progress_at = app_now(),
           started_at = coalesce(started_at, app_now()),
           seq = seq + case when attempt = 0 then 2 else 1 end
     where org_id = $1 and run_id = $2 and epoch = $3 and segment = $4 and step = $5::integer - 1
       and status in ('queued', 'running')
    returning attempt, claims, seq, started_at, created_at, input_tokens, output_tokens
  ), sent as (
    delete from outbox where run_id = $2 and epoch = $3 and segment = $4 and exists (select from head)
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq - 1, $1, 'run.started', null from head where attempt = 1
    union all
    select $2, seq, $1, case when claims = 1 then 'run.step.started' else 'run.output.reset' end,
           json_build_object('step', $5::integer) from head
  )
  select h.attempt, h.claims, h.seq, h.started_at, h.created_at, h.input_tokens, h.output_tokens,
         app_now() as claimed_at, r.agent_id, r.agent_version, r.input, r.metadata, a.config
    from head h
    join runs r on r.id = $2 and r.org_id = $1
    join agents a on a.id = r.agent_id and a.org_id = $1`,
)

const progress = statement(
  'runs.progress',
  'select step, segment, attempt from run_heads where org_id = $1 and run_id = $2 and epoch = $3',
)

const store = statement(
  'runs.store_step',
  `with head as (
    update run_heads
       set step = $5, claims = 0, seq = seq + 1, progress_at = app_now(),
           input_tokens = input_tokens + $7, output_tokens = output_tokens + $8
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and step = $5::integer - 1 and status = 'running'
    returning seq
  ), kept as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, output, input_tokens, output_tokens, started_at)
    select $2, $5, $1, $3, $4, $6, $7, $8, $9 from head
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq, $1, 'run.step.completed', json_build_object('step', $5::integer) from head
  )
  select seq from head`,
)

const finish = statement(
  'runs.finish',
  `with head as (
    delete from run_heads
     where org_id = $1 and run_id = $2 and epoch = $3 and attempt = $4 and status = 'running'
    returning seq + case when $5::integer is null then 1 else 2 end as seq, started_at,
              input_tokens + $7::bigint as input_tokens, output_tokens + $8::bigint as output_tokens
  ), kept as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, output, input_tokens, output_tokens, started_at)
    select $2, $5, $1, $3, $4, $6, $7, $8, $9 from head where $5::integer is not null
  ), result as (
    insert into run_results (run_id, org_id, status, output, error, input_tokens, output_tokens, started_at, finished_at)
    select $2, $1, $10, $11, $12, input_tokens, output_tokens, started_at, app_now() from head
  ), told as (
    insert into run_events (run_id, seq, org_id, type, data)
    select $2, seq - 1, $1, 'run.step.completed', json_build_object('step', $5::integer) from head where $5::integer is not null
    union all
    select $2, seq, $1, 'run.' || $10::text, null from head
  ), announced as (
    insert into events (id, org_id, type, subject_id) select $13, $1, 'run.' || $10::text, $2 from head
  )
  select seq, app_now() as finished_at, input_tokens, output_tokens from head`,
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
