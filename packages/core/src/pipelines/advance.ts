import { pipelinesBounds } from './bounds.ts'
import { hasItems, isApproval, type PipelineDefinition, type PipelineStep, pipelineLimits } from './definition.ts'
import type {
  OpenedStep,
  OpenItem,
  PipelineDecision,
  PipelineFailure,
  PipelineNext,
  PipelineRunState,
  PipelineStepOutcome,
  StepVerdict,
} from './pipeline-state.ts'
import { orderSteps } from './step-graph.ts'

export type AdvanceInput = {
  definition: PipelineDefinition
  run: PipelineRunState
  steps: readonly OpenedStep[]
  items: readonly OpenItem[]
  now: Date
  limits?: { runsPerPipelineRun: number; decisionsPerAdvance: number }
}

/**
 * Decides what happens next in a pipeline run. The same rows and the same time give the same answer. The cost is linear in the steps and in the
 * open items.
 *
 * A step is opened when each step that it depends on is settled. One that failed with `on_error: continue` counts, and its output is null.
 * As in GitHub Actions, a step after a skipped one is skipped too, unless it has a `when` that is true. A step that fails otherwise
 * fails the pipeline run: everything that runs is cancelled first.
 */
export const advance = (input: AdvanceInput): { decisions: PipelineDecision[]; next: PipelineNext } => {
  const { run, now, limits = pipelineLimits } = input
  const decisions: PipelineDecision[] = []
  const all = progressOf(input)
  let failure = run.failure
  let isAgain = false
  let starts = 0
  let wakeAt = run.deadlineAt

  const isStopping = (): boolean => run.status === 'cancelling' || failure !== null
  const isOutOfRuns = run.runs >= limits.runsPerPipelineRun

  const fail = (reason: PipelineFailure): void => {
    failure = reason
    decisions.push({ kind: 'fail', ...reason })
  }

  const close = ({ step, item }: OpenItem, { outcome, code }: ItemResult): void =>
    void decisions.push({ kind: 'close', step, item, outcome, code })

  // The list of decisions can be cut after any of them. So a reason is stored before what it explains: first `halt`, then `close`; first
  // `fail`, then `settle`.
  const halt = (each: Progress, code: string): void => {
    if (each.halt !== null) return
    each.halt = code
    decisions.push({ kind: 'halt', step: each.key, code })
  }

  const settle = (each: Progress, outcome: PipelineStepOutcome, code: string | null): void => {
    const { on_error = 'fail' } = each.step
    if (outcome === 'failed' && on_error === 'fail' && !isStopping()) fail({ step: each.key, code: code ?? 'failed' })
    each.outcome = outcome
    decisions.push({ kind: 'settle', step: each.key, outcome, code })
  }

  /** Settles a step whose verdict is known, as soon as nothing of it is open. */
  const settleIfDone = (each: Progress, verdict: StepVerdict): void => {
    const result = stepResultOf(each, verdict)
    if (result) settle(each, result.outcome, result.code)
  }

  const stepResultOf = (
    each: Progress,
    verdict: StepVerdict,
  ): { outcome: PipelineStepOutcome; code: string | null } | null => {
    if (verdict.kind === 'skip') return { outcome: 'skipped', code: null }
    if (verdict.kind === 'fault') return { outcome: 'failed', code: verdict.code }
    const isWhole = each.nextItem >= verdict.items
    if (each.open.length > 0 || (each.halt === null && !isWhole && !isStopping())) return null
    if (each.halt !== null && each.halt !== cancelled) return { outcome: 'failed', code: each.halt }
    return { outcome: each.halt === null && isWhole ? 'completed' : 'cancelled', code: null }
  }

  /** Closes what has ended, and settles the step if that was the rest of it. */
  const collect = (each: Progress): void => {
    if (each.verdict === null) {
      skipAfterSkipped(each)
      return
    }
    const open = each.open
    each.open = []
    for (const item of open) {
      if (!hasEnded(each.step, item, now)) {
        each.open.push(item)
        continue
      }
      const result = resultOf(item)
      if (result.code !== null && failsStep(each.step)) halt(each, result.code)
      close(item, result)
    }
    if (isOutOfRuns && !isApproval(each.step) && needsRun(each, each.verdict)) halt(each, 'too_many_runs')
    if (each.halt !== null) closeIdle(each)
    settleIfDone(each, each.verdict)
  }

  /** Closes the items without a run under way, because nothing starts any more. */
  const closeIdle = (each: Progress): void => {
    const running = each.open.filter(isRunning)
    for (const item of each.open) {
      if (item.state === 'failed') close(item, resultOf(item))
      else if (!isRunning(item)) close(item, neverEnded)
    }
    each.open = running
  }

  const skipAfterSkipped = (each: Progress): void => {
    const { when, depends_on = [] } = each.step
    if (when !== undefined || !isReady(each)) return
    if (depends_on.some((key) => all.get(key)?.outcome === 'skipped')) settle(each, 'skipped', null)
  }

  const isReady = ({ outcome, verdict, step: { depends_on = [] } }: Progress): boolean =>
    outcome === null && verdict === null && depends_on.every((key) => all.get(key)?.outcome !== null)

  /** Opens the step, or starts what may start of it. */
  const begin = (each: Progress): void => {
    if (each.verdict === null) {
      if (!isReady(each)) return
      decisions.push({ kind: 'open', step: each.key })
      isAgain = true
      return
    }
    if (each.verdict.kind !== 'run' || each.halt !== null) return
    if (isApproval(each.step)) {
      ask(each)
      return
    }
    for (const item of each.open) if (!isRunning(item)) startWhenDue(item)
    const { max_parallel = pipelineLimits.defaultMaxParallel } = each.step
    const { items } = each.verdict
    const last = Math.min(items, each.nextItem + max_parallel - each.open.length)
    for (let item = each.nextItem; item < last; item++) start({ step: each.key, item, attempt: 1 })
  }

  const ask = (each: Progress): void => {
    const [question] = each.open
    if (question) {
      wake(question.dueAt)
      return
    }
    decisions.push({ kind: 'ask', step: each.key })
    // Only the next call knows when the question expires.
    isAgain = true
  }

  const startWhenDue = ({ step, item, attempt, state, dueAt }: OpenItem): void => {
    if (dueAt !== null && dueAt > now) wake(dueAt)
    // A refused attempt never was a run, so it is the same attempt again.
    else start({ step, item, attempt: state === 'failed' ? attempt + 1 : attempt })
  }

  const start = (attempt: { step: string; item: number; attempt: number }): void => {
    // Some of these starts may be refused. Only the next call knows whether the bound is reached.
    if (run.runs + starts >= limits.runsPerPipelineRun) {
      isAgain = true
      return
    }
    starts++
    decisions.push({ kind: 'start', ...attempt })
  }

  const wake = (at: Date | null): void => {
    if (at !== null && at < wakeAt) wakeAt = at
  }

  /** Cancels what runs, closes the rest, and settles the step when nothing is left. */
  const stop = (each: Progress): void => {
    if (each.verdict === null || each.outcome !== null) return
    const open = each.open
    each.open = []
    for (const item of open) {
      // A question has no run that could end later.
      if (isRunning(item) && !isApproval(each.step)) {
        each.open.push(item)
        if (item.state === 'started')
          decisions.push({ kind: 'cancel', step: each.key, item: item.item, attempt: item.attempt })
        continue
      }
      const result = stoppedResultOf(each.step, item, now)
      if (result.outcome === 'cancelled') halt(each, cancelled)
      else if (result.code !== null && failsStep(each.step)) halt(each, result.code)
      close(item, result)
    }
    settleIfDone(each, each.verdict)
  }

  const inOrder = [...all.values()]
  if (!isStopping() && run.deadlineAt <= now) fail({ step: null, code: 'timeout' })
  if (!isStopping()) for (const each of inOrder) if (each.outcome === null) collect(each)
  if (isStopping()) for (const each of inOrder) stop(each)
  else for (const each of inOrder) if (each.outcome === null) begin(each)

  if (decisions.length > limits.decisionsPerAdvance)
    return { decisions: decisions.slice(0, limits.decisionsPerAdvance), next: { kind: 'again' } }
  const isOpen = inOrder.some(({ outcome, verdict }) => outcome === null && (verdict !== null || !isStopping()))
  if (!isOpen) return { decisions, next: endOf(run, failure) }
  if (isAgain) return { decisions, next: { kind: 'again' } }
  return { decisions, next: { kind: 'wait', until: isStopping() ? null : wakeAt } }
}

/** How long an item waits after its failed attempt: 1, 2, 4 … seconds, at most a minute. */
export const retryDueAt = (endedAt: Date, attempt: number): Date =>
  new Date(endedAt.getTime() + Math.min(1_000 * 2 ** (attempt - 1), maxRetryDelayMs))

const maxRetryDelayMs = pipelinesBounds.retryPause.ms

const cancelled = 'cancelled'

/** The refusal that passes: there are too many runs just now. */
const passingRefusal = 'concurrency_exceeded'

type Progress = {
  key: string
  step: PipelineStep
  outcome: PipelineStepOutcome | null
  verdict: StepVerdict | null
  nextItem: number
  halt: string | null
  open: OpenItem[]
}

/** The steps in an order in which each comes after those that it depends on. */
const progressOf = ({ definition, steps, items }: AdvanceInput): Map<string, Progress> => {
  const byKey = new Map(definition.steps.map((step) => [step.key, step]))
  const opened = new Map(steps.map((step) => [step.key, step]))
  const all = new Map<string, Progress>()
  for (const key of orderSteps(definition.steps).order) {
    const { outcome = null, verdict = null, nextItem = 0, halt = null } = opened.get(key) ?? {}
    all.set(key, { key, step: byKey.get(key) as PipelineStep, outcome, verdict, nextItem, halt, open: [] })
  }
  for (const item of items) all.get(item.step)?.open.push(item)
  return all
}

/** Whether the failure of an item is one of the step. */
const failsStep = (step: PipelineStep): boolean => !hasItems(step) || step.on_item_error !== 'continue'

const isRunning = ({ state }: OpenItem): boolean => state === 'started' || state === 'cancelling'

/** Whether an item needs no further attempt. */
const hasEnded = (step: PipelineStep, { state, code, attempt, dueAt }: OpenItem, now: Date): boolean => {
  switch (state) {
    case 'completed':
    case 'cancelled':
      return true
    case 'failed':
      return isApproval(step) || attempt >= (step.retry?.attempts ?? 1) || !step.retry?.on.includes(code ?? '')
    case 'refused':
      return code !== passingRefusal
    case 'started':
      return isApproval(step) && dueAt !== null && dueAt <= now
    case 'waiting':
    case 'cancelling':
      return false
  }
}

type ItemResult = { outcome: 'completed' | 'failed' | 'cancelled'; code: string | null }

const neverEnded: ItemResult = { outcome: 'cancelled', code: null }

const resultOf = ({ state, code }: OpenItem): ItemResult => {
  if (state === 'completed') return { outcome: 'completed', code: null }
  if (state === 'cancelled') return { outcome: 'cancelled', code: 'run_cancelled' }
  return { outcome: 'failed', code: state === 'started' ? 'approval_expired' : (code ?? 'failed') }
}

/** In a pipeline run that stops, what is not over is cancelled, a further attempt too. */
const stoppedResultOf = (step: PipelineStep, item: OpenItem, now: Date): ItemResult =>
  item.state !== 'cancelled' && hasEnded(step, item, now) ? resultOf(item) : neverEnded

const needsRun = ({ nextItem, open }: Progress, verdict: StepVerdict): boolean =>
  verdict.kind === 'run' && (nextItem < verdict.items || open.some((item) => !isRunning(item)))

const endOf = ({ status }: PipelineRunState, failure: PipelineFailure | null): PipelineNext => {
  if (status === 'cancelling') return { kind: 'end', status: 'cancelled' }
  return failure ? { kind: 'end', status: 'failed', ...failure } : { kind: 'end', status: 'completed' }
}
