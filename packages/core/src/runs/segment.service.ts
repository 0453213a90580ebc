import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createGather } from '@ars/platform/db/gather'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { createLane } from '@ars/platform/lane'
import type { Log } from '@ars/platform/log/log'
import type { Ask, StepOutcome, StepRecord, StepService } from '../agents/index.ts'
import type { AdmissionService } from './admission.service.ts'
import type { DeltaService } from './delta.service.ts'
import type { Executing } from './executing.ts'
import type { Feed } from './feed.service.ts'
import { parkRun } from './park.store.ts'
import { claimsPerStepMost, claimsUnsuspectedMost, failure, type Outcome, runIdOf, toWire } from './run.ts'
import {
  type AskedStep,
  type Claim,
  claimSteps,
  confirmCancelled,
  type Finished,
  findProgress,
  finishRuns,
  handOver,
  storeSteps,
} from './segment.store.ts'
import { gathering, type Segment, type Word } from './segment.ts'
import type { Sender } from './sender.service.ts'
import { openStepBook, type Streamed, Superseded } from './step-book.service.ts'
import type { Held, StoredStep } from './step-row.ts'

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
  deltas: DeltaService
  sender: Sender
  admission: AdmissionService
  executing: Executing
  newId: IdMaker
  clock: Clock
  log: Log
  onStep: (figures: StepFigures) => void
}

/** For the metrics: how long a step took, how long its run had waited to start, and what became of it. */
export type StepFigures = { durationMs: number; queueMs: number | undefined; word: Word }

type Stored = Held & { stored: StoredStep; reset: boolean }
type Ended = Held & { eventId: string; stored: StoredStep | null; rest: string; outcome: Outcome }

const nothingSaid: Streamed = { rest: '', hasStored: false }

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
    if (progress?.status === 'cancelling') return stopCancelled(segment)
    if (!progress || progress.segment !== segment.segment) return 'stale'
    if (progress.status === 'requires_action') return 'wait'
    if (progress.step >= step) return 'continue'
    return progress.step === step - 1 && progress.claims >= claimsUnsuspectedMost ? 'suspected' : 'stale'
  }

  /** Nothing of the run is under way here any more, so it need not wait for its grace to pass. */
  const stopCancelled = async (segment: Segment): Promise<Word> => {
    const { org, run, epoch } = segment
    const ended = await confirmCancelled(deps.app, org, { run, epoch, eventId: toUuid(deps.newId('evt')) })
    if (!ended) return 'stale'
    deps.feed.tell(run, { seq: ended.seq, ended: true })
    deps.admission.nudge()
    return 'done'
  }

  const giveUp = (at: Held, claim: Claim): Promise<Word> =>
    end(at, claim, {
      stored: null,
      streamed: nothingSaid,
      outcome: {
        status: 'failed',
        output: null,
        error: failure(
          'internal_error',
          `Step ${at.step} was interrupted ${claimsPerStepMost} times and is not tried again`,
        ),
      },
    })

  const takeStep = async (at: Held, claim: Claim, signal: AbortSignal): Promise<Word> => {
    const { org, run, epoch } = at.segment
    const execution = deps.executing.start({ runId: run, epoch }, signal)
    const book = openStepBook(deps, at, () => execution.stop())
    let outcome: StepOutcome
    let streamed: Streamed
    try {
      outcome = await deps.steps.take({
        org,
        runId: runIdOf(run),
        step: at.step,
        attempt: claim.attempt,
        claims: claim.claims,
        agent: {
          id: claim.agent_id,
          version: claim.agent_version,
          kind: claim.kind,
          config: claim.config,
          outputSchema: claim.output_schema,
          limits: claim.limits,
        },
        input: claim.input,
        spentUsd: claim.cost_usd,
        messages: claim.messages,
        signal: execution.signal,
        book,
      })
      streamed = await book.close()
    } catch (error) {
      streamed = await book.close().catch(() => nothingSaid)
      if (execution.signal.aborted || error instanceof Superseded) return wordAfterStop(at.segment)
      if (error instanceof DatabaseUnavailable) throw error
      deps.log.error('step failed', { run_id: run, step: at.step, error })
      outcome = {
        kind: 'failed',
        record: null,
        code: 'agent_error',
        message: 'The agent failed',
        retryable: false,
        details: null,
        output: null,
      }
    } finally {
      execution.end()
    }
    if (execution.signal.aborted) return wordAfterStop(at.segment)
    return settle(at, claim, { ...outcome, streamed }, signal)
  }

  /** The step was stopped: the run was cancelled, has ended, or somebody else has it. */
  const wordAfterStop = async (segment: Segment): Promise<Word> => {
    const progress = await findProgress(deps.app, segment.org, segment)
    return progress?.status === 'cancelling' ? stopCancelled(segment) : 'stale'
  }

  const settle = (at: Held, claim: Claim, outcome: StepOutcome & { streamed: Streamed }, signal: AbortSignal) => {
    const stored = outcome.record && toStored(outcome.record, claim)
    const { streamed } = outcome
    if (outcome.kind === 'continue') return goOn(at, toStored(outcome.record, claim), streamed, signal)
    if (outcome.kind === 'wait') return park(at, stored, outcome, signal)
    return end(at, claim, { stored, streamed, outcome: toOutcome(outcome) }, signal)
  }

  const goOn = async (
    at: Held,
    stored: StoredStep,
    { hasStored: reset }: Streamed,
    signal: AbortSignal,
  ): Promise<Word> => {
    const kept = await whileDatabaseAway(() => stores(at.segment.org, { ...at, stored, reset }))
    if (!kept) return notOurs(at, signal)
    deps.feed.tell(at.segment.run, { seq: kept.seq })
    if (!draining) return 'continue'
    const rest = await handOver(deps.app, at.segment.org, at)
    if (rest) deps.sender.send(rest)
    return rest ? 'moved' : 'stale'
  }

  const notOurs = async (at: Held, signal: AbortSignal): Promise<Word> => {
    const word = await wordWithoutClaim(at.segment, at.step, signal)
    return word === 'suspected' ? 'stale' : word
  }

  const park = async (
    at: Held,
    stored: StoredStep | null,
    { asks, streamed }: { asks: readonly Ask[]; streamed: Streamed },
    signal: AbortSignal,
  ): Promise<Word> => {
    const { org, run } = at.segment
    const parked = await whileDatabaseAway(() =>
      parkRun(deps.app, org, {
        ...at,
        stored,
        reset: streamed.hasStored && stored !== null,
        asks: asks.map((ask) => ({ ...ask, id: toUuid(deps.newId('act')) })),
        eventId: toUuid(deps.newId('evt')),
      }),
    )
    if (!parked) return notOurs(at, signal)
    deps.feed.tell(run, { seq: parked.seq, parked: true })
    if (parked.queued) deps.admission.nudge()
    return 'wait'
  }

  const end = async (
    at: Held,
    claim: Claim,
    { stored, streamed, outcome }: { stored: StoredStep | null; streamed: Streamed; outcome: Outcome },
    signal?: AbortSignal,
  ): Promise<Word> => {
    const { org, run } = at.segment
    const eventId = toUuid(deps.newId('evt'))
    const finished = await whileDatabaseAway(() => ends(org, { ...at, eventId, stored, rest: streamed.rest, outcome }))
    if (!finished) return signal && stored ? readOn(at, stored, streamed, signal) : 'stale'
    deps.feed.tell(run, {
      seq: finished.seq,
      ended: true,
      run: toWire({ id: run, ...claim, ...outcome, ...finished, actions: [] }),
    })
    if (finished.queued) deps.admission.nudge()
    else deps.admission.slotFreed()
    return 'done'
  }

  /** The run could not end. When a message came meanwhile, the step is stored and the run goes on to read it. */
  const readOn = async (at: Held, stored: StoredStep, streamed: Streamed, signal: AbortSignal): Promise<Word> => {
    const progress = await findProgress(deps.app, at.segment.org, at.segment)
    const isOurs = progress?.status === 'running' && progress.attempt === at.attempt && progress.step === at.step - 1
    if (isOurs && progress.messages > stored.messagesRead) return goOn(at, stored, streamed, signal)
    return notOurs(at, signal)
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

const toStored = (record: StepRecord, claim: Claim): StoredStep => ({ ...record, startedAt: claim.claimed_at })

const toOutcome = (outcome: Extract<StepOutcome, { kind: 'completed' | 'failed' }>): Outcome => {
  if (outcome.kind === 'failed') {
    const { code, message, retryable, details, output } = outcome
    return { status: 'failed', output, error: { ...failure(code, message, { retryable }), details } }
  }
  // Counted on what is stored, whatever the way it came.
  if (Buffer.byteLength(JSON.stringify(outcome.output)) > limits.outputBytes) {
    const error = failure('output_too_large', `The output is larger than ${limits.outputBytes} bytes`)
    return { status: 'failed', output: null, error }
  }
  return { status: 'completed', output: outcome.output, error: null }
}
