import type { Database } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { type TextArray, textArray } from '@ars/platform/db/text-array'
import { idBounds } from '@ars/platform/id-range'
import { toSpendRow } from '../run/check-spend.ts'
import { afterEnd, endedColumns, endedFacts } from '../run/end.store.ts'
import { maxClaimsUnsuspected, type RunOutcome } from '../run/run.ts'
import { type EndedFacts, type RunEnd, toRunEnd } from '../run/run-end.ts'
import type { Segment } from '../run/segment.ts'
import { tokenColumns, tokenNumbers } from '../run/tokens.ts'
import { type Claim, claimStatement } from './claim.sql.ts'
import { type Finished, finishBudgeted, finishStatement } from './finish.sql.ts'
import { spentBy } from './spend.sql.ts'
import { completedStep, stepFields } from './step-row.sql.ts'
import { type Held, type StoredStep, toHeldRow, toPayload, toStepRow } from './step-row.ts'
import { type Progress, type StepState, stepStateOf } from './step-state.ts'

export type { Claim, Finished }

/**
 * `claimId`: random, made once for each claim, and the same when the claim is offered again. `alone`: no other suspected step
 * runs beside it, so it may be claimed although it was interrupted before.
 */
export type AskedStep = { segment: Segment; step: number; claimId: string; alone: boolean }

/** `not_claimed`: `findStepState` says why. */
export type ClaimVerdict = { kind: 'claimed'; claim: Claim } | { kind: 'not_claimed' }

/** Claims steps, and with them their runs. */
export const claimSteps = async (db: Database, org: string, asked: readonly AskedStep[]): Promise<ClaimVerdict[]> => {
  const steps = asked.map(({ segment: { run, epoch, segment }, claimId, ...rest }) => ({
    run_id: run,
    epoch,
    segment,
    claim_id: claimId,
    ...rest,
  }))
  const runIds = runIdsOf(steps)
  const rows = await db.once(
    org,
    claimStatement({ org, steps: JSON.stringify(steps), runIds, maxClaimsUnsuspected, ...idBounds(runIds) }),
  )
  const claims = new Map(rows.map((row) => [row.run_id, withNumbers(row)]))
  return asked.map(({ segment }) => {
    const claim = claims.get(segment.run)
    return claim ? { kind: 'claimed', claim } : { kind: 'not_claimed' }
  })
}

/** The state of a step that could not be claimed, or whose result could not be written. */
export const findStepState = async (
  db: Database,
  org: string,
  { segment, step }: { segment: Segment; step: number },
): Promise<StepState> => {
  const [row] = await db.once(org, progress({ org, runId: segment.run, epoch: segment.epoch }))
  return stepStateOf(row ?? null, segment, step)
}

/** `lost`: the attempt no longer holds the step; `findStepState` says why. */
export type StoreVerdict = { kind: 'stored'; seq: number } | { kind: 'lost' }

/** `reset`: the text that the step streamed is not part of the output. */
export const storeSteps = async (
  db: Database,
  org: string,
  results: readonly (Held & { stored: StoredStep; reset: boolean })[],
): Promise<StoreVerdict[]> => {
  const steps = results.map(({ stored, reset, ...held }, n) => ({
    number: n + 1,
    ...toHeldRow(held),
    ...toStepRow(stored),
    reset,
  }))
  const contents = textArray(results.map(({ stored }) => toPayload(stored.content)))
  const storing = results.some(hasBudget) ? storeBudgeted : store
  const rows = await db.once(org, storing({ org, steps: JSON.stringify(steps), contents, runIds: runIdsOf(steps) }))
  const seqs = new Map(rows.map(({ run_id, seq }) => [run_id, seq]))
  return results.map(({ segment }) => {
    const seq = seqs.get(segment.run)
    return seq === undefined ? { kind: 'lost' } : { kind: 'stored', seq }
  })
}

/** `not_finished`: the attempt no longer holds the step, or a message is unread; `findStepState` says which. */
export type FinishVerdict = { kind: 'finished'; run: Finished } | { kind: 'not_finished' }

/** Ends runs, each with its last step and with the last text (`rest`) that is not in the feed yet. */
export const finishRuns = async (
  db: Database,
  org: string,
  ended: readonly (Held & { eventId: string; stored: StoredStep | null; rest: string; outcome: RunOutcome })[],
): Promise<FinishVerdict[]> => {
  const ends = ended.map(({ stored, outcome, eventId, ...held }, n) => ({
    number: n + 1,
    ...toHeldRow(held),
    held_step: held.step,
    ...(stored ? toStepRow(stored) : { step: null, ...(held.checkSpend && toSpendRow(held.checkSpend)) }),
    must_have_read: outcome.status === 'completed' ? (stored?.messagesRead ?? 0) : null,
    status: outcome.status,
    error: toPayload(outcome.error),
    event_id: eventId,
  }))
  const finishing = ended.some(hasBudget) ? finishBudgeted : finishStatement
  const rows = await db.once(
    org,
    finishing({
      org,
      ends: JSON.stringify(ends),
      contents: textArray(ended.map(({ stored }) => stored && toPayload(stored.content))),
      outputs: textArray(ended.map(({ outcome }) => toPayload(outcome.output))),
      deltas: textArray(ended.map(({ rest, step }) => (rest === '' ? null : JSON.stringify({ step, delta: rest })))),
      runIds: runIdsOf(ends),
    }),
  )
  const finished = new Map(rows.map((row) => [row.run_id, { ...withNumbers(row), ...tokenNumbers(row) }]))
  return ended.map(({ segment }) => {
    const run = finished.get(segment.run)
    return run ? { kind: 'finished', run } : { kind: 'not_finished' }
  })
}

/** Leaves the rest of the run to another worker, as a new segment. Null: the attempt no longer holds the run. */
export const handOver = async (db: Database, org: string, at: Held): Promise<Segment | null> => {
  const { run, epoch } = at.segment
  const [row] = await db.once(
    org,
    handOverStatement({ org, runId: run, epoch, attempt: at.attempt, claimId: at.claimId, nextStep: at.step + 1 }),
  )
  return row ? { org, run, epoch, segment: row.segment, step: at.step + 1 } : null
}

/** The worker confirms that a run that is being cancelled has stopped. Null: the run has ended another way. */
export const confirmCancelled = async (
  db: Database,
  org: string,
  at: { run: string; epoch: number; eventId: string },
): Promise<{ seq: number; ended: RunEnd } | null> => {
  const [row] = await db.once(org, confirm({ org, runId: at.run, epoch: at.epoch, eventId: at.eventId }))
  return row ? { seq: row.seq, ended: toRunEnd(at.run, org, row) } : null
}

/** Notes for the diagnosis that the worker backs off before it calls a provider again. */
export const noteBackOff = async (
  db: Database,
  org: string,
  at: Held & { retryAt: Date; note: string },
): Promise<void> => {
  const { attempt, claimId, retryAt } = at
  const { run, epoch } = at.segment
  await db.once(org, note({ org, runId: run, epoch, attempt, claimId, retryAt, note: at.note }))
}

const withNumbers = <Row extends { cost_usd: string | null; waiting_ms: string }>(row: Row) => ({
  ...row,
  waiting_ms: Number(row.waiting_ms),
  cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
})

const hasBudget = ({ budgetIds }: Held): boolean => budgetIds !== undefined

const runIdsOf = (rows: readonly { run_id: string }[]): string[] => rows.map(({ run_id }) => run_id)

const progress = statement<{ org: Uuid; runId: Uuid; epoch: number }, Progress>(
  'runs.progress',
  sql`select step, segment, claims, status, attempt, claim_id, messages from run_heads
    where org_id = :org and run_id = :runId and epoch = :epoch`,
)

type StoreParameters = { org: Uuid; steps: Json; contents: TextArray; runIds: readonly Uuid[] }

const storeText = ({ budgets, spent }: { budgets: string; spent: string }): string => sql`with asked as (
    select run_id, epoch, attempt, claim_id, step, kind, (:contents::text[])[number] as step_output, ${tokenColumns()},
           cost_usd, messages_read, started_at, model, next_type, reset::integer as resets
      from json_to_recordset(:steps::json) as n (number integer, ${stepFields}, reset boolean)
  ), head as (
    update run_heads h
       set step = n.step, next_type = n.next_type, claims = 0, seq = h.seq + 1 + n.resets, progress_at = app_now(),
           ${tokenColumns((column) => `${column} = h.${column} + n.${column}`)},
           cost_usd = h.cost_usd + n.cost_usd, stored_bytes = h.stored_bytes + coalesce(octet_length(n.step_output), 0)
      from asked n
     where h.run_id = any (:runIds::uuid[]) and h.org_id = :org and h.run_id = n.run_id and h.epoch = n.epoch
       and h.attempt = n.attempt and h.claim_id = n.claim_id and h.step = n.step - 1 and h.status = 'running'
    returning h.run_id, h.seq${budgets}
  ), stored as (
    insert into run_steps (run_id, step, org_id, epoch, attempt, kind, output, ${tokenColumns()}, cost_usd,
           messages_read, started_at, bytes)
    select n.run_id, n.step, :org, n.epoch, n.attempt, n.kind, n.step_output::json, ${tokenColumns((column) => `n.${column}`)}, n.cost_usd,
           n.messages_read, n.started_at, octet_length(n.step_output)
      from asked n join head on head.run_id = n.run_id
  ), event as (
    insert into run_events (run_id, seq, org_id, type, data)
    select n.run_id, head.seq - 1, :org::uuid, 'run.output.reset', json_build_object('step', n.step)
      from asked n join head on head.run_id = n.run_id where n.resets = 1
    union all
    select n.run_id, head.seq, :org::uuid, 'run.step.completed', ${completedStep({ from: 'n', step: 'n.step', status: "'completed'" })}
      from asked n join head on head.run_id = n.run_id
  )${spent}
  select run_id, seq from head`

const store = statement<StoreParameters, { run_id: string; seq: number }>(
  'runs.store_step',
  storeText({ budgets: '', spent: '' }),
)

/** For runs of which at least one counts against a budget. */
const storeBudgeted = statement<StoreParameters, { run_id: string; seq: number }>(
  'runs.store_step_budgeted',
  storeText({ budgets: ', h.budget_ids', spent: spentBy('asked') }),
)

const handOverStatement = statement<
  { org: Uuid; runId: Uuid; epoch: number; attempt: number; claimId: Uuid; nextStep: number },
  { segment: number }
>(
  'runs.hand_over',
  sql`with head as (
    update run_heads set segment = segment + 1, progress_at = app_now()
     where org_id = :org and run_id = :runId and epoch = :epoch and attempt = :attempt and claim_id = :claimId
       and step = :nextStep::integer - 1 and status = 'running'
    returning segment
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at) select :runId, :epoch, segment, :org, :nextStep, app_now() from head
  )
  select segment from head`,
)

const confirm = statement<{ org: Uuid; runId: Uuid; epoch: number; eventId: Uuid }, EndedFacts & { seq: number }>(
  'runs.confirm_cancelled',
  sql`with head as (
    delete from run_heads h where h.org_id = :org and h.run_id = :runId and h.epoch = :epoch and h.status = 'cancelling'
    returning ${endedColumns}, 'cancelled' as end_status, null::json as end_error, :eventId::uuid as event_id
  ), ${afterEnd}
  select seq, ${endedFacts} from head`,
)

const note = statement<{
  org: Uuid
  runId: Uuid
  epoch: number
  attempt: number
  claimId: Uuid
  retryAt: Date
  note: string
}>(
  'runs.note_back_off',
  sql`update run_heads set retry_at = :retryAt, note = :note, progress_at = app_now()
    where org_id = :org and run_id = :runId and epoch = :epoch and attempt = :attempt and claim_id = :claimId and status = 'running'`,
)
