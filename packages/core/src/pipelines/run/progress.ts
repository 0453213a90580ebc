import type { PipelineDefinition } from '../definition.ts'
import type {
  OpenedStep,
  PipelineDecision,
  PipelineFailure,
  PipelineStepOutcome,
  StepVerdict,
} from '../pipeline-state.ts'

/** The row of a step as it is to be stored. The verdict and the list are used only if it has no row. */
export type StepChange = {
  key: string
  verdict: StepVerdict['kind']
  code: string | null
  items: number
  next_item: number
  halt: string | null
  /** JSON. */
  list?: string | null
  /** Why the expressions failed. */
  message?: string | null
  outcome: PipelineStepOutcome | null
}

export type ItemAttempt = { step: string; item: number; attempt: number }

/** A change of an item that stays open. It has no effect unless the item is in the state `was`. */
export type ItemMove = ItemAttempt & {
  was: 'waiting' | 'refused' | 'started'
  state: 'waiting' | 'refused' | 'cancelling'
  code: string | null
  message?: string | null
  due_in_seconds: number | null
}

export type ItemClose = ItemAttempt & { outcome: 'completed' | 'failed' | 'cancelled'; code: string | null }

/** A new attempt of an item, or the question of an approval step. A question that cannot be put has failed at once. */
export type NewItem = ItemAttempt & {
  state: 'waiting' | 'started' | 'failed'
  code?: string | null
  message?: string | null
  /** After so long a question expires. */
  expires_in_seconds?: number | null
  /** JSON. */
  question?: string | null
}

type OpenAttempt = ItemAttempt & { state: string; code: string | null; runId: string | null }

/** What one call of `advance` writes, and what is done after the commit. */
export type ProgressPlan = {
  steps: StepChange[]
  moves: ItemMove[]
  closes: ItemClose[]
  inserts: NewItem[]
  /** How many more attempts are runs, or wait to become one. */
  runs: number
  failure: PipelineFailure | null
  open: string[]
  ask: string[]
  start: ItemAttempt[]
  cancel: (ItemAttempt & { runId: string })[]
}

/** The writes that apply decisions to the rows that they were made from. */
export const planProgress = ({
  steps,
  items,
  decisions,
  failure,
}: {
  steps: readonly OpenedStep[]
  items: readonly OpenAttempt[]
  decisions: readonly PipelineDecision[]
  failure: PipelineFailure | null
}): ProgressPlan => {
  const plan: ProgressPlan = {
    ...{ steps: [], moves: [], closes: [], inserts: [], runs: 0, failure },
    ...{ open: [], ask: [], start: [], cancel: [] },
  }
  const rows = new Map(steps.map((step) => [step.key, changeOf(step)]))
  const open = new Map(items.map((item) => [idOf(item.step, item.item), item]))
  const changed = new Set<StepChange>()
  const change = (key: string, fields: Partial<StepChange>): void => {
    const row = Object.assign(rows.get(key) ?? neverOpened(key), fields)
    rows.set(key, row)
    changed.add(row)
  }

  const start = ({ step, item, attempt }: ItemAttempt): void => {
    const known = open.get(idOf(step, item))
    plan.start.push({ step, item, attempt })
    // A worker has died before the run of this attempt was accepted.
    if (known?.attempt === attempt && known.state === 'waiting') return
    plan.runs++
    if (known?.attempt === attempt) {
      plan.moves.push({ step, item, attempt, was: 'refused', state: 'waiting', code: null, due_in_seconds: null })
      return
    }
    if (known) plan.closes.push({ step, item, attempt: known.attempt, outcome: 'failed', code: known.code })
    else change(step, { next_item: Math.max(rows.get(step)?.next_item ?? 0, item + 1) })
    plan.inserts.push({ step, item, attempt, state: 'waiting' })
  }

  const apply = (decision: PipelineDecision): void => {
    const { kind } = decision
    if (kind === 'open' || kind === 'ask') plan[kind].push(decision.step)
    else if (kind === 'start') start(decision)
    else if (kind === 'halt') change(decision.step, { halt: decision.code })
    else if (kind === 'settle') change(decision.step, { outcome: decision.outcome, code: decision.code })
    else if (kind === 'fail') plan.failure = { step: decision.step, code: decision.code }
    else if (kind === 'cancel') {
      const { step, item, attempt } = decision
      const runId = open.get(idOf(step, item))?.runId
      if (runId) plan.cancel.push({ step, item, attempt, runId })
    } else {
      const { step, item, outcome, code } = decision
      const known = open.get(idOf(step, item))
      if (!known) return
      // It never became a run.
      if (known.state === 'waiting') plan.runs--
      plan.closes.push({ step, item, attempt: known.attempt, outcome, code })
    }
  }

  for (const decision of decisions) apply(decision)
  plan.steps.push(...changed)
  return plan
}

/** The steps that have no row when a pipeline run ends. */
export const neverOpenedSteps = (definition: PipelineDefinition, rows: Iterable<string>): StepChange[] => {
  const known = new Set(rows)
  return definition.steps.flatMap(({ key }) =>
    known.has(key) ? [] : [{ ...neverOpened(key), outcome: 'cancelled' as const }],
  )
}

const idOf = (step: string, item: number): string => `${step}/${item}`

const changeOf = ({ key, verdict, nextItem, halt, outcome }: OpenedStep): StepChange => ({
  key,
  verdict: verdict.kind,
  code: verdict.kind === 'fault' ? verdict.code : null,
  items: verdict.kind === 'run' ? verdict.items : 0,
  next_item: nextItem,
  halt,
  outcome,
})

const neverOpened = (key: string): StepChange => ({
  key,
  verdict: 'skip',
  code: null,
  items: 0,
  next_item: 0,
  halt: null,
  outcome: null,
})
