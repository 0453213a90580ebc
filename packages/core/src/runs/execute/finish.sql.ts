import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { TextArray } from '@ars/platform/db/text-array'
import { type TokenCounts, tokenColumns } from '../run/tokens.ts'
import { oneOrganisation, type RowScope, type Several, severalOrganisations } from './row-scope.sql.ts'
import { spentBy } from './spend.sql.ts'
import { completedStep, stepFields, type TextTotals } from './step-row.sql.ts'

export type Finished = TokenCounts & {
  seq: number
  finished_at: Date
  cost_usd: number | null
  waiting_ms: number
}

export type FinishParameters = {
  org: Uuid
  ends: Json
  /** The contents of the steps, the outputs and the last texts, in the order of `ends`. */
  contents: TextArray
  outputs: TextArray
  deltas: TextArray
  runIds: readonly Uuid[]
}

/** Deleting the head is the compare-and-set: every other part depends on a row of `head`. */
const finishText = (
  { locks, fields, columns, isOwn, isSameOrg }: RowScope,
  { budgets, spent }: { budgets: string; spent: string },
): string => sql`with ${locks}asked as (
    select ${columns}run_id, epoch, attempt, claim_id, step, kind, (:contents::text[])[number] as step_output, ${tokenColumns((column) => `coalesce(${column}, 0) as ${column}`)},
           case when step is null and input_tokens is null then 0 else cost_usd end as cost_usd,
           coalesce(messages_read, 0) as messages_read, started_at, model, held_step, (:deltas::text[])[number] as delta, must_have_read,
           status, (:outputs::text[])[number] as output, error, event_id
      from json_to_recordset(:ends::json) as n (number integer, ${fields}${stepFields}, held_step integer, must_have_read integer,
             status text, error text, event_id uuid)

  -- A run that would complete with an unread message keeps its head.
  ), head as (
    delete from run_heads h using asked n
     where h.run_id = any (:runIds::uuid[]) and ${isOwn} and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.claim_id = n.claim_id and h.step = n.held_step - 1 and h.status = 'running'
       and (n.must_have_read is null or h.messages <= n.must_have_read)
    returning h.run_id, h.org_id, h.agent_id, h.seq + 1 + (n.step is not null)::integer + (n.delta is not null)::integer as seq,
              h.started_at as run_started_at, h.waiting_ms, ${tokenColumns((column) => `h.${column} + n.${column} as total_${column}`)}, h.cost_usd + n.cost_usd as total_cost,
              h.stored_bytes + coalesce(octet_length(n.step_output), 0) + coalesce(octet_length(n.output), 0) as stored_bytes${budgets}
  ), ended as (
    select n.run_id, head.org_id, n.epoch, n.attempt, n.step, n.kind, n.step_output, ${tokenColumns((column) => `n.${column}`)}, n.cost_usd,
           n.messages_read, n.started_at, n.model, n.delta, n.status, n.output, n.error, n.event_id, head.seq, head.agent_id,
           head.run_started_at, head.waiting_ms, ${tokenColumns((column) => `head.total_${column}`)}, head.total_cost, head.stored_bytes
      from asked n join head on head.run_id = n.run_id${isSameOrg}
  ), last_step as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, ${tokenColumns()}, cost_usd,
           messages_read, started_at, bytes)
    select run_id, step, org_id, epoch, attempt, kind, step_output::json, ${tokenColumns()}, cost_usd, messages_read,
           started_at, octet_length(step_output)
      from ended where step is not null
  ), result as (
    insert into run_results (run_id, org_id, agent_id, status, output, error, ${tokenColumns()}, cost_usd,
           waiting_ms, last_seq, started_at, finished_at, output_bytes, stored_bytes)
    select run_id, org_id, agent_id, status, output::json, error::json, ${tokenColumns((column) => `total_${column}`)}, total_cost, waiting_ms, seq,
           run_started_at, app_now(), octet_length(output), stored_bytes from ended

  -- The last text of the step that is not in the feed yet.
  ), last_delta as (
    insert into run_deltas (run_id, seq, org_id, data)
    select run_id, seq - 1 - (step is not null)::integer, org_id, delta::json from ended where delta is not null
  ), feed_event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select run_id, seq - 1, org_id, 'run.step.completed', ${completedStep({ from: 'ended', step: 'step', status: 'status' })}
      from ended where step is not null
    union all
    select run_id, seq, org_id, 'run.' || status, null from ended

  -- The event for webhooks and the event stream.
  ), public_event as (
    insert into events (id, org_id, type, subject_id) select event_id, org_id, 'run.' || status, run_id from ended
  )${spent}
  select ${columns}run_id, seq, app_now() as finished_at, ${tokenColumns((column) => `total_${column} as ${column}`)},
         total_cost as cost_usd, waiting_ms
    from head`

export const finishStatement = statement<FinishParameters, TextTotals<Finished>>(
  'runs.finish',
  finishText(oneOrganisation, { budgets: '', spent: '' }),
)

/** For runs of which at least one counts against a budget. */
export const finishBudgeted = statement<FinishParameters, TextTotals<Finished>>(
  'runs.finish_budgeted',
  finishText(oneOrganisation, { budgets: ', h.budget_ids', spent: spentBy('asked') }),
)

/** For runs of several organisations without a budget, as the role of batches. */
export const finishSeveral = statement<Several<FinishParameters>, TextTotals<Finished> & { org_id: string }>(
  'runs.finish_several',
  finishText(severalOrganisations, { budgets: '', spent: '' }),
)
