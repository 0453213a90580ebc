import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createGather } from '@ars/platform/db/gather'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { createLane } from '@ars/platform/lane'
import type { Log } from '@ars/platform/log/log'
import type { StepOutcome, StepService } from '../agents/index.ts'
import type { Executing } from './executing.ts'
import type { Feed } from './feed.service.ts'
import { claimsPerStepMost, claimsUnsuspectedMost, failure, type Outcome, toWire } from './run.ts'
import {
  type AskedStep,
  type Claim,
  claimSteps,
  type Finished,
  findProgress,
  finishRuns,
  type Held,
  handOver,
  type StoredStep,
  storeSteps,
} from './segment.store.ts'
import { gathering, type Segment, type Word } from './segment.ts'
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

type Stored = Held & { stored: StoredStep }
type Ended = Held & { eventId: string; stored: StoredStep | null; outcome: Outcome }

// A suspect that lives this long beside no other is let out: what kills its worker mostly does so at once, and long
// steps must not make each other wait for hours.
const suspectAloneMs = 2_000

// While the database is away, a result that cost something is kept and offered again, before the step is given up.
const storeTries = 8
const storeRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

export const createSegments = (deps: Deps): SegmentService => {
  let draining = false
  const suspects = createLane({ exclusiveMs: suspectAloneMs })
  const claims = createGather<AskedStep, Claim | null>({
    ...gathering,
    flush: (org, asked) => claimSteps(deps.app, org, asked),
  })
  const stores = createGather<Stored, { seq: number } | null>({
    ...gathering,
    flush: (org, results) => storeSteps(deps.app, org, results),
  })
  const ends = createGather<Ended, Finished | null>({
    ...gathering,
    flush: (org, ended) => finishRuns(deps.app, org, ended),
  })

  const advance = async (segment: Segment, step: number, signal: AbortSignal): Promise<Word> => {
    const word = await tryStep({ segment, step, alone: false }, signal)
    return word === 'suspected' ? suspects.pass(() => tryAlone(segment, step, signal)) : word
  }

  const tryAlone = async (segment: Segment, step: number, signal: AbortSignal): Promise<Word> => {
    const word = await tryStep({ segment, step, alone: true }, signal)
    return word === 'suspected' ? 'stale' : word
  }

  const tryStep = async (asked: AskedStep, signal: AbortSignal): Promise<Word | 'suspected'> => {
    const { segment, step } = asked
    const beganMs = deps.clock.monotonicMs()
    const claim = await claims(segment.org, asked)
    if (!claim) return wordWithoutClaim(segment, step, signal)
    deps.feed.tell(segment.run, { seq: claim.seq })
    const at: Held = { segment, step, attempt: claim.attempt }
    const word = claim.claims > claimsPerStepMost ? await giveUp(at, claim) : await takeStep(at, claim, signal)
    const firstClaim = claim.attempt === 1
    deps.onStep({
      durationMs: deps.clock.monotonicMs() - beganMs,
      queueMs: firstClaim ? claim.started_at.getTime() - claim.created_at.getTime() : undefined,
      word,
    })
    return word
  }

  /** Stored already: go on with the next. Interrupted too often: not beside others. Ended or taken over: stop. */
  const wordWithoutClaim = async (segment: Segment, step: number, signal: AbortSignal): Promise<Word | 'suspected'> => {
    const progress = signal.aborted ? null : await findProgress(deps.app, segment.org, segment)
    if (!progress || progress.segment !== segment.segment) return 'stale'
    if (progress.step >= step) return 'continue'
    return progress.step === step - 1 && progress.claims >= claimsUnsuspectedMost ? 'suspected' : 'stale'
  }

  const giveUp = (at: Held, claim: Claim): Promise<Word> =>
    end(at, claim, null, {
      status: 'failed',
      output: null,
      error: failure(
        'internal_error',
        `Step ${at.step} was interrupted ${claimsPerStepMost} times and is not tried again`,
      ),
    })

  const takeStep = async (at: Held, claim: Claim, signal: AbortSignal): Promise<Word> => {
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

  const goOn = async (at: Held, stored: StoredStep, signal: AbortSignal): Promise<Word> => {
    const kept = await whileDatabaseAway(() => stores(at.segment.org, { ...at, stored }))
    if (!kept) return (await wordWithoutClaim(at.segment, at.step, signal)) === 'continue' ? 'continue' : 'stale'
    deps.feed.tell(at.segment.run, { seq: kept.seq })
    if (!draining) return 'continue'
    const rest = await handOver(deps.app, at.segment.org, at)
    if (rest) deps.sender.send(rest)
    return rest ? 'moved' : 'stale'
  }

  const end = async (at: Held, claim: Claim, stored: StoredStep | null, outcome: Outcome): Promise<Word> => {
    const { org, run } = at.segment
    const eventId = toUuid(deps.newId('evt'))
    const finished = await whileDatabaseAway(() => ends(org, { ...at, eventId, stored, outcome }))
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
