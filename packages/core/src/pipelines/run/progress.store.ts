import type { Tx } from '@ars/platform/db/database'
import { type Json, sql, statement, type Uuid } from '@ars/platform/db/statement'
import { retryDueAt } from '../advance.ts'
import type { OpenedStep, OpenItem, PipelineStepOutcome, StepVerdict } from '../pipeline-state.ts'
import type { ClaimedHead } from './head.store.ts'
import { maxSleepSeconds } from './head.store.ts'
import type { ItemClose, ItemMove, NewItem, StepChange } from './progress.ts'

type ClaimedRun = Pick<ClaimedHead, 'org' | 'id'>

/** An open item with the state of its run. */
export type StoredItem = OpenItem & { runId: string | null }

export const readSteps = async (tx: Tx, org: string, id: string): Promise<OpenedStep[]> =>
  (await tx.query(steps({ org, id }))).map(({ key, verdict, code, items, next_item, halt, outcome }) => ({
    key,
    outcome,
    verdict: verdictOf(verdict, items, code),
    nextItem: next_item,
    halt,
  }))

/** The open items. They are locked until the commit, so that none of them gets a run meanwhile. */
export const lockOpenItems = async (tx: Tx, org: string, id: string): Promise<StoredItem[]> =>
  (await tx.query(openItems({ org, id }))).map((row) => {
    const { step, item, attempt, state, code, due_at, run_id: runId, run_status, run_code, finished_at } = row
    const base = { step, item, attempt, runId }
    if (run_status === null || finished_at === null) return { ...base, state, code, dueAt: due_at }
    return { ...base, state: run_status, code: run_code, dueAt: retryDueAt(finished_at, attempt) }
  })

/** Writes rows of steps, each list by its own statement. A step that has a row keeps its verdict, its list and its first code. */
export const storePipelineSteps = async (
  tx: Tx,
  org: string,
  { id }: ClaimedRun,
  changes: readonly StepChange[],
): Promise<void> => {
  const lists = changes.filter(({ list }) => typeof list === 'string')
  const others = changes.filter(({ list }) => typeof list !== 'string')
  if (others.length > 0) await tx.query(storeStepRows({ org, id, steps: JSON.stringify(others), list: null }))
  for (const { list = null, ...row } of lists)
    await tx.query(storeStepRows({ org, id, steps: JSON.stringify([row]), list }))
}

/** Answers how many of the moves had an effect, by the new state. */
export const moveItems = async (
  tx: Tx,
  org: string,
  { id }: ClaimedRun,
  moves: readonly ItemMove[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = moves.length === 0 ? [] : await tx.query(moveItemRows({ org, id, items: JSON.stringify(moves) }))
  const counts = new Map<string, number>()
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

export const closeItems = async (
  tx: Tx,
  org: string,
  { id }: ClaimedRun,
  closes: readonly ItemClose[],
): Promise<void> => {
  if (closes.length > 0) await tx.query(closeItemRows({ org, id, items: JSON.stringify(closes) }))
}

/** Each question by its own statement. */
export const insertItems = async (
  tx: Tx,
  org: string,
  { id }: ClaimedRun,
  items: readonly NewItem[],
): Promise<void> => {
  const questions = items.filter(({ question }) => typeof question === 'string')
  const others = items.filter(({ question }) => typeof question !== 'string')
  if (others.length > 0) await tx.query(insertItemRows({ org, id, items: JSON.stringify(others), question: null }))
  for (const { question = null, ...row } of questions)
    await tx.query(insertItemRows({ org, id, items: JSON.stringify([row]), question }))
}

/** They count as stored at once, and bound what the pipeline run may still keep. */
export const countStoredBytes = async (tx: Tx, org: string, { id }: ClaimedRun, bytes: number): Promise<void> => {
  if (bytes > 0) await tx.query(addStoredBytes({ org, id, bytes }))
}

export type HeadChange = {
  runs: number
  failure: { step: string | null; code: string } | null
  /** When the next look is due; undefined: this worker goes on. */
  dueAt?: Date | null | undefined
}

export const storeHead = async (tx: Tx, org: string, { id }: ClaimedRun, change: HeadChange): Promise<void> => {
  const { runs, failure, dueAt } = change
  const failedStep = failure?.step ?? null
  const failureCode = failure?.code ?? null
  await tx.query(
    dueAt === undefined
      ? keepHead({ org, id, runs, failedStep, failureCode })
      : leaveHead({ org, id, runs, failedStep, failureCode, dueAt, maxSleepSeconds }),
  )
}

const verdictOf = (verdict: StepVerdict['kind'], items: number, code: string | null): StepVerdict => {
  if (verdict === 'run') return { kind: 'run', items }
  return verdict === 'skip' ? { kind: 'skip' } : { kind: 'fault', code: code ?? 'expression_failed' }
}

type One = { org: Uuid; id: Uuid }

type StepRow = {
  key: string
  verdict: StepVerdict['kind']
  code: string | null
  items: number
  next_item: number
  halt: string | null
  outcome: PipelineStepOutcome | null
}

const steps = statement<One, StepRow>(
  'pipelines.read_steps',
  sql`select key, verdict, code, items, next_item, halt, outcome from pipeline_steps where org_id = :org and pipeline_run_id = :id`,
)

type ItemRow = {
  step: string
  item: number
  attempt: number
  state: OpenItem['state']
  code: string | null
  due_at: Date | null
  run_id: string | null
  run_status: 'completed' | 'failed' | 'cancelled' | null
  run_code: string | null
  finished_at: Date | null
}

const openItems = statement<One, ItemRow>(
  'pipelines.lock_open_items',
  sql`select i.step, i.item, i.attempt, i.state, i.code, i.due_at, i.run_id, r.status as run_status,
             coalesce(r.error_code, r.error ->> 'code') as run_code, r.finished_at
        from pipeline_items i
        left join lateral (
          select status, error_code, error, finished_at from run_results where org_id = :org and run_id = i.run_id
          offset 0 -- Keeps this a lookup for each item.
        ) r on true
       where i.org_id = :org and i.pipeline_run_id = :id and i.closed_at is null
       order by i.step, i.item, i.attempt for update of i`,
)

const storeStepRows = statement<One & { steps: Json; list: Json | null }>(
  'pipelines.store_steps',
  sql`insert into pipeline_steps as s (pipeline_run_id, key, org_id, verdict, code, message, items, next_item, halt, list, outcome,
             settled_at)
      select :id, n.key, :org, n.verdict, n.code, n.message, n.items, n.next_item, n.halt, :list::json, n.outcome,
             case when n.outcome is not null then app_now() end
        from json_to_recordset(:steps::json) as n (key text, verdict text, code text, message text, items integer, next_item integer,
               halt text, outcome text)
      on conflict (pipeline_run_id, key) do update
        set code = coalesce(s.code, excluded.code), message = coalesce(s.message, excluded.message), next_item = greatest(s.next_item, excluded.next_item),
            halt = coalesce(s.halt, excluded.halt), outcome = excluded.outcome, settled_at = excluded.settled_at
        where s.outcome is null`,
)

const moveItemRows = statement<One & { items: Json }, { state: string }>(
  'pipelines.move_items',
  sql`update pipeline_items i
         set state = n.state, code = n.code, message = n.message, due_at = app_now() + make_interval(secs => n.due_in_seconds)
        from json_to_recordset(:items::json) as n (step text, item integer, attempt integer, was text, state text, code text,
               message text, due_in_seconds double precision)
       where i.org_id = :org and i.pipeline_run_id = :id and i.step = n.step and i.item = n.item and i.attempt = n.attempt
         and i.closed_at is null and i.state = n.was
      returning i.state`,
)

const closeItemRows = statement<One & { items: Json }>(
  'pipelines.close_items',
  sql`update pipeline_items i set outcome = n.outcome, code = coalesce(n.code, i.code), closed_at = app_now()
        from json_to_recordset(:items::json) as n (step text, item integer, attempt integer, outcome text, code text)
       where i.org_id = :org and i.pipeline_run_id = :id and i.step = n.step and i.item = n.item and i.attempt = n.attempt
         and i.closed_at is null`,
)

const insertItemRows = statement<One & { items: Json; question: Json | null }>(
  'pipelines.insert_items',
  sql`insert into pipeline_items (pipeline_run_id, step, item, attempt, org_id, state, code, message, due_at, question)
      select :id, n.step, n.item, n.attempt, :org, n.state, n.code, n.message, app_now() + make_interval(secs => n.expires_in_seconds),
             :question::json
        from json_to_recordset(:items::json) as n (step text, item integer, attempt integer, state text, code text, message text,
               expires_in_seconds double precision)
      on conflict (pipeline_run_id, step, item, attempt) do nothing`,
)

const addStoredBytes = statement<One & { bytes: number }>(
  'pipelines.add_stored_bytes',
  sql`update pipeline_runs set stored_bytes = stored_bytes + :bytes where org_id = :org and id = :id`,
)

type HeadColumns = One & { runs: number; failedStep: string | null; failureCode: string | null }

const keepHead = statement<HeadColumns>(
  'pipelines.keep_head',
  sql`update pipeline_heads set runs = :runs, failed_step = :failedStep, failure_code = :failureCode
       where org_id = :org and pipeline_run_id = :id`,
)

const leaveHead = statement<HeadColumns & { dueAt: Date | null; maxSleepSeconds: number }>(
  'pipelines.leave_head',
  sql`update pipeline_heads
         set runs = :runs, failed_step = :failedStep, failure_code = :failureCode,
             due_at = least(:dueAt::timestamptz, app_now() + make_interval(secs => :maxSleepSeconds::integer)), held_until = null, tries = 0
       where org_id = :org and pipeline_run_id = :id`,
)
