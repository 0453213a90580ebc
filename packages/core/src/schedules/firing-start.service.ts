import type { PauseReason, Schedule } from '@ars/contract'
import type { Database, Tx } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { ClaimedItem, Outcome, WorkQueue } from '@ars/platform/work/queue'
import { recordAudit } from '../audit/index.ts'
import type { Caller, Creator } from '../ctx.ts'
import { holdRows } from '../work-rows.service.ts'
import {
  type ClaimedFiring,
  endFirings,
  type FiringToStart,
  firingWork,
  leaveQueue,
  postponeFiring,
  readFiring,
  type StartedFiring,
  settleFiring,
  settleFiringIn,
  settleStarted,
} from './due-firing.store.ts'
import { skipWaiting } from './firing.store.ts'
import { concernsOrganisation, decideFiring, decideRefusal, firingLimits, queueLookAfter } from './firing.ts'
import { pauseScheduleOf } from './schedule.store.ts'
import { firingKeyOf, type ScheduleTarget, scheduleAuditFacts, targetOf, toWireSchedule } from './schedule.ts'

/**
 * Starts a run of an agent or of a pipeline as the caller, at most once for each key. `id`: the UUID of the run or pipeline run. It throws only if
 * the outcome is unknown; then the same key is asked again.
 */
export type StartTarget = (
  caller: Caller,
  asked: {
    scheduleId: string
    target: ScheduleTarget
    input: Record<string, unknown>
    metadata: Record<string, string>
    key: string
  },
) => Promise<StartAnswer>

export type StartAnswer =
  | { kind: 'started'; id: string }
  | { kind: 'refused'; code: string; retryAfterSeconds?: number | undefined }

/** The key or member with its rights of this moment. Null: it was revoked or has expired, or the person has left. */
export type CallerOf = (org: string, creator: Creator) => Promise<Caller | null>

/**
 * What became of runs (`agent`) and pipeline runs (`pipeline`), by their UUID. One that is missing in the answer is not kept any more, so it has ended.
 */
export type TargetStates = (
  org: string,
  started: readonly ScheduleTarget[],
) => Promise<ReadonlyMap<string, { isActive: boolean; costUsd: number | null }>>

export type FiringDeps = {
  /** Takes firings of all organisations. */
  system: Database
  /** Everything else, under row-level security. */
  app: Database
  start: StartTarget
  callerOf: CallerOf
  statesOf: TargetStates
  /** The service has paused a schedule. Runs in the transaction that does. */
  onPaused(tx: Tx, org: string, schedule: Schedule): Promise<void>
  /** A firing was started, skipped or given up. */
  onFired?: ((outcome: FiringOutcome) => void) | undefined
  newId: IdMaker
  log: Log
}

export type FiringOutcome = 'started' | 'skipped' | 'failed'

const done: Outcome = { kind: 'done' }

/**
 * Starts a firing, or settles why not. Whatever dies, the firing is taken again after its lease, and the target starts once because of its key.
 */
const startFiring = async (deps: FiringDeps, held: ClaimedFiring): Promise<Outcome> => {
  const { app } = deps
  const { org } = held
  const firing = await readFiring(app, org, held)
  if (!firing) return done
  const hopeless = codeOfHopeless(firing)
  if (hopeless) {
    await settleFiring(app, org, held, { status: 'failed', code: hopeless })
    deps.onFired?.('failed')
    return done
  }
  const open = await noticeEnds(deps, org, firing.open)
  const decision = decideFiring({
    overlap: firing.overlap,
    earlierDue: firing.earlier_due,
    earlierQueued: firing.earlier_queued,
    active: open.active,
    monthlyBudgetUsd: firing.monthly_budget_usd,
    spentUsd: firing.spent_usd + open.costUsd,
  })
  switch (decision.kind) {
    case 'skip':
      await settleFiring(app, org, held, { status: 'skipped', code: decision.code })
      deps.onFired?.('skipped')
      return done
    case 'queue': {
      const waitedSeconds = (firing.now.getTime() - firing.date.getTime()) / 1_000
      const isFirst = firing.earlier_queued === 0
      const afterSeconds = isFirst ? queueLookAfter(waitedSeconds) : firingLimits.queueLookBehindSeconds
      await postponeFiring(app, org, held, { status: 'queued', code: null, afterSeconds })
      return done
    }
    case 'start':
      if (firing.status === 'queued' && !(await leaveQueue(app, org, held))) return done
      return startTarget(deps, held, firing)
  }
}

/** Firings that are due. An organisation that was refused rests, because its other firings would be refused too. */
export const createFiringQueue = (deps: FiringDeps): WorkQueue<ClaimedItem> => ({
  name: 'schedule-firings',
  ...holdRows(firingWork, deps),
  work: (held) => startFiring(deps, held),
  bury: async (held) => {
    await settleFiring(deps.app, held.org, held, { status: 'failed', code: 'internal_error' })
    deps.onFired?.('failed')
  },
})

/** Stores which runs have ended. Answers how many have not, and the cost of those that have. */
export const noticeEnds = async (
  { app, statesOf }: Pick<FiringDeps, 'app' | 'statesOf'>,
  org: string,
  started: readonly StartedFiring[],
): Promise<{ active: number; activeIds: string[]; costUsd: number }> => {
  if (started.length === 0) return { active: 0, activeIds: [], costUsd: 0 }
  const states = await statesOf(
    org,
    started.map(({ target }) => target),
  )
  const activeIds = started.flatMap(({ id, target }) => (states.get(target.id)?.isActive ? [id] : []))
  const isActive = new Set(activeIds)
  const ended = started.flatMap(({ id, target }) =>
    isActive.has(id) ? [] : [{ id, costUsd: states.get(target.id)?.costUsd ?? 0 }],
  )
  if (ended.length > 0) await endFirings(app, org, ended)
  return { active: activeIds.length, activeIds, costUsd: ended.reduce((sum, { costUsd }) => sum + costUsd, 0) }
}

const startTarget = async (deps: FiringDeps, held: ClaimedFiring, firing: FiringToStart): Promise<Outcome> => {
  const { app, start, callerOf } = deps
  const { org } = held
  const caller = await callerOf(org, creatorOf(firing))
  if (!caller) return pause(deps, held, firing, { code: 'unauthorized', reason: 'creator_gone' })
  if (!caller.scopes.has('runs:write')) return pause(deps, held, firing, { code: 'forbidden', reason: 'forbidden' })
  const target = targetOf(firing)
  const { input, metadata, schedule_id: scheduleId, kind, date } = firing
  const answer = await start(caller, {
    target,
    input,
    metadata,
    key: firingKeyOf({ scheduleId, kind, date }),
    scheduleId,
  })
  if (answer.kind === 'started') {
    await settleStarted(app, org, held, { kind: target.kind, id: answer.id })
    deps.onFired?.('started')
    return done
  }
  const { code } = answer
  const now = firing.now
  // A firing that has just left the queue has its whole time.
  const startBy = firing.start_by ?? new Date(now.getTime() + 1_000 * firingLimits.startWithinSeconds)
  const refusal = decideRefusal(answer, { now, startBy })
  switch (refusal.kind) {
    case 'pause':
      return pause(deps, held, firing, { code, reason: refusal.reason })
    case 'fail':
      await settleFiring(app, org, held, { status: 'failed', code })
      deps.onFired?.('failed')
      return done
    case 'again':
      await postponeFiring(app, org, held, { status: 'due', code, afterSeconds: refusal.afterSeconds })
      return concernsOrganisation(code)
        ? { kind: 'done', restMs: 1_000 * Math.min(refusal.afterSeconds, firingLimits.restMaxSeconds) }
        : done
  }
}

/** Pauses the schedule, because every further date would be refused too. */
const pause = async (
  { app, newId, onPaused, onFired, log }: FiringDeps,
  held: ClaimedFiring,
  firing: FiringToStart,
  { code, reason }: { code: string; reason: PauseReason },
): Promise<Outcome> => {
  const { org } = held
  const { schedule_id: id } = firing
  const isPaused = await app.transaction(org, async (tx) => {
    const lost = { id, code: reason, creator: creatorOf(firing), target: targetOf(firing) }
    const row = await pauseScheduleOf(tx, org, lost)
    await settleFiringIn(tx, org, held, { status: 'failed', code })
    // Somebody has paused it, or given it another creator or target.
    if (!row) return false
    await skipWaiting(tx, org, { scheduleId: id, code: 'schedule_paused', except: held.id })
    await onPaused(tx, org, toWireSchedule(row, { now: firing.now }))
    await recordAudit(tx, org, {
      id: toUuid(newId('aud')),
      actor: { type: 'service', id: null },
      action: 'schedule.paused',
      subject: fromUuid('sch', id),
      address: null,
      requestId: null,
      before: { status: 'active' },
      after: scheduleAuditFacts(row),
    })
    return true
  })
  onFired?.('failed')
  if (isPaused) log.info('schedule paused', { schedule_id: fromUuid('sch', id), org_id: org, reason })
  return done
}

const creatorOf = ({ created_by, created_by_type }: FiringToStart): Creator => ({
  type: created_by_type,
  id: created_by,
})

/** Why it is not tried again; null: it is. */
const codeOfHopeless = ({ claim, start_by, now }: FiringToStart): 'outcome_unknown' | null => {
  if (start_by === null || claim === 1) return null
  const lateMs = now.getTime() - start_by.getTime()
  // The key of its first attempt may be forgotten by now: another attempt could start a second run.
  return lateMs > firingLimits.repeatHours * 3_600_000 ? 'outcome_unknown' : null
}
