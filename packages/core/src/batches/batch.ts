import { batchLimits, type Waiting, type Batch as WireBatch } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type WorkStanding, waitOf } from '../work-wait.ts'
import { batchesBounds } from './bounds.ts'

/** A batch as the database has it. `running`: its runs whose end was not counted yet. */
export type BatchRow = {
  id: string
  org_id: string
  agent_id: string
  status: BatchStatus
  metadata: Record<string, string>
  timeout_seconds: number | null
  items: number
  refused: number
  dropped: number
  completed: number
  failed: number
  cancelled: number
  running: number
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
  finished_at: Date | null
  erase_asked_at: Date | null
  erased_at: Date | null
}

/** The item of a batch for which a run is accepted. */
export type BatchItem = { readonly batchId: string; readonly number: number }

export type BatchStatus = 'running' | 'cancelling' | 'completed' | 'cancelled'

/** The line in which runs of batches wait. `admit_runs()` has the same value: it is the last line of each organisation. */
export const batchLine = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Runs of one batch that have not ended. Runs that wait for a person take no place in the queue, so they need a bound. */
export const maxOpenRuns = batchesBounds.openRuns.count

/** Items that are started before the batch is looked at again. */
const startsPerRound = batchesBounds.startsTogether.count

/** A batch whose runs go on is looked at when one ends. This is the net. */
const idleSeconds = 300

/** A cancel that was not passed on to all runs is tried again. */
const cancelSeconds = 10

/** The line is shared by the batches of the organisation, and another one may have made room. */
const lineSeconds = 2

export const waitingOf = (batch: Counts): number =>
  batch.items - batch.refused - batch.dropped - batch.completed - batch.failed - batch.cancelled - batch.running

type Counts = Pick<BatchRow, 'items' | 'refused' | 'dropped' | 'completed' | 'failed' | 'cancelled' | 'running'>

/** What limits the pace of a batch now. */
export type BatchRoom = {
  /** Concurrent runs of the organisation, and of the agent if it has a limit. */
  allowed: number
  agentAllows: number | null
  /** Runs of batches that wait to be admitted: of the organisation, and of the agent among them. */
  inLine: number
  agentInLine: number
  /** Batches of the organisation that have not ended, this one included. */
  active: number
}

/**
 * How many items may start. At most half as many runs of batches wait as the organisation may have in progress, so that they never
 * fill its queue. Its batches share what is free.
 */
export const roomOf = ({ allowed, agentAllows, inLine, agentInLine, active }: BatchRoom): number => {
  const half = (limit: number): number => Math.max(1, Math.floor(limit / 2))
  const ofLine = Math.ceil((half(allowed) - inLine) / Math.max(1, active))
  return Math.max(0, agentAllows === null ? ofLine : Math.min(ofLine, half(agentAllows) - agentInLine))
}

export type BatchMove =
  | { kind: 'end'; status: 'completed' | 'cancelled' }
  /** Items that wait are not started any more. */
  | { kind: 'drop' }
  | { kind: 'expire' }
  | { kind: 'start'; items: number }
  | { kind: 'wait'; seconds: number }

type Facts = Counts & Pick<BatchRow, 'status'> & { isExpired: boolean; room: number }

/** What to do next with a batch that has not ended. */
export const nextMove = (batch: Facts): BatchMove => {
  const waiting = waitingOf(batch)
  const isCancelling = batch.status === 'cancelling'
  if (waiting === 0) {
    if (batch.running === 0) return { kind: 'end', status: isCancelling ? 'cancelled' : 'completed' }
    return { kind: 'wait', seconds: isCancelling ? cancelSeconds : idleSeconds }
  }
  if (isCancelling) return { kind: 'drop' }
  if (batch.isExpired) return { kind: 'expire' }
  const items = Math.min(waiting, batch.room, maxOpenRuns - batch.running, startsPerRound)
  return items > 0 ? { kind: 'start', items } : { kind: 'wait', seconds: lineSeconds }
}

export const expiryRefusal = {
  code: 'run_timeout',
  message: `The item was not started within ${batchLimits.batchMaxDays} days`,
} as const

/** Without how the batch stands, such as in the event of its end, it waits for nothing. */
export const toWireBatch = (batch: BatchRow & Partial<WorkStanding>): WireBatch => ({
  id: fromUuid('bat', batch.id),
  object: 'batch',
  agent_id: fromUuid('ag', batch.agent_id),
  status: batch.status,
  progress: {
    items: batch.items,
    waiting: waitingOf(batch),
    running: batch.running,
    completed: batch.completed,
    failed: batch.failed + batch.refused,
    cancelled: batch.cancelled + batch.dropped,
  },
  waiting: waitingBecause(batch),
  metadata: batch.metadata,
  timeout_seconds: batch.timeout_seconds,
  created_by: batch.created_by_type === 'key' ? fromUuid('key', batch.created_by) : fromUuid('usr', batch.created_by),
  created_at: batch.created_at.toISOString(),
  finished_at: batch.finished_at?.toISOString() ?? null,
  erased_at: batch.erased_at?.toISOString() ?? null,
})

/** Batches of one organisation that a worker advances at once, and turns without progress after which one ends. */
export const batchShare = {
  perOrg: batchesBounds.batchTurnsOfOrganisation.count,
  maxTries: batchesBounds.batchTries.count,
} as const

const waitingBecause = (batch: BatchRow & Partial<WorkStanding>): Waiting | null => {
  const { finished_at, is_held = false, is_due = false, tries = 0 } = batch
  if (finished_at !== null || is_held) return null
  const { is_share_used = false, is_narrowed = false, in_work = 0, due = 0 } = batch
  const standing = { is_held, is_due, tries, is_share_used, is_narrowed, in_work, due }
  const turn = waitOf(standing, { ...batchShare, things: 'batches' })
  const waiting = waitingOf(batch)
  if (turn || waiting === 0) return turn
  return {
    reason: 'line',
    message: `${waiting} items wait: runs of batches start when no other run of the organisation waits, and leave a fifth of its concurrent runs free.`,
  }
}
