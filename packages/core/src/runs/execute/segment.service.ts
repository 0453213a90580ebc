import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { createFairSemaphore } from '@ars/platform/db/fair-semaphore'
import { createSharedBatcher, type Grouped } from '@ars/platform/db/shared-batcher'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createExclusiveSection } from '@ars/platform/exclusive-section'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { textSize } from '@ars/platform/text-size'
import type { Tracer } from '@ars/platform/trace/tracer'
import type { Guards } from '../../guardrails/index.ts'
import type { SecretService } from '../../secrets/index.ts'
import type { PersonRequest, StepOutcome, StepService } from '../../steps/index.ts'
import { runsBounds } from '../bounds.ts'
import type { Dispatcher } from '../dispatch/dispatcher.service.ts'
import type { DeltaService } from '../feed/delta.service.ts'
import type { Feed } from '../feed/feed.service.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import { withCheckSpend } from '../run/check-spend.service.ts'
import type { CheckSpend } from '../run/check-spend.ts'
import { heldRecord } from '../run/guarded-run.ts'
import { failure, maxClaimsPerStep, type RunFailure, type RunOutcome, runIdOf, toWireRun } from '../run/run.ts'
import type { OnEnded } from '../run/run-end.ts'
import { batching, type Segment, type StepResult, type StepSignal } from '../run/segment.ts'
import { storeFindings } from './finding.store.ts'
import { createHistories } from './histories.service.ts'
import type { InFlight } from './in-flight.ts'
import { parkRun } from './park.store.ts'
import {
  type AskedStep,
  type Claim,
  type ClaimVerdict,
  claimSteps,
  claimStepsOfSeveral,
  confirmCancelled,
  type EndedRow,
  type FinishVerdict,
  findStepState,
  finishRuns,
  finishRunsOfSeveral,
  handOver,
  type StepResultRow,
  type StoreVerdict,
  storeSteps,
  storeStepsOfSeveral,
} from './segment.store.ts'
import { openSegmentTrace, type SegmentTrace } from './segment-trace.service.ts'
import { noOutput, openStepContext, type StepByproducts, type Streamed, Superseded } from './step-context.service.ts'
import { guardAttempts, guardFailure, openStepGuard } from './step-guard.service.ts'
import { type ClaimedStep, type StoredStep, toStored } from './step-row.ts'
import type { StepState } from './step-state.ts'
import { findUsedUp } from './used-up.service.ts'

export type SegmentService = {
  /**
   * Executes one unit of work and stores its result. Idempotent: a stored step is not executed again, and the result
   * names the last stored one.
   */
  advance(segment: Segment, step: number, signal: AbortSignal, trace?: SegmentTrace): Promise<StepResult>
  /** For the spans of an invocation. Undefined: nothing is traced. */
  openTrace(): SegmentTrace | undefined
  /** After this, segments end after their current step, and another worker continues. */
  drain(): void
  /** Of the histories that are kept between steps. */
  keptHistoryBytes(): number
}

type Deps = {
  app: Database
  steps: StepService
  guards: Guards
  secrets: SecretService
  feed: Feed
  deltas: DeltaService
  dispatcher: Dispatcher
  admission: Pick<AdmissionService, 'nudge' | 'slotFreed'>
  inFlight: InFlight
  /** Of the histories that are kept between steps. */
  historyBytesMax: number
  newId: IdMaker
  clock: Clock
  log: Log
  tracer?: Tracer | undefined
  onStep: (metrics: StepMetrics) => void
  noteEnd: OnEnded
}

/** For the metrics: the duration of a step, the time its run waited to start, and the outcome. */
export type StepMetrics = { durationMs: number; queueMs: number | undefined; word: StepSignal }

type Tried = { word: StepSignal | 'suspected'; step: number }

// A suspect that survives this long leaves the exclusive section: a step that kills its worker usually does so at
// once, and long steps must not wait for each other for hours.
const suspectAloneMs = 2_000

// While the database is unavailable, a result that cost something is kept and offered again before the step is given
// up.
const storeTries = runsBounds.storeTries.count
// A claim has cost nothing yet, and the engine would try it again. It is offered again only because its answer may be lost:
// the engine's next claim would count it as an interruption.
const claimTries = runsBounds.claimTries.count
const storeRetryMs = (tries: number): number => Math.min(100 * 2 ** tries, 2000)

/** With a policy, the words of a provider are shown only after they were judged. */
const backOffWords = 'The call failed and is tried again'

// Encoding a result blocks the event loop, and its copies take memory. Larger ones than this are therefore stored one at a
// time, the organisations in turn.
const largeChars = runsBounds.resultsEncodedTogether.chars

export const createSegments = (deps: Deps): SegmentService => {
  let draining = false
  const largeResults = createFairSemaphore(1)
  const histories = createHistories({ app: deps.app, maxBytes: deps.historyBytesMax })
  const suspects = createExclusiveSection({ exclusiveMs: suspectAloneMs })
  const claims = createSharedBatcher<AskedStep, ClaimVerdict>({
    ...batching,
    // A step that is suspected to kill its worker shares nothing.
    mayShare: ({ alone }) => !alone,
    flush: (org, asked) => claimSteps(deps.app, org, asked),
    flushTogether: async (asked) => decided(await claimStepsOfSeveral(deps.app, asked.map(itemOf)), 'not_claimed'),
  })
  const stores = createSharedBatcher<StepResultRow, StoreVerdict>({
    ...batching,
    mayShare: hasNoBudget,
    bytesOf: ({ stored }) => textSize(stored.content),
    flush: (org, results) => storeSteps(deps.app, org, results),
    flushTogether: async (results) => decided(await storeStepsOfSeveral(deps.app, results.map(itemOf)), 'lost'),
  })
  const ends = createSharedBatcher<EndedRow, FinishVerdict>({
    ...batching,
    mayShare: hasNoBudget,
    bytesOf: ({ stored, outcome }) => textSize(stored?.content) + textSize(outcome.output),
    flush: (org, ended) => finishRuns(deps.app, org, ended),
    flushTogether: async (ended) => decided(await finishRunsOfSeveral(deps.app, ended.map(itemOf)), 'not_finished'),
  })

  const advance: SegmentService['advance'] = async (segment, step, signal, trace) => {
    const tried = await tryStep({ segment, step, claimId: newClaimId(), alone: false }, signal, trace)
    if (tried.word !== 'suspected') return { ...tried, word: tried.word }
    return suspects.pass(async () => {
      const alone = await tryStep({ segment, step, claimId: newClaimId(), alone: true }, signal, trace)
      return { ...alone, word: unsuspected(alone.word) }
    })
  }

  const newClaimId = (): string => toUuid(deps.newId('claim'))

  const tryStep = async (asked: AskedStep, signal: AbortSignal, trace: SegmentTrace | undefined): Promise<Tried> => {
    const { segment, step, claimId } = asked
    const beganMs = deps.clock.monotonicMs()
    const verdict = await retryWhileUnavailable(() => claims(segment.org, asked), { maxTries: claimTries, signal })
    if (verdict.kind === 'not_claimed') return resultWithoutClaim(segment, step, signal)
    const { claim } = verdict
    deps.feed.tell(segment.org, segment.run, { seq: claim.seq })
    const at: ClaimedStep = { segment, step, attempt: claim.attempt, claimId, budgetIds: claim.budget_ids ?? undefined }
    trace?.enter(segment, claim)
    const hopeless = unrecoverableFailure(at, claim)
    const word = hopeless ? await giveUp(at, claim, hopeless, signal) : await takeStep(at, claim, signal, trace)
    if (word !== 'continue') histories.forget(segment.run)
    const firstClaim = claim.attempt === 1
    deps.onStep({
      durationMs: deps.clock.monotonicMs() - beganMs,
      queueMs: firstClaim ? claim.started_at.getTime() - claim.created_at.getTime() : undefined,
      word,
    })
    return { word, step }
  }

  const resultWithoutClaim = async (segment: Segment, step: number, signal: AbortSignal): Promise<Tried> => {
    if (signal.aborted) return { word: 'stale', step }
    const state = await findStepState(deps.app, segment.org, { segment, step })
    return { word: await signalOfState(segment, state), step: state.kind === 'stored' ? state.step : step }
  }

  /**
   * A stored step: continue with the next. A step that was interrupted too often: not beside others. A step that another
   * attempt of this invocation holds: the error makes the engine try again. The engine has ended that attempt; if it has
   * ended this one instead, the error has no effect.
   */
  const signalOfState = async (segment: Segment, state: StepState): Promise<StepSignal | 'suspected'> => {
    switch (state.kind) {
      case 'cancelling':
        return stopCancelled(segment)
      case 'superseded':
        return 'stale'
      case 'parked':
        return 'wait'
      case 'stored':
        return 'continue'
      case 'open':
        if (state.isSuspected) return 'suspected'
        throw claimedElsewhere()
    }
  }

  /** Nothing of the run is in flight here any more, so it need not wait for its grace period. */
  const stopCancelled = async (segment: Segment): Promise<StepSignal> => {
    const { org, run, epoch } = segment
    const ended = await confirmCancelled(deps.app, org, { run, epoch, eventId: toUuid(deps.newId('evt')) })
    if (!ended) return 'stale'
    deps.feed.tell(org, run, { seq: ended.seq, ended: true })
    deps.noteEnd(ended.ended)
    deps.admission.nudge()
    return 'done'
  }

  const giveUp = (at: ClaimedStep, claim: Claim, error: RunFailure, signal: AbortSignal): Promise<StepSignal> =>
    end(at, claim, { stored: null, streamed: noOutput, outcome: { status: 'failed', output: null, error } }, signal)

  const takeStep = async (
    at: ClaimedStep,
    claim: Claim,
    signal: AbortSignal,
    trace: SegmentTrace | undefined,
  ): Promise<StepSignal> => {
    const { org, run, epoch } = at.segment
    const execution = deps.inFlight.start({ runId: run, epoch }, signal)
    const context = openStepContext({ ...deps, histories }, { ...at, claimedAt: claim.claimed_at }, () =>
      execution.stop(),
    )
    let outcome: StepOutcome
    let traces: StepByproducts
    let judged = at
    try {
      const guarded = await openStepGuard(deps, at, claim, execution.signal)
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
        findUsedUp: at.budgetIds && (() => findUsedUp(deps.app, org, at.budgetIds ?? [])),
        messages: claim.messages,
        guard: guarded?.guard ?? null,
        signal: execution.signal,
        context: guarded
          ? { ...context, backOff: (info) => context.backOff({ ...info, message: backOffWords }) }
          : context,
        trace: trace?.context(),
      })
      traces = await context.close()
      if (guarded) {
        outcome = await guardFailure(guarded.guard, outcome)
        traces = { ...traces, attempts: await guardAttempts(guarded.guard, traces.attempts) }
        if (guarded.findings.length > 0) await tellFindings(at, guarded.findings)
        const checkSpend = guarded.spend()
        if (checkSpend && !outcome.record) judged = { ...at, checkSpend }
        else if (checkSpend) outcome = withSpend(outcome, checkSpend)
      }
    } catch (error) {
      traces = await context.close().catch(() => ({ streamed: noOutput, attempts: [] }))
      if (execution.signal.aborted || error instanceof Superseded) return signalAfterStop(at, signal)
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
    if (execution.signal.aborted) return signalAfterStop(at, signal)
    if (outcome.kind === 'failed') trace?.failed(outcome.code)
    const result = { ...outcome, ...traces }
    if (sizeOf(result) <= largeChars) return settle(judged, claim, result, signal)
    if (!largeResults.tryAcquire()) await largeResults.acquire(org)
    try {
      // Others have their turn after the end of the one before, and again before the batch is encoded.
      await nextTurn()
      return await settle(judged, claim, result, signal)
    } finally {
      largeResults.release()
    }
  }

  const tellFindings = async (at: ClaimedStep, findings: Parameters<typeof storeFindings>[3]): Promise<void> => {
    const { org, run } = at.segment
    const stored = await retryWhileUnavailable(() => storeFindings(deps.app, org, at, findings))
    if (stored) deps.feed.tell(org, run, stored)
  }

  /**
   * The step was stopped: the run was cancelled, has ended, or was taken over. If none of that is true, a write of the
   * step failed: the error makes the engine try again at once, and nobody else would. If another attempt of this
   * invocation took the step, the engine has ended it, and this one goes on.
   */
  const signalAfterStop = async (at: ClaimedStep, signal: AbortSignal): Promise<StepSignal> => {
    const state = await findStepState(deps.app, at.segment.org, at)
    if (state.kind === 'cancelling') return stopCancelled(at.segment)
    if (signal.aborted) return 'stale'
    if (isClaimedBy(at, state)) {
      throw new Error('The step stopped, although this worker holds it')
    }
    return unsuspected(await signalOfState(at.segment, state))
  }

  const settle = (at: ClaimedStep, claim: Claim, outcome: StepOutcome & StepByproducts, signal: AbortSignal) => {
    const { streamed, attempts, record } = outcome
    const startedAt = claim.claimed_at
    if (outcome.kind === 'continue')
      return goOn(at, toStored(outcome.record, { startedAt, attempts }), streamed, signal)
    if (outcome.kind === 'wait') {
      return park(at, record && toStored(record, { startedAt, attempts }), outcome, signal)
    }
    const ended = toOutcome(outcome)
    const stored = record && toStored(record, { startedAt, attempts, failed: ended.status === 'failed' })
    return end(at, claim, { stored, streamed, outcome: ended }, signal)
  }

  const goOn = async (
    at: ClaimedStep,
    stored: StoredStep,
    { hasStored: reset }: Streamed,
    signal: AbortSignal,
  ): Promise<StepSignal> => {
    const kept = await retryWhileUnavailable(() => stores(at.segment.org, { ...at, stored, reset }))
    if (kept.kind === 'lost') return notOurs(at, signal)
    deps.feed.tell(at.segment.org, at.segment.run, { seq: kept.seq })
    if (!draining) return 'continue'
    const rest = await handOver(deps.app, at.segment.org, at)
    if (rest) deps.dispatcher.send(rest)
    return rest ? 'moved' : 'stale'
  }

  const notOurs = async (at: ClaimedStep, signal: AbortSignal): Promise<StepSignal> => {
    const { word } = await resultWithoutClaim(at.segment, at.step, signal)
    return unsuspected(word)
  }

  const park = async (
    at: ClaimedStep,
    stored: StoredStep | null,
    { asks, streamed }: { asks: readonly PersonRequest[]; streamed: Streamed },
    signal: AbortSignal,
  ): Promise<StepSignal> => {
    const { org, run } = at.segment
    const sealed = await Promise.all(
      asks.map(async ({ held, ...ask }) => {
        const id = toUuid(deps.newId('act'))
        const text = held === undefined ? null : JSON.stringify(held)
        return { ...ask, id, sealed: text === null ? null : await deps.secrets.seal(org, text, heldRecord(run, id)) }
      }),
    )
    const parked = await retryWhileUnavailable(() =>
      parkRun(deps.app, org, {
        ...at,
        stored,
        reset: streamed.hasStored && stored !== null,
        asks: sealed,
        eventId: toUuid(deps.newId('evt')),
      }),
    )
    if (parked.kind === 'lost') return notOurs(at, signal)
    deps.feed.tell(org, run, { seq: parked.seq, parked: true })
    deps.admission.slotFreed()
    return 'wait'
  }

  const end = async (
    at: ClaimedStep,
    claim: Claim,
    { stored, streamed, outcome }: { stored: StoredStep | null; streamed: Streamed; outcome: RunOutcome },
    signal: AbortSignal,
  ): Promise<StepSignal> => {
    const { org, run } = at.segment
    const eventId = toUuid(deps.newId('evt'))
    const verdict = await retryWhileUnavailable(() =>
      ends(org, { ...at, eventId, stored, rest: streamed.rest, outcome }),
    )
    if (verdict.kind === 'not_finished') return stored ? readOn(at, stored, streamed, signal) : notOurs(at, signal)
    const finished = verdict.run
    deps.feed.tell(org, run, {
      seq: finished.seq,
      ended: true,
      run: toWireRun({ id: run, ...claim, ...outcome, ...finished, erased_at: null, actions: [] }),
    })
    deps.noteEnd({
      run,
      org,
      agent: claim.agent_id,
      version: claim.agent_version,
      status: outcome.status,
      code: outcome.error?.code ?? null,
      steps: stored ? at.step : at.step - 1,
      inputTokens: finished.input_tokens,
      outputTokens: finished.output_tokens,
      durationMs: Math.max(0, finished.finished_at.getTime() - claim.created_at.getTime()),
    })
    deps.admission.slotFreed()
    return 'done'
  }

  /** The run could not end. If a message arrived, the step is stored and the run continues in order to read it. */
  const readOn = async (
    at: ClaimedStep,
    stored: StoredStep,
    streamed: Streamed,
    signal: AbortSignal,
  ): Promise<StepSignal> => {
    const state = await findStepState(deps.app, at.segment.org, at)
    if (isClaimedBy(at, state) && state.messages > stored.messagesRead) return goOn(at, stored, streamed, signal)
    return notOurs(at, signal)
  }

  /** Compare-and-set: a result whose commit was not acknowledged can be offered again. */
  const retryWhileUnavailable = async <Result>(
    store: () => Promise<Result>,
    { maxTries = storeTries, signal }: { maxTries?: number; signal?: AbortSignal } = {},
  ): Promise<Result> => {
    for (let tries = 0; ; tries++) {
      try {
        return await store()
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || tries >= maxTries || signal?.aborted) throw error
        await sleep(storeRetryMs(tries))
      }
    }
  }

  return {
    advance,
    openTrace: () => deps.tracer && openSegmentTrace(deps.tracer, deps.clock.monotonicMs),
    drain: () => {
      draining = true
    },
    keptHistoryBytes: histories.keptBytes,
  }
}

/** The step is not stored, and no other attempt claimed it since. */
const isClaimedBy = (at: ClaimedStep, state: StepState): state is Extract<StepState, { kind: 'open' }> =>
  state.kind === 'open' && state.attempt === at.attempt && state.claimId === at.claimId

const itemOf = <Item>({ item }: Grouped<Item>): Item => item

/**
 * Together with rows of other organisations only what was done is certain. The others are asked again with their organisation,
 * because another transaction may have held their runs.
 */
const decided = <Verdict extends { kind: string }>(
  verdicts: readonly Verdict[],
  undecided: Verdict['kind'],
): (Verdict | undefined)[] => verdicts.map((verdict) => (verdict.kind === undecided ? undefined : verdict))

/** Costs are counted with the statement of the organisation. */
const hasNoBudget = ({ budgetIds }: ClaimedStep): boolean => budgetIds === undefined

const claimedElsewhere = (): Error => new Error('Another attempt of this invocation holds the step')

const unsuspected = (word: StepSignal | 'suspected'): StepSignal => {
  if (word === 'suspected') throw claimedElsewhere()
  return word
}

/** Why a claimed step is not executed. */
const unrecoverableFailure = (at: ClaimedStep, { claims, stored_bytes }: Claim): RunFailure | null => {
  if (claims > maxClaimsPerStep) {
    const message = `Step ${at.step} was interrupted ${maxClaimsPerStep} times and is not tried again`
    return failure('internal_error', message)
  }
  if (stored_bytes <= limits.runStoredBytes) return null
  return failure('storage_exceeded', `The input and the steps of the run exceed ${limits.runStoredBytes} bytes`)
}

const withSpend = (outcome: StepOutcome, spend: CheckSpend): StepOutcome =>
  outcome.record ? ({ ...outcome, record: withCheckSpend(outcome.record, spend) } as StepOutcome) : outcome

const sizeOf = (outcome: StepOutcome & StepByproducts): number =>
  textSize(outcome.record?.content) +
  textSize('output' in outcome ? outcome.output : null) +
  outcome.streamed.rest.length

const toOutcome = (outcome: Extract<StepOutcome, { kind: 'completed' | 'failed' }>): RunOutcome => {
  if (outcome.kind === 'failed') {
    const { code, message, retryable, details, output } = outcome
    return { status: 'failed', output, error: failure(code, message, { retryable, details }) }
  }
  // Counted on the stored form, whatever the input form was.
  if (Buffer.byteLength(JSON.stringify(outcome.output)) > limits.outputBytes) {
    const error = failure('output_too_large', `The output is larger than ${limits.outputBytes} bytes`)
    return { status: 'failed', output: null, error }
  }
  return { status: 'completed', output: outcome.output, error: null }
}
