import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { TextGuard } from '../../guardrails/index.ts'
import { advance } from '../advance.ts'
import type { PipelineExpressions } from '../pipeline-expressions.service.ts'
import type { PipelineNext } from '../pipeline-state.ts'
import { createActs, nothingActed, type PerformedActs } from './act.service.ts'
import { endPipelineRun, type PipelineRunEnd } from './end.store.ts'
import {
  claimHeads,
  dropHead,
  findPipelineRunFacts,
  giveBackHead,
  type HeldHead,
  lockPipelineHead,
  type PipelineRunFacts,
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
  /** It is tried again after its lease. */
  onPipelineRunStuck(): void
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
  log: Log
}

export type Advancer = {
  /** Advances the pipeline runs that are due. Answers how many it took. */
  advanceSome(): Promise<number>
  /** Whether no pipeline run is held. */
  isIdle(): boolean
}

/** Decisions and acts of one claim. Then the pipeline run is given back, so that a large one does not occupy a worker. */
const maxRounds = 10
/** A full queue of expressions is tried again after this time. */
const busyMs = 1_000

/**
 * Advances pipeline runs. A transaction decides and stores; what it decides is done after the commit: expressions, new runs, cancels. The next
 * transaction stores what came of that. A worker may die at any point: rows say what is left to do, and each act can be repeated.
 */
export const createAdvancer = (deps: AdvanceDeps): Advancer => {
  const act = createActs(deps)
  let underWay = 0

  const advanceHeld = async (held: HeldHead): Promise<void> => {
    const facts = await findPipelineRunFacts(deps.app, held.org, held.id)
    if (!facts) return dropHead(deps.app, held.org, held)
    const eventId = toUuid(deps.newId('evt'))
    const acts = act.open(held, facts)
    let acted = nothingActed
    let now: Date | null = null
    for (let round = 0; round < maxRounds; round++) {
      const decided = await decide(held, { facts, acted, eventId })
      deps.onChanged(held.org, held.id)
      if (decided === null) return
      if (decided.kind === 'ended') return deps.metrics.onPipelineRunEnded(decided.status)
      now = decided.now
      acted = await acts.perform(decided.plan, { needsOutput: decided.needsOutput })
      deps.onChanged(held.org, held.id)
      if (acted.isBusy) return giveBackHead(deps.app, held.org, held, new Date(now.getTime() + busyMs))
      // Runs that were accepted end later, and wake it then.
      if (decided.next.kind === 'wait' && isNothing(acted))
        return giveBackHead(deps.app, held.org, held, decided.next.until)
    }
    await giveBackHead(deps.app, held.org, held, now)
  }

  /** Null: there is nothing more to do now, or another worker has it. */
  const decide = (
    held: HeldHead,
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

  const advanceSafely = async (head: HeldHead): Promise<void> => {
    underWay++
    try {
      await advanceHeld(head)
    } catch (error) {
      // Its lease ends, and then it is tried again.
      deps.metrics.onPipelineRunStuck()
      deps.log.warn('a pipeline run could not be advanced', { pipeline_run_id: fromUuid('plr', head.id), error })
    } finally {
      underWay--
    }
  }

  return {
    isIdle: () => underWay === 0,
    advanceSome: async () => {
      const heads = await claimHeads(deps.system)
      await Promise.all(heads.map(advanceSafely))
      return heads.length
    },
  }
}

type Ended = { kind: 'ended'; status: PipelineRunEnd['status'] }
type Decided = { kind: 'decided'; plan: ProgressPlan; next: PipelineNext; needsOutput: boolean; now: Date }

const isIdle = ({ open, ask, start, cancel }: ProgressPlan): boolean =>
  open.length + ask.length + start.length + cancel.length === 0

const isNothing = ({ steps, questions, moves, output }: PerformedActs): boolean =>
  steps.length + questions.length + moves.length === 0 && output === null

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
