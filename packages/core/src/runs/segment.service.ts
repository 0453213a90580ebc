import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { StepOutcome, StepService } from '../agents/index.ts'
import type { Executing } from './executing.ts'
import type { Feed } from './feed.service.ts'
import { claimsPerStepMost, failure, type Outcome, toWire } from './run.ts'
import {
  type Claim,
  claimStep,
  findProgress,
  finishRun,
  handOver,
  type StoredStep,
  storeStep,
} from './segment.store.ts'
import type { Segment, Word } from './segment.ts'
import type { Sender } from './sender.service.ts'

export type SegmentService = {
  /** Does exactly one unit of work and stores its result. Safe to repeat: a step that is stored is not done again. */
  advance(segment: Segment, step: number, signal: AbortSignal): Promise<Word>
  /** From now on segments end after their present step, and the next worker carries on. */
  drain(): void
}

type Deps = {
  app: Database
  steps: StepService
  feed: Feed
  sender: Sender
  executing: Executing
  newId: IdMaker
  clock: Clock
  log: Log
  onStep: (figures: StepFigures) => void
}

/** For the metrics: how long a step took, how long its run had waited to start, and what became of it. */
export type StepFigures = { durationMs: number; queueMs: number | undefined; word: Word }

type At = { segment: Segment; step: number; attempt: number }

// While the database is away, a result that cost something is kept and offered again, before the step is given up.
const storeTries = 8
const storeRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

export const createSegments = (deps: Deps): SegmentService => {
  let draining = false

  const advance = async (segment: Segment, step: number, signal: AbortSignal): Promise<Word> => {
    const beganMs = deps.clock.monotonicMs()
    const claim = await claimStep(deps.app, segment.org, segment, step)
    if (!claim) return wordWithoutClaim(segment, step, signal)
    deps.feed.tell(segment.run, { seq: claim.seq })
    const at: At = { segment, step, attempt: claim.attempt }
    const word = claim.claims > claimsPerStepMost ? await giveUp(at, claim) : await takeStep(at, claim, signal)
    const firstClaim = claim.attempt === 1
    deps.onStep({
      durationMs: deps.clock.monotonicMs() - beganMs,
      queueMs: firstClaim ? claim.started_at.getTime() - claim.created_at.getTime() : undefined,
      word,
    })
    return word
  }

  /** Stored already: go on with the next. Ended or taken over: stop. */
  const wordWithoutClaim = async (segment: Segment, step: number, signal: AbortSignal): Promise<Word> => {
    const progress = signal.aborted ? null : await findProgress(deps.app, segment.org, segment)
    return progress && progress.segment === segment.segment && progress.step >= step ? 'continue' : 'stale'
  }

  const giveUp = (at: At, claim: Claim): Promise<Word> =>
    end(at, claim, null, {
      status: 'failed',
      output: null,
      error: failure(
        'internal_error',
        `Step ${at.step} was interrupted ${claimsPerStepMost} times and is not tried again`,
      ),
    })

  const takeStep = async (at: At, claim: Claim, signal: AbortSignal): Promise<Word> => {
    const execution = deps.executing.start({ runId: at.segment.run, epoch: at.segment.epoch }, signal)
    let outcome: StepOutcome
    try {
      outcome = await deps.steps.take({
        agent: { config: claim.config },
        input: claim.input,
        step: at.step,
        attempt: claim.attempt,
        runId: at.segment.run,
        signal: execution.signal,
      })
    } catch (error) {
      if (execution.signal.aborted) return 'stale'
      deps.log.error('step failed', { run_id: at.segment.run, step: at.step, error })
      outcome = { kind: 'failed', code: 'agent_error', message: 'The agent failed', tokens: { input: 0, output: 0 } }
    } finally {
      execution.end()
    }
    const stored = toStored(outcome, claim)
    if (outcome.kind === 'continue') return goOn(at, stored, signal)
    return end(at, claim, stored, toOutcome(outcome))
  }

  const goOn = async (at: At, stored: StoredStep, signal: AbortSignal): Promise<Word> => {
    const kept = await whileDatabaseAway(() => storeStep(deps.app, at.segment.org, at, stored))
    if (!kept) return wordWithoutClaim(at.segment, at.step, signal)
    deps.feed.tell(at.segment.run, { seq: kept.seq })
    if (!draining) return 'continue'
    const rest = await handOver(deps.app, at.segment.org, at)
    if (rest) deps.sender.send(rest)
    return rest ? 'moved' : 'stale'
  }

  const end = async (at: At, claim: Claim, stored: StoredStep | null, outcome: Outcome): Promise<Word> => {
    const { org, run } = at.segment
    const eventId = toUuid(deps.newId('evt'))
    const finished = await whileDatabaseAway(() => finishRun(deps.app, org, { ...at, eventId }, { stored, outcome }))
    if (!finished) return 'stale'
    deps.feed.tell(run, {
      seq: finished.seq,
      ended: true,
      run: toWire({ id: run, ...claim, ...outcome, cost_usd: null, ...finished }),
    })
    return 'done'
  }

  /** The compare-and-set makes it safe to offer a result again whose commit was not answered. */
  const whileDatabaseAway = async <Result>(store: () => Promise<Result>): Promise<Result> => {
    for (let tries = 0; ; tries++) {
      try {
        return await store()
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || tries >= storeTries) throw error
        await sleep(storeRetryMs(tries))
      }
    }
  }

  return {
    advance,
    drain: () => {
      draining = true
    },
  }
}

const toStored = (outcome: StepOutcome, claim: Claim): StoredStep => ({
  output: 'output' in outcome ? outcome.output : null,
  inputTokens: outcome.tokens.input,
  outputTokens: outcome.tokens.output,
  startedAt: claim.claimed_at,
})

const toOutcome = (outcome: Exclude<StepOutcome, { kind: 'continue' }>): Outcome =>
  outcome.kind === 'completed'
    ? { status: 'completed', output: outcome.output, error: null }
    : { status: 'failed', output: null, error: failure(outcome.code, outcome.message) }
