import type { CreateSchedule, UpdateSchedule } from '@ars/contract'
import { canonicalJson } from '@ars/platform/crypto'
import { toUuid } from '@ars/platform/id'
import { Fault } from '../fault.ts'
import { problemsOfTiming } from './due.ts'
import { type ScheduleContent, type TargetColumns, type TimingColumns, timingOf } from './schedule.ts'

const defaultZone = 'UTC'

/** The content of a new schedule, or a refusal. An interval counts from now on. */
export const contentOfNew = (body: CreateSchedule, now: Date): ScheduleContent => {
  const { name, input, metadata, missed, overlap, monthly_budget_usd } = body
  const timing = chosenTiming(body, { now, zone: null })
  if (timing === null) return refuse('cron', 'Set one of cron, interval_seconds and once_at.')
  const target = chosenTarget(body)
  if (target === null) return refuse('agent_id', 'Set one of agent_id and pipeline_id.')
  return { name, ...timing, ...target, input, metadata, missed, overlap, monthly_budget_usd }
}

export type ChangedContent = {
  content: ScheduleContent
  /** Its dates count from now on. */
  hasNewTiming: boolean
  /** Target or input differ. */
  hasNewWork: boolean
}

/** The content of a schedule after a change, or a refusal. */
export const contentOfChange = (
  before: ScheduleContent,
  body: Omit<UpdateSchedule, 'id'>,
  now: Date,
): ChangedContent => {
  const timing = changedTiming(before, body, now)
  const target = chosenTarget(body)
  const isCleared = body.agent_id === null || body.pipeline_id === null
  if (target === null && isCleared && !keepsTarget(before, body))
    return refuse('agent_id', 'A schedule needs one of agent_id and pipeline_id.')
  const content: ScheduleContent = {
    name: body.name ?? before.name,
    ...(timing ?? timingColumnsOf(before)),
    ...(target ?? { agent_id: before.agent_id, pipeline_id: before.pipeline_id }),
    input: body.input ?? before.input,
    metadata: body.metadata ?? before.metadata,
    missed: body.missed ?? before.missed,
    overlap: body.overlap ?? before.overlap,
    monthly_budget_usd: body.monthly_budget_usd === undefined ? before.monthly_budget_usd : body.monthly_budget_usd,
  }
  const hasNewTarget = content.agent_id !== before.agent_id || content.pipeline_id !== before.pipeline_id
  const hasNewInput = canonicalJson(content.input) !== canonicalJson(before.input)
  return { content, hasNewTiming: timing !== null, hasNewWork: hasNewTarget || hasNewInput }
}

type TimingFields = Pick<UpdateSchedule, 'cron' | 'time_zone' | 'interval_seconds' | 'once_at'>

/** Null: the timing stays. */
const changedTiming = (before: TimingColumns, body: TimingFields, now: Date): TimingColumns | null => {
  const isNamed = [body.cron, body.time_zone, body.interval_seconds, body.once_at].some((field) => field !== undefined)
  if (!isNamed) return null
  const names = body.cron || body.interval_seconds || body.once_at
  // Without a new kind of timing, the fields change the present one.
  const asked = names
    ? body
    : {
        ...body,
        cron: body.cron === undefined ? before.cron : body.cron,
        interval_seconds: body.interval_seconds === undefined ? before.interval_seconds : body.interval_seconds,
        once_at: body.once_at === undefined ? before.once_at?.toISOString() : body.once_at,
      }
  const timing = chosenTiming(asked, { now, zone: before.time_zone })
  if (timing === null) return refuse('cron', 'A schedule needs one of cron, interval_seconds and once_at.')
  return isSameTiming(before, timing) ? null : timing
}

const isSameTiming = (one: TimingColumns, other: TimingColumns): boolean =>
  one.cron === other.cron &&
  one.time_zone === other.time_zone &&
  one.interval_seconds === other.interval_seconds &&
  one.once_at?.getTime() === other.once_at?.getTime()

/** Null: none was chosen. */
const chosenTiming = (
  { cron = null, time_zone, interval_seconds = null, once_at = null }: TimingFields,
  { now, zone }: { now: Date; zone: string | null },
): TimingColumns | null => {
  const chosen = [cron, interval_seconds, once_at].filter((field) => field !== null)
  if (chosen.length === 0) return null
  if (chosen.length > 1) return refuse('cron', 'Set only one of cron, interval_seconds and once_at.')
  if (cron === null && time_zone !== undefined) return refuse('time_zone', 'time_zone is for cron only.')
  const timing: TimingColumns = {
    cron,
    time_zone: cron === null ? null : (time_zone ?? zone ?? defaultZone),
    interval_seconds,
    anchor_at: interval_seconds === null ? null : now,
    once_at: once_at === null ? null : new Date(once_at),
  }
  const problems = problemsOfTiming(timingOf(timing), now)
  const [first] = problems
  if (first)
    throw new Fault('input_invalid', `${first.param} ${first.message}.`, { param: first.param, details: problems })
  return timing
}

/** Null: none was chosen. */
const chosenTarget = ({
  agent_id = null,
  pipeline_id = null,
}: Pick<UpdateSchedule, 'agent_id' | 'pipeline_id'>): TargetColumns | null => {
  if (agent_id !== null && pipeline_id !== null)
    return refuse('pipeline_id', 'Set only one of agent_id and pipeline_id.')
  if (agent_id === null && pipeline_id === null) return null
  return {
    agent_id: agent_id === null ? null : toUuid(agent_id),
    pipeline_id: pipeline_id === null ? null : toUuid(pipeline_id),
  }
}

/** Whether the fields that are null were null before. */
const keepsTarget = (before: TargetColumns, body: Pick<UpdateSchedule, 'agent_id' | 'pipeline_id'>): boolean =>
  (body.agent_id !== null || before.agent_id === null) && (body.pipeline_id !== null || before.pipeline_id === null)

const timingColumnsOf = ({ cron, time_zone, interval_seconds, anchor_at, once_at }: TimingColumns): TimingColumns => ({
  cron,
  time_zone,
  interval_seconds,
  anchor_at,
  once_at,
})

const refuse = (param: string, message: string): never => {
  throw new Fault('input_invalid', message, { param })
}
