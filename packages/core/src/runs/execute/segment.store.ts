import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { textArray } from '@ars/platform/db/text-array'
import { idBounds } from '@ars/platform/id-range'
import { toSpendRow } from '../run/check-spend.ts'
import { afterEnd, endedColumns, endedFacts } from '../run/end.store.ts'
import { maxClaimsUnsuspected, type RunOutcome } from '../run/run.ts'
import { type EndedFacts, type RunEnd, toRunEnd } from '../run/run-end.ts'
import type { Segment } from '../run/segment.ts'
import { tokenNumbers } from '../run/tokens.ts'
import { type Claim, claimSeveral, claimStatement } from './claim.sql.ts'
import { type Finished, finishBudgeted, finishSeveral, finishStatement } from './finish.sql.ts'
import type { TextNumbers, TextTotals } from './step-row.sql.ts'
import { type ClaimedStep, type StoredStep, toClaimRow, toPayload, toStepRow } from './step-row.ts'
import { type Progress, type StepState, stepStateOf } from './step-state.ts'
import { storeBudgeted, storeSeveral, storeStatement } from './store-step.sql.ts'

export type { Claim, Finished }

type ClaimRow = TextNumbers<Claim>
type FinishedRow = TextTotals<Finished>

/**
 * `claimId`: random, made once for each claim, and the same when the claim is offered again. `alone`: no other suspected step
 * runs beside it, so it may be claimed although it was interrupted before.
 */
export type AskedStep = { segment: Segment; step: number; claimId: string; alone: boolean }

/** `not_claimed`: `findStepState` says why. */
export type ClaimVerdict = { kind: 'claimed'; claim: Claim } | { kind: 'not_claimed' }

/** Claims steps, and with them their runs. */
export const claimSteps = async (db: Database, org: string, asked: readonly AskedStep[]): Promise<ClaimVerdict[]> => {
  const [, rows] = await db.batch(org, [preferIndexes(), claimStatement({ org, ...toClaims(asked) })])
  return claimVerdicts(asked, rows)
}

// crosses organisations: steps of several organisations share a statement and a commit. Each row carries its organisation, and
// row-level security confines the statement to these organisations.
/** `not_claimed` says less than that of `claimSteps`: another transaction may hold the run. */
export const claimStepsOfSeveral = async (db: Database, asked: readonly AskedStep[]): Promise<ClaimVerdict[]> => {
  const claims = claimSeveral({ orgs: orgsOf(asked), ...toClaims(asked) })
  const [, rows] = await db.batchOf(orgsIn(asked), [preferIndexes(), claims])
  return claimVerdicts(asked, rows)
}

const toClaims = (asked: readonly AskedStep[]) => {
  const steps = asked.map(({ segment: { org, run, epoch, segment }, claimId, ...rest }) => ({
    org_id: org,
    run_id: run,
    epoch,
    segment,
    claim_id: claimId,
    ...rest,
  }))
  const runIds = runIdsOf(steps)
  return { steps: JSON.stringify(steps), runIds, maxClaimsUnsuspected, ...idBounds(runIds) }
}

const claimVerdicts = (asked: readonly AskedStep[], rows: readonly OfRun<ClaimRow>[]): ClaimVerdict[] => {
  const find = finderOf(rows)
  return asked.map(({ segment }) => {
    const row = find(segment)
    return row ? { kind: 'claimed', claim: withoutOrg(withNumbers(row)) } : { kind: 'not_claimed' }
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
export type StepResultRow = ClaimedStep & { stored: StoredStep; reset: boolean }

export const storeSteps = async (
  db: Database,
  org: string,
  results: readonly StepResultRow[],
): Promise<StoreVerdict[]> => {
  const storing = results.some(hasBudget) ? storeBudgeted : storeStatement
  const [, rows] = await db.batch(org, [preferIndexes(), storing({ org, ...toStores(results) })])
  return storeVerdicts(results, rows)
}

// crosses organisations: results of several organisations share a statement and a commit. Each row carries its organisation, and
// row-level security confines the statement to these organisations. None of them has a budget.
/** `lost` says less than that of `storeSteps`: another transaction may hold the run. */
export const storeStepsOfSeveral = async (db: Database, results: readonly StepResultRow[]): Promise<StoreVerdict[]> => {
  const storing = storeSeveral({ orgs: orgsOf(results), ...toStores(results) })
  const [, rows] = await db.batchOf(orgsIn(results), [preferIndexes(), storing])
  return storeVerdicts(results, rows)
}

const toStores = (results: readonly StepResultRow[]) => {
  const steps = results.map(({ stored, reset, ...held }, n) => ({
    number: n + 1,
    org_id: held.segment.org,
    ...toClaimRow(held),
    ...toStepRow(stored),
    reset,
  }))
  const contents = textArray(results.map(({ stored }) => toPayload(stored.content)))
  return { steps: JSON.stringify(steps), contents, runIds: runIdsOf(steps) }
}

const storeVerdicts = (
  results: readonly StepResultRow[],
  rows: readonly OfRun<{ run_id: string; seq: number }>[],
): StoreVerdict[] => {
  const find = finderOf(rows)
  return results.map(({ segment }) => {
    const row = find(segment)
    return row ? { kind: 'stored', seq: row.seq } : { kind: 'lost' }
  })
}

/** `not_finished`: the attempt no longer holds the step, or a message is unread; `findStepState` says which. */
export type FinishVerdict = { kind: 'finished'; run: Finished } | { kind: 'not_finished' }

/** The end of a run with its last step and with the last text (`rest`) that is not in the feed yet. */
export type EndedRow = ClaimedStep & { eventId: string; stored: StoredStep | null; rest: string; outcome: RunOutcome }

export const finishRuns = async (db: Database, org: string, ended: readonly EndedRow[]): Promise<FinishVerdict[]> => {
  const finishing = ended.some(hasBudget) ? finishBudgeted : finishStatement
  const [, rows] = await db.batch(org, [preferIndexes(), finishing({ org, ...toEnds(ended) })])
  return finishVerdicts(ended, rows)
}

// crosses organisations: ends of several organisations share a statement and a commit. Each row carries its organisation, and
// row-level security confines the statement to these organisations. None of them has a budget.
/** `not_finished` says less than that of `finishRuns`: another transaction may hold the run. */
export const finishRunsOfSeveral = async (db: Database, ended: readonly EndedRow[]): Promise<FinishVerdict[]> => {
  const finishing = finishSeveral({ orgs: orgsOf(ended), ...toEnds(ended) })
  const [, rows] = await db.batchOf(orgsIn(ended), [preferIndexes(), finishing])
  return finishVerdicts(ended, rows)
}

const toEnds = (ended: readonly EndedRow[]) => {
  const ends = ended.map(({ stored, outcome, eventId, ...held }, n) => ({
    number: n + 1,
    org_id: held.segment.org,
    ...toClaimRow(held),
    held_step: held.step,
    ...(stored ? toStepRow(stored) : { step: null, ...(held.checkSpend && toSpendRow(held.checkSpend)) }),
    must_have_read: outcome.status === 'completed' ? (stored?.messagesRead ?? 0) : null,
    status: outcome.status,
    error: toPayload(outcome.error),
    event_id: eventId,
  }))
  return {
    ends: JSON.stringify(ends),
    contents: textArray(ended.map(({ stored }) => stored && toPayload(stored.content))),
    outputs: textArray(ended.map(({ outcome }) => toPayload(outcome.output))),
    deltas: textArray(ended.map(({ rest, step }) => (rest === '' ? null : JSON.stringify({ step, delta: rest })))),
    runIds: runIdsOf(ends),
  }
}

const finishVerdicts = (ended: readonly EndedRow[], rows: readonly OfRun<FinishedRow>[]): FinishVerdict[] => {
  const find = finderOf(rows)
  return ended.map(({ segment }) => {
    const row = find(segment)
    return row
      ? { kind: 'finished', run: withoutOrg({ ...withNumbers(row), ...tokenNumbers(row) }) }
      : { kind: 'not_finished' }
  })
}

/** Leaves the rest of the run to another worker, as a new segment. Null: the attempt no longer holds the run. */
export const handOver = async (db: Database, org: string, at: ClaimedStep): Promise<Segment | null> => {
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
  at: ClaimedStep & { retryAt: Date; note: string },
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

const hasBudget = ({ budgetIds }: ClaimedStep): boolean => budgetIds !== undefined

/** The organisation is in the answers of statements over several. */
type OfRun<Row extends { run_id: string }> = Row & { org_id?: string }

/** Two organisations may have named the same run. */
const finderOf = <Row extends { run_id: string; org_id?: string }>(rows: readonly Row[]) => {
  const byRun = new Map(rows.map((row) => [`${row.org_id ?? ''} ${row.run_id}`, row]))
  return ({ org, run }: Segment): Row | undefined => byRun.get(` ${run}`) ?? byRun.get(`${org} ${run}`)
}

const withoutOrg = <Row extends { org_id?: string }>({ org_id: _org, ...row }: Row): Omit<Row, 'org_id'> => row

type OfSegment = { readonly segment: Segment }
/** The organisation of each row. */
const orgsOf = (rows: readonly OfSegment[]): string[] => rows.map(({ segment }) => segment.org)
/** Each organisation once. */
const orgsIn = (rows: readonly OfSegment[]): string[] => [...new Set(orgsOf(rows))]

const runIdsOf = (rows: readonly { run_id: string }[]): string[] => rows.map(({ run_id }) => run_id)

const progress = statement<{ org: Uuid; runId: Uuid; epoch: number }, Progress>(
  'runs.progress',
  sql`select step, segment, claims, status, attempt, claim_id, messages from run_heads
    where org_id = :org and run_id = :runId and epoch = :epoch`,
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
