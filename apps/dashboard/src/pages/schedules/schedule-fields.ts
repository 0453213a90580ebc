import {
  type Schedule,
  type ScheduleMissed,
  type ScheduleOverlap,
  type SchedulesCreateParams,
  type SchedulesUpdateParams,
  scheduleMisseds,
  scheduleOverlaps,
} from '@agent-run-service/sdk'
import { isObject } from '../../ui/schema-form/schema-fields.ts'

export const timingKinds = ['cron', 'interval', 'once'] as const
export type TimingKind = (typeof timingKinds)[number]
export const targetKinds = ['agent', 'pipeline'] as const
export type TargetKind = (typeof targetKinds)[number]

/** The form of a schedule. Numbers are kept as they were typed. */
export type ScheduleFields = {
  name: string
  timing: TimingKind
  cron: string
  zone: string
  minutes: string
  /** ISO, undefined while it is empty. */
  onceAt: string | undefined
  target: TargetKind
  agentId: string
  pipelineId: string
  input: unknown
  missed: ScheduleMissed
  overlap: ScheduleOverlap
  budget: string
}

export const scheduleBounds = { minMinutes: 1, maxMinutes: 527_040, maxBudgetUsd: 1_000_000_000 } as const

export const newSchedule = (zone: string): ScheduleFields => ({
  name: '',
  timing: 'cron',
  cron: '0 9 * * *',
  zone,
  minutes: '60',
  onceAt: undefined,
  target: 'agent',
  agentId: '',
  pipelineId: '',
  input: {},
  missed: 'skip',
  overlap: 'skip',
  budget: '',
})

export const fieldsOfSchedule = (schedule: Schedule, zone: string): ScheduleFields => ({
  ...newSchedule(schedule.time_zone ?? zone),
  name: schedule.name,
  timing: timingOf(schedule),
  ...(schedule.cron !== null && { cron: schedule.cron }),
  ...(schedule.interval_seconds !== null && { minutes: String(schedule.interval_seconds / 60) }),
  onceAt: schedule.once_at ?? undefined,
  target: schedule.pipeline_id === null ? 'agent' : 'pipeline',
  agentId: schedule.agent_id ?? '',
  pipelineId: schedule.pipeline_id ?? '',
  input: schedule.input,
  missed: scheduleMisseds.find((each) => each === schedule.missed) ?? 'skip',
  overlap: scheduleOverlaps.find((each) => each === schedule.overlap) ?? 'skip',
  budget: schedule.monthly_budget_usd === null ? '' : String(schedule.monthly_budget_usd),
})

const timingOf = ({ interval_seconds, once_at }: Schedule): TimingKind => {
  if (interval_seconds !== null) return 'interval'
  return once_at === null ? 'cron' : 'once'
}

/** The whole schedule, as the service takes it. */
export const bodyOfSchedule = (fields: ScheduleFields) =>
  ({
    name: fields.name.trim(),
    cron: fields.timing === 'cron' ? fields.cron.trim() : null,
    ...(fields.timing === 'cron' && { time_zone: fields.zone.trim() }),
    interval_seconds: fields.timing === 'interval' ? Math.round(Number(fields.minutes) * 60) : null,
    once_at: fields.timing === 'once' ? (fields.onceAt ?? null) : null,
    agent_id: fields.target === 'agent' ? fields.agentId : null,
    pipeline_id: fields.target === 'pipeline' ? fields.pipelineId : null,
    input: fields.input as Record<string, unknown>,
    missed: fields.missed,
    overlap: fields.overlap,
    monthly_budget_usd: fields.budget.trim() === '' ? null : Number(fields.budget),
  }) satisfies SchedulesCreateParams

const timingNames: ReadonlySet<string> = new Set(['cron', 'time_zone', 'interval_seconds', 'once_at'])

/** Only what differs: a new timing counts from now on, and a new target or input makes the person the creator. */
export const changesOfSchedule = (schedule: Schedule, fields: ScheduleFields): SchedulesUpdateParams => {
  const wanted = Object.entries(bodyOfSchedule(fields))
  const differs = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(schedule[name as keyof Schedule]) !== JSON.stringify(value)
  // The parts of a timing belong together.
  const hasNewTiming = wanted.some((entry) => timingNames.has(entry[0]) && differs(entry))
  return Object.fromEntries(wanted.filter((entry) => (timingNames.has(entry[0]) ? hasNewTiming : differs(entry))))
}

export const scheduleFieldNames = [
  'name',
  'cron',
  'time_zone',
  'interval_seconds',
  'once_at',
  'agent_id',
  'pipeline_id',
  'input',
  'missed',
  'overlap',
  'monthly_budget_usd',
] as const
export type ScheduleErrors = Partial<Record<(typeof scheduleFieldNames)[number], string>>

const isIn = (text: string, min: number, max: number): boolean =>
  text.trim() !== '' && Number(text) >= min && Number(text) <= max

export const checkSchedule = (fields: ScheduleFields): ScheduleErrors => {
  const { minMinutes, maxMinutes, maxBudgetUsd } = scheduleBounds
  return {
    ...(fields.name.trim() === '' && { name: 'Give the schedule a name.' }),
    ...(fields.timing === 'cron' &&
      fields.cron.trim().split(/\s+/).length !== 5 && {
        cron: 'Write five fields: minute, hour, day of month, month, day of week.',
      }),
    ...(fields.timing === 'cron' && fields.zone.trim() === '' && { time_zone: 'Name a time zone.' }),
    ...(fields.timing === 'interval' &&
      !isIn(fields.minutes, minMinutes, maxMinutes) && {
        interval_seconds: `Enter minutes from ${minMinutes} to ${maxMinutes}.`,
      }),
    ...(fields.timing === 'once' && fields.onceAt === undefined && { once_at: 'Enter a date and a time.' }),
    ...(fields.target === 'agent' && fields.agentId === '' && { agent_id: 'Choose an agent.' }),
    ...(fields.target === 'pipeline' && fields.pipelineId === '' && { pipeline_id: 'Choose a pipeline.' }),
    ...(!isObject(fields.input) && { input: 'Write a JSON object.' }),
    ...(fields.budget.trim() !== '' &&
      !isIn(fields.budget, 0, maxBudgetUsd) && { monthly_budget_usd: 'Enter US dollars, or nothing.' }),
  }
}
