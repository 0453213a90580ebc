import type { PauseReason } from '@ars/contract'
import { isPassingRefusal } from '../passing-refusal.ts'
import { schedulesBounds } from './bounds.ts'
import { decideOverlap } from './due.ts'

export const firingLimits = {
  /** A worker that dies keeps a schedule or a firing for this time. Starting a run takes less. */
  leaseSeconds: schedulesBounds.firingLease.seconds,
  /** Schedules whose dates are noted in one look. */
  schedulesPerLook: schedulesBounds.schedulesOfLook.count,
  /** Started firings that are asked about in one look. */
  endsPerLook: schedulesBounds.endsOfLook.count,
  /** The oldest due rows, among which a look chooses fairly. */
  maxScanned: schedulesBounds.dueRowsCompared.count,
  /** After this time a refusal that would pass is final. */
  startWithinSeconds: schedulesBounds.startWithin.seconds,
  retryDefaultSeconds: 5,
  retryMaxSeconds: schedulesBounds.retryPause.seconds,
  /** Below the time for which a key is remembered: a later attempt could start a second run. */
  repeatHours: schedulesBounds.repeat.hours,
  /** How soon the first queued firing looks for the end of the one before it. The others are woken in their turn. */
  queueLookSeconds: schedulesBounds.queueLook.seconds,
  queueLookLateSeconds: schedulesBounds.queueLookLate.seconds,
  queueLookBehindSeconds: schedulesBounds.queueLookBehind.seconds,
  /** An organisation that was refused starts nothing for so long. */
  restMaxSeconds: schedulesBounds.rest.seconds,
  /** How soon a started firing is asked about for the first time, and how late at most. */
  endLookMinSeconds: 10,
  endLookMaxSeconds: schedulesBounds.endLook.seconds,
  /** Open firings of one schedule that are read. */
  maxOpen: schedulesBounds.openFiringsRead.count,
} as const

/** A firing that has waited long looks less often: the run before it is long. */
export const queueLookAfter = (waitedSeconds: number): number => {
  const { queueLookSeconds, queueLookLateSeconds } = firingLimits
  return Math.min(queueLookLateSeconds, Math.max(queueLookSeconds, Math.round(waitedSeconds / 20)))
}

export type FiringFacts = {
  overlap: 'skip' | 'queue' | 'allow'
  /** Earlier firings that have not started, and firings whose run has not ended. */
  earlierDue: number
  earlierQueued: number
  active: number
  monthlyBudgetUsd: number | null
  spentUsd: number
}

export type FiringDecision =
  | { kind: 'start' }
  | { kind: 'queue' }
  | { kind: 'skip'; code: 'overlap' | 'budget_exhausted' }

/** What a firing does that is due. An earlier one that is about to start counts as active. */
export const decideFiring = (facts: FiringFacts): FiringDecision => {
  const { overlap, earlierDue, earlierQueued, monthlyBudgetUsd, spentUsd } = facts
  const active = facts.active + earlierDue
  const decision = decideOverlap(overlap, { active, queued: earlierQueued })
  if (decision === 'queue') return { kind: 'queue' }
  if (decision === 'skip') return { kind: 'skip', code: 'overlap' }
  if (monthlyBudgetUsd !== null && spentUsd >= monthlyBudgetUsd) return { kind: 'skip', code: 'budget_exhausted' }
  return { kind: 'start' }
}

export type RefusalDecision =
  | { kind: 'again'; afterSeconds: number }
  | { kind: 'fail' }
  /** The creator may not start the target any more. */
  | { kind: 'pause'; reason: PauseReason }

/** What follows when a target was refused. `now` and `startBy` are of the database. */
export const decideRefusal = (
  { code, retryAfterSeconds }: { code: string; retryAfterSeconds?: number | undefined },
  { now, startBy }: { now: Date; startBy: Date },
): RefusalDecision => {
  const reason = lostRights[code]
  if (reason) return { kind: 'pause', reason }
  const leftSeconds = (startBy.getTime() - now.getTime()) / 1_000
  if (!isPassingRefusal(code) || leftSeconds <= 0) return { kind: 'fail' }
  const wantedSeconds = Math.min(
    firingLimits.retryMaxSeconds,
    Math.max(1, retryAfterSeconds ?? firingLimits.retryDefaultSeconds),
  )
  return { kind: 'again', afterSeconds: Math.min(wantedSeconds, leftSeconds) }
}

/** Whether the code speaks of the organisation, so that its other firings would be refused too. */
export const concernsOrganisation = (code: string): boolean => isPassingRefusal(code)

const lostRights: Readonly<Record<string, PauseReason>> = {
  unauthorized: 'creator_gone',
  forbidden: 'forbidden',
  not_found: 'target_not_available',
  agent_archived: 'target_not_available',
  pipeline_archived: 'target_not_available',
}
