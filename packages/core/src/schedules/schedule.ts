import type { PauseReason, Schedule, ScheduleFiring, Waiting } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type WorkStanding, waitOf } from '../work-wait.ts'
import { schedulesBounds } from './bounds.ts'
import { nextDates, type Timing } from './due.ts'

/** The agent or pipeline that a schedule starts, as a UUID. */
export type ScheduleTarget = { readonly kind: 'agent' | 'pipeline'; readonly id: string }

/** The columns that say when a schedule is due. */
export type TimingColumns = {
  cron: string | null
  time_zone: string | null
  interval_seconds: number | null
  anchor_at: Date | null
  once_at: Date | null
}

export type TargetColumns = { agent_id: string | null; pipeline_id: string | null }

/** What a request sets. */
export type ScheduleContent = TimingColumns &
  TargetColumns & {
    name: string
    input: Record<string, unknown>
    metadata: Record<string, string>
    missed: Schedule['missed']
    overlap: Schedule['overlap']
    monthly_budget_usd: number | null
  }

/** A schedule as the database keeps it. */
export type ScheduleRow = ScheduleContent & {
  id: string
  org_id: string
  /** The cost of this month. */
  spent_usd: number
  status: 'active' | 'paused'
  pause_code: PauseReason | null
  paused_at: Date | null
  created_by: string
  created_by_type: 'key' | 'user'
  due_at: Date | null
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

export type FiringRow = {
  id: string
  schedule_id: string
  kind: 'date' | 'request'
  date: Date
  missed_from: Date | null
  status: ScheduleFiring['status']
  code: string | null
  run_id: string | null
  pipeline_run_id: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

/** The database allows one kind of timing. */
export const timingOf = ({ cron, time_zone, interval_seconds, anchor_at, once_at }: TimingColumns): Timing => {
  if (cron !== null && time_zone !== null) return { kind: 'cron', expression: cron, zone: time_zone }
  if (interval_seconds !== null && anchor_at !== null)
    return { kind: 'interval', seconds: interval_seconds, anchor: anchor_at }
  if (once_at !== null) return { kind: 'once', at: once_at }
  throw new Error('A schedule has no timing')
}

/** The database allows one kind of target. */
export const targetOf = ({ agent_id, pipeline_id }: TargetColumns): ScheduleTarget => {
  if (agent_id !== null) return { kind: 'agent', id: agent_id }
  if (pipeline_id !== null) return { kind: 'pipeline', id: pipeline_id }
  throw new Error('A schedule has no target')
}

/**
 * A date is asked for under this key. The firing of a request has another one than a date of the same moment. An `Idempotency-Key` of a request
 * is ASCII, so no caller can take the key of a firing first, or get its run as a replay.
 */
export const firingKeyOf = (firing: { scheduleId: string; kind: 'date' | 'request'; date: Date }): string =>
  `§schedule/${fromUuid('sch', firing.scheduleId)}/${firing.date.toISOString()}${firing.kind === 'request' ? '/now' : ''}`

export const toWireSchedule = (row: ScheduleRow, { now }: { now: Date }): Schedule => ({
  id: fromUuid('sch', row.id),
  object: 'schedule',
  name: row.name,
  status: row.status === 'active' && row.due_at === null ? 'ended' : row.status,
  cron: row.cron,
  time_zone: row.time_zone,
  interval_seconds: row.interval_seconds,
  once_at: row.once_at?.toISOString() ?? null,
  ...wireTargetOf(row),
  input: row.input,
  metadata: row.metadata,
  missed: row.missed,
  overlap: row.overlap,
  monthly_budget_usd: row.monthly_budget_usd,
  spent_usd: row.spent_usd,
  pause_reason: row.pause_code,
  paused_at: row.paused_at?.toISOString() ?? null,
  next_dates: row.due_at === null ? [] : nextDates(timingOf(row), now).map((date) => date.toISOString()),
  created_by: creatorIdOf(row),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const toWireFiring = (row: FiringRow & Partial<WorkStanding>): ScheduleFiring => ({
  id: fromUuid('fir', row.id),
  object: 'schedule_firing',
  schedule_id: fromUuid('sch', row.schedule_id),
  kind: row.kind,
  date: row.date.toISOString(),
  missed_from: row.missed_from?.toISOString() ?? null,
  status: row.status,
  code: row.code,
  waiting: waitingBecause(row),
  run_id: row.run_id === null ? null : fromUuid('run', row.run_id),
  pipeline_run_id: row.pipeline_run_id === null ? null : fromUuid('plr', row.pipeline_run_id),
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

/** Firings of one organisation that a worker starts at once, and attempts without progress after which one fails. */
export const firingShare = {
  perOrg: schedulesBounds.firingTurnsOfOrganisation.count,
  maxTries: schedulesBounds.firingTries.count,
} as const

const waitingBecause = ({ status, code, ...standing }: FiringRow & Partial<WorkStanding>): Waiting | null => {
  const {
    is_held = false,
    is_due = true,
    tries = 0,
    is_share_used = false,
    is_narrowed = false,
    in_work,
    due,
  } = standing
  // The answer to a new firing has no counts.
  if (is_held || in_work === undefined || due === undefined) return null
  if (status === 'queued')
    return { reason: 'line', message: 'It waits for the end of an earlier firing of its schedule.' }
  if (status !== 'due') return null
  const row = { is_held, is_due, tries, is_share_used, is_narrowed, in_work, due }
  const turn = waitOf(row, { ...firingShare, things: 'firings' })
  if (turn || code === null) return turn
  return { reason: 'retry', message: `It was refused (${code}) and is tried again.` }
}

/** For the audit log. The input may be large and is data of the customer, so it is not among them. */
export const scheduleAuditFacts = (row: ScheduleRow) => ({
  name: row.name,
  cron: row.cron,
  time_zone: row.time_zone,
  interval_seconds: row.interval_seconds,
  once_at: row.once_at?.toISOString() ?? null,
  ...wireTargetOf(row),
  missed: row.missed,
  overlap: row.overlap,
  monthly_budget_usd: row.monthly_budget_usd,
  status: row.status,
  pause_reason: row.pause_code,
  created_by: creatorIdOf(row),
})

const wireTargetOf = ({ agent_id, pipeline_id }: TargetColumns) => ({
  agent_id: agent_id === null ? null : fromUuid('ag', agent_id),
  pipeline_id: pipeline_id === null ? null : fromUuid('pl', pipeline_id),
})

const creatorIdOf = ({
  created_by,
  created_by_type,
}: Pick<ScheduleRow, 'created_by' | 'created_by_type'>): Schedule['created_by'] =>
  fromUuid(created_by_type === 'key' ? 'key' : 'usr', created_by)
