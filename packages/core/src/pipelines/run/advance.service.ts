import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { type ClaimedItem, type Outcome, type Turn, usualBounds, type WorkQueue } from '@ars/platform/work/queue'
import type { TextGuard } from '../../guardrails/index.ts'
import { holdRows } from '../../work-rows.service.ts'
import { advance } from '../advance.ts'
import { pipelinesBounds } from '../bounds.ts'
import type { PipelineExpressions } from '../pipeline-expressions.service.ts'
import type { PipelineNext } from '../pipeline-state.ts'
import { createActs, hasActed, hasResults, nothingActed, type PerformedActs } from './act.service.ts'
import { endPipelineRun, type PipelineRunEnd } from './end.store.ts'
import {
  type ClaimedHead,
  dropHead,
  findPipelineRunFacts,
  lockPipelineHead,
  maxSleepSeconds,
  type PipelineRunFacts,
  pipelineWork,
} from './head.store.ts'
import {
  closeItems,
  countStoredBytes,
  insertItems,
  lockOpenItems,
  moveItems,
  readSteps,
  storeHead,
  storePipelineSteps,
} from './progress.store.ts'
import { neverOpenedSteps, type ProgressPlan, planProgress } from './progress.ts'
import type { CancelPipelineItem, StartPipelineItem } from './start.service.ts'

export type PipelineMetrics = {
  onPipelineRunEnded(status: PipelineRunEnd['status']): void
}

export type AdvanceDeps = {
  /** Claims heads of all organisations. */
  system: Database
  app: Database
  expressions: Pick<PipelineExpressions, 'open' | 'render'>
  startRun: StartPipelineItem
  cancelRun: CancelPipelineItem
  texts: Pick<TextGuard, 'judge'>
  metrics: PipelineMetrics
  /** Called when others may see more of a pipeline run than before. */
  onChanged(org: string, id: string): void
  newId: IdMaker
}

/** A full queue of expressions is tried again after this time. */
const busyMs = 1_000

/** How workers share the pipeline runs of all organisations. */
export const pipelineWorkBounds = {
  ...usualBounds,
  places: pipelinesBounds.pipelineTurns.count,
  keptPlaces: pipelinesBounds.pipelineTurnsKept.count,
  perOrg: pipelinesBounds.pipelineTurnsOfOrganisation.count,
} as const

/**
 * The pipeline runs that are due. A transaction decides and stores; what it decides is done after the commit: expressions, new runs, cancels. The next
 * transaction stores what came of that. A worker may die at any point: rows say what is left to do, and each act can be repeated.
 */
export const createPipelineQueue = (deps: AdvanceDeps): WorkQueue<ClaimedItem> => {
  const act = createActs(deps)

  const advanceHeld = async (held: ClaimedHead, turn: Turn): Promise<Outcome> => {
    const facts = await findPipelineRunFacts(deps.app, held.org, held.id)
    if (!facts) {
      await dropHead(deps.app, held.org, held)
      return { kind: 'done' }
    }
    const eventId = toUuid(deps.newId('evt'))
    const acts = act.open(held, facts, turn)
    let acted = nothingActed
    let progressed = false
    while (true) {
      const decided = await decide(held, { facts, acted, eventId })
      deps.onChanged(held.org, held.id)
      if (decided === null) return { kind: 'done' }
      if (decided.kind === 'ended') {
        deps.metrics.onPipelineRunEnded(decided.status)
        return { kind: 'done' }
      }
      const { next, now } = decided
      // The decision has stored what was done before. The rest waits.
      if (acted.isBusy) return { kind: 'later', afterMs: busyMs, progressed }
      if (!turn.mayGoOn()) return { kind: 'again', progressed }
      acted = await acts.perform(decided.plan, { needsOutput: decided.needsOutput })
      progressed ||= hasActed(acted)
      // Runs that were accepted end later, and wake it then.
      if (next.kind === 'wait' && !hasResults(acted) && !acted.isBusy && turn.mayGoOn())
        return { kind: 'later', afterMs: sleepMs(next.until, now), progressed: true }
    }
  }

  /** Null: there is nothing more to do now, or another worker has it. */
  const decide = (
    held: ClaimedHead,
    { facts, acted, eventId }: { facts: PipelineRunFacts; acted: PerformedActs; eventId: string },
  ): Promise<Decided | Ended | null> =>
    deps.app.transaction(held.org, async (tx) => {
      const { org } = held
      const head = await lockPipelineHead(tx, org, held)
      if (!head) return null
      const [, , moved] = await Promise.all([
        storePipelineSteps(tx, org, held, acted.steps),
        insertItems(tx, org, held, acted.questions),
        moveItems(tx, org, held, acted.moves),
        countStoredBytes(tx, org, held, acted.bytes),
      ])
      // Later statements than the lock: they see every run that ended before it, and later ones make the head due again.
      const [steps, items] = await Promise.all([readSteps(tx, org, held.id), lockOpenItems(tx, org, held.id)])
      const counted = head.state.runs - (moved.get('refused') ?? 0)
      const waiting = items.filter(({ state }) => state === 'waiting').length
      const { definition } = facts
      const run = { ...head.state, runs: counted - waiting }
      const { decisions, next } = advance({ definition, run, steps, items, now: head.now })
      const plan = planProgress({ steps, items, decisions, failure: head.state.failure })
      const runs = counted + plan.runs

      const store = async (): Promise<void> => {
        await Promise.all([
          storePipelineSteps(tx, org, held, plan.steps),
          closeItems(tx, org, held, plan.closes),
          moveItems(tx, org, held, plan.moves),
          insertItems(tx, org, held, plan.inserts),
        ])
      }
      await store()
      const needsOutput = next.kind === 'end' && next.status === 'completed' && acted.output === null
      if (next.kind === 'end' && !needsOutput) {
        const known = [...steps.map(({ key }) => key), ...plan.steps.map(({ key }) => key)]
        await storePipelineSteps(tx, org, held, neverOpenedSteps(definition, known))
        const end = endOf(next, acted)
        const isEnded = await endPipelineRun(tx, org, held, { ...end, eventId })
        return isEnded ? { kind: 'ended', status: end.status } : null
      }
      const isLeft = next.kind === 'wait' && isIdle(plan)
      await storeHead(tx, org, held, { runs, failure: plan.failure, ...(isLeft && { dueAt: next.until }) })
      return isLeft ? null : { kind: 'decided', plan, next, needsOutput, now: head.now }
    })

  /** Its runs are cancelled first: after the end nobody looks at them. */
  const bury = async (held: ClaimedHead): Promise<void> => {
    const { org, id } = held
    const open = await deps.app.transaction(org, (tx) => lockOpenItems(tx, org, id))
    for (const { runId } of open) if (runId !== null) await deps.cancelRun(org, runId)
    const isEnded = await deps.app.transaction(org, async (tx) => {
      if (!(await lockPipelineHead(tx, org, held))) return false
      const closes = open.map(
        ({ step, item, attempt }) => ({ step, item, attempt, outcome: 'cancelled', code: null }) as const,
      )
      await closeItems(tx, org, held, closes)
      const error = { code: 'no_progress', message: noProgress, step: null }
      return endPipelineRun(tx, org, held, {
        status: 'failed',
        output: null,
        error,
        eventId: toUuid(deps.newId('evt')),
      })
    })
    if (!isEnded) return
    deps.metrics.onPipelineRunEnded('failed')
    deps.onChanged(org, id)
  }

  return {
    name: 'pipeline-runs',
    ...holdRows(pipelineWork, deps),
    work: advanceHeld,
    bury,
  }
}

const noProgress = 'The pipeline run made no progress in several attempts in a row'

const sleepMs = (until: Date | null, now: Date): number =>
  Math.max(
    0,
    Math.min(until === null ? Number.POSITIVE_INFINITY : until.getTime() - now.getTime(), maxSleepSeconds * 1_000),
  )

type Ended = { kind: 'ended'; status: PipelineRunEnd['status'] }
type Decided = { kind: 'decided'; plan: ProgressPlan; next: PipelineNext; needsOutput: boolean; now: Date }

const isIdle = ({ open, ask, start, cancel }: ProgressPlan): boolean =>
  open.length + ask.length + start.length + cancel.length === 0

const endOf = (
  next: Extract<PipelineNext, { kind: 'end' }>,
  { output }: PerformedActs,
): Pick<PipelineRunEnd, 'status' | 'output' | 'error'> => {
  if (next.status === 'cancelled') return { status: 'cancelled', output: null, error: null }
  if (next.status === 'failed')
    return {
      status: 'failed',
      output: null,
      error: { code: next.code, message: failureMessage(next), step: next.step },
    }
  if (output?.kind === 'fault')
    return { status: 'failed', output: null, error: { code: output.code, message: output.message, step: null } }
  return { status: 'completed', output: output?.json ?? null, error: null }
}

const failureMessage = ({ step, code }: { step: string | null; code: string }): string =>
  step === null ? 'The pipeline run did not end before its deadline' : `Step ${step} failed: ${code}`
