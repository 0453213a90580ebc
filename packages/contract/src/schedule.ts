import { z } from 'zod'
import { numbersOf, scheduleLimitRows } from './bounds.ts'
import { createdAt, JsonObject, KeyOrPerson, PlainText } from './fields.ts'
import { AgentId, PipelineId, PipelineRunId, RunId, ScheduleFiringId, ScheduleId } from './ids.ts'
import { Metadata } from './runs.ts'
import { Waiting } from './waiting.ts'

export const scheduleLimits = {
  ...numbersOf(scheduleLimitRows),
  /** The least time between two dates. */
  minIntervalSeconds: 60,
} as const

const moment = z.iso.datetime({ offset: true, abort: true })

const words = {
  name: 'The name of the schedule.',
  cron: 'Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another timing.',
  time_zone:
    'The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip fire once, after it; in an hour that they show twice they fire once.',
  interval_seconds:
    'Seconds between two dates, from the time at which this was set. Null: the schedule has another timing.',
  once_at: 'The only date. Null: the schedule has another timing.',
  agent_id: 'The agent that each firing runs; null: the target is a pipeline.',
  pipeline_id: 'The pipeline that each firing runs; null: the target is an agent.',
  input: 'The input of each run.',
  metadata: 'The metadata of each run.',
  monthly_budget_usd:
    'US dollars a month, UTC, for the runs of this schedule; null: none. When they are spent, firings are skipped.',
} as const

const Missed = z.enum(['skip', 'once']).meta({
  id: 'ScheduleMissed',
  description:
    'A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`: the last missed date fires for all of them.',
})
const Overlap = z.enum(['skip', 'queue', 'allow']).meta({
  id: 'ScheduleOverlap',
  description:
    'What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at most 10 wait. `allow`: it starts.',
})

/** What a request can set. */
export const scheduleTerms = {
  name: PlainText.min(1).max(scheduleLimits.nameChars).meta({ description: words.name }),
  cron: z.string().min(1).max(scheduleLimits.cronChars).nullable().meta({ description: words.cron }),
  time_zone: z.string().min(1).max(scheduleLimits.zoneChars).meta({ description: words.time_zone }),
  interval_seconds: z
    .int()
    .min(scheduleLimits.minIntervalSeconds)
    .max(scheduleLimits.maxIntervalSeconds)
    .nullable()
    .meta({ description: words.interval_seconds }),
  once_at: moment.nullable().meta({ description: words.once_at }),
  agent_id: AgentId.nullable().meta({ description: words.agent_id }),
  pipeline_id: PipelineId.nullable().meta({ description: words.pipeline_id }),
  input: JsonObject.meta({ description: words.input }),
  metadata: Metadata.meta({ description: words.metadata }),
  missed: Missed,
  overlap: Overlap,
  monthly_budget_usd: z
    .number()
    .min(0)
    .max(scheduleLimits.maxBudgetUsd)
    .nullable()
    .meta({ description: words.monthly_budget_usd }),
} as const

const scheduleStatuses = ['active', 'paused', 'ended'] as const

const pauseReasons = ['requested', 'creator_gone', 'forbidden', 'target_not_available'] as const

export const PauseReason = z.enum(pauseReasons).meta({
  id: 'SchedulePauseReason',
  description:
    '`requested`: somebody paused it. Otherwise the service did: `creator_gone`: the key was revoked or has expired, or the person has left. `forbidden`: the creator may not start the target any more. `target_not_available`: the agent or pipeline is archived.',
})
export type PauseReason = z.infer<typeof PauseReason>

export const Schedule = z
  .object({
    id: ScheduleId,
    object: z.literal('schedule'),
    name: z.string().meta({ description: words.name }),
    status: z.enum(scheduleStatuses).meta({
      id: 'ScheduleStatus',
      description: '`paused`: it does not fire. `ended`: it has no further date.',
    }),
    cron: z.string().nullable().meta({ description: words.cron }),
    time_zone: z.string().nullable().meta({ description: words.time_zone }),
    interval_seconds: z.int().nullable().meta({ description: words.interval_seconds }),
    once_at: z.iso.datetime().nullable().meta({ description: words.once_at }),
    agent_id: AgentId.nullable().meta({ description: words.agent_id }),
    pipeline_id: PipelineId.nullable().meta({ description: words.pipeline_id }),
    input: JsonObject.meta({ description: words.input }),
    metadata: z.record(z.string(), z.string()).meta({ description: words.metadata }),
    missed: Missed,
    overlap: Overlap,
    monthly_budget_usd: z.number().nullable().meta({ description: words.monthly_budget_usd }),
    spent_usd: z.number().meta({ description: 'The cost of its runs that ended in this month.' }),
    pause_reason: PauseReason.nullable().meta({ description: 'Why it is paused; null: it is not.' }),
    paused_at: z.iso.datetime().nullable().meta({ description: 'When it was paused; null: it is not.' }),
    next_dates: z
      .array(z.iso.datetime())
      .meta({ description: 'The next five dates, or as many as there are. Empty while it is paused.' }),
    created_by: KeyOrPerson.meta({
      description:
        'The key or person as which its runs start. The right is checked at every firing. Changing target or input makes the caller the creator.',
    }),
    created_at: createdAt,
    updated_at: z.iso.datetime().meta({ description: 'When it was changed last.' }),
  })
  .meta({ id: 'Schedule', description: 'Starts an agent or a pipeline at its dates.' })

export type Schedule = z.infer<typeof Schedule>

export const firingStatuses = ['due', 'queued', 'started', 'skipped', 'failed'] as const

export const ScheduleFiring = z
  .object({
    id: ScheduleFiringId,
    object: z.literal('schedule_firing'),
    schedule_id: ScheduleId,
    kind: z.enum(['date', 'request']).meta({
      id: 'ScheduleFiringKind',
      description: '`request`: somebody started it with `POST /schedules/{id}/run`.',
    }),
    date: z.iso.datetime().meta({ description: 'The date that was due, or the time of the request.' }),
    missed_from: z.iso.datetime().nullable().meta({
      description:
        'The first of the dates up to `date` that were missed. This firing stands for all of them. Null: none was.',
    }),
    status: z.enum(firingStatuses).meta({
      id: 'ScheduleFiringStatus',
      description: '`due`: it is about to start. `queued`: it waits for an earlier firing.',
    }),
    code: z.string().nullable().meta({
      description:
        'Why it was skipped (`missed`, `overlap`, `budget_exhausted`, `schedule_paused`, `schedule_deleted`), or why it failed: the code of the error, or `outcome_unknown` if the service stopped for a day while it started the target; null: neither.',
    }),
    waiting: Waiting.nullable().meta({
      description: 'Why it does not start now; null: it starts, or it does not wait.',
    }),
    run_id: RunId.nullable().meta({ description: 'The run that it started; null: none.' }),
    pipeline_run_id: PipelineRunId.nullable().meta({ description: 'The pipeline run that it started; null: none.' }),
    created_at: createdAt,
    started_at: z.iso.datetime().nullable().meta({ description: 'When it started; null: it did not.' }),
    ended_at: z.iso.datetime().nullable().meta({
      description: 'When it was skipped or failed, or when its run was found to have ended; null before.',
    }),
  })
  .meta({ id: 'ScheduleFiring', description: 'A date of a schedule, and what came of it.' })

export type ScheduleFiring = z.infer<typeof ScheduleFiring>
