import { z } from 'zod'
import { AgentId, PipelineId, ScheduleFiringId, ScheduleId } from './ids.ts'
import { commaList, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'
import { firingStatuses, Schedule, ScheduleFiring, scheduleLimits, scheduleTerms } from './schedule.ts'

const { name, cron, time_zone, interval_seconds, once_at, agent_id, pipeline_id } = scheduleTerms
const { input, metadata, missed, overlap, monthly_budget_usd } = scheduleTerms

export const CreateSchedule = z
  .strictObject({
    name,
    cron: cron.default(null),
    time_zone: time_zone.optional(),
    interval_seconds: interval_seconds.default(null),
    once_at: once_at.default(null),
    agent_id: agent_id.default(null),
    pipeline_id: pipeline_id.default(null),
    input: input.default({}),
    metadata: metadata.default({}),
    missed: missed.default('skip'),
    overlap: overlap.default('skip'),
    monthly_budget_usd: monthly_budget_usd.default(null),
  })
  .meta({ id: 'CreateSchedule' })

export type CreateSchedule = z.output<typeof CreateSchedule>

export const UpdateSchedule = z
  .strictObject({
    id: ScheduleId,
    name: name.optional(),
    cron: cron.optional(),
    time_zone: time_zone.optional(),
    interval_seconds: interval_seconds.optional(),
    once_at: once_at.optional(),
    agent_id: agent_id.optional(),
    pipeline_id: pipeline_id.optional(),
    input: input.optional(),
    metadata: metadata.optional(),
    missed: missed.optional(),
    overlap: overlap.optional(),
    monthly_budget_usd: monthly_budget_usd.optional(),
  })
  .meta({ id: 'UpdateSchedule', minProperties: 1 })

export type UpdateSchedule = z.output<typeof UpdateSchedule>

const one = z.strictObject({ id: ScheduleId })
// A schedule belongs to an agent, or to a pipeline, which concerns the whole organisation. The caller's agents decide.
const reading = { method: 'GET', scope: 'schedules:read', names: 'agents', allRuns: true, status: 200 } as const
const writing = { scope: 'schedules:write', names: 'agents', allRuns: true } as const
// A run of a pipeline is started with the same scope as one of an agent.
const starting = { ...writing, alsoScopes: ['runs:write'], lasting: true } as const

export const schedules = {
  list: operation({
    ...reading,
    path: '/schedules',
    summary: 'List schedules',
    input: z.strictObject({
      ...Paging(ScheduleId),
      agent_id: AgentId.optional(),
      pipeline_id: PipelineId.optional(),
      status: commaList(['active', 'paused']).optional(),
    }),
    output: listOf(Schedule, 'ScheduleList'),
    errors: [],
  }),
  create: operation({
    ...starting,
    method: 'POST',
    path: '/schedules',
    summary: 'Create a schedule',
    description:
      'Set one of `cron`, `interval_seconds` and `once_at`, and one of `agent_id` and `pipeline_id`. Dates are at least 60 seconds apart. ' +
      `The runs start as the caller, whose right is checked at every firing. At most ${scheduleLimits.perOrganisation} per organisation.`,
    status: 201,
    input: CreateSchedule,
    output: Schedule,
    errors: [
      'not_found',
      'agent_archived',
      'pipeline_archived',
      'input_invalid',
      'guardrail_blocked',
      'budget_exhausted',
      'limit_reached',
      'idempotency_key_reused',
    ],
    idempotent: true,
  }),
  get: operation({
    ...reading,
    path: '/schedules/{id}',
    summary: 'Get a schedule by id',
    input: one,
    output: Schedule,
    errors: ['not_found'],
  }),
  update: operation({
    ...starting,
    method: 'PATCH',
    path: '/schedules/{id}',
    summary: 'Change a schedule',
    description:
      'A new timing replaces the old one, and counts from now on. A new target or input makes the caller the creator of the schedule.',
    status: 200,
    input: UpdateSchedule,
    output: Schedule,
    errors: [
      'not_found',
      'agent_archived',
      'pipeline_archived',
      'input_invalid',
      'guardrail_blocked',
      'budget_exhausted',
    ],
  }),
  delete: operation({
    ...writing,
    method: 'DELETE',
    path: '/schedules/{id}',
    summary: 'Delete a schedule',
    description: 'Firings that have not started are skipped. Runs that have started continue.',
    status: 200,
    input: one,
    output: Schedule,
    errors: ['not_found'],
  }),
  pause: operation({
    ...writing,
    method: 'POST',
    path: '/schedules/{id}/pause',
    summary: 'Pause a schedule',
    description: 'Firings that have not started are skipped. Dates that pass during the pause do not fire later.',
    status: 200,
    input: one.meta({ id: 'PauseSchedule' }),
    output: Schedule,
    errors: ['not_found'],
  }),
  resume: operation({
    ...starting,
    method: 'POST',
    path: '/schedules/{id}/resume',
    summary: 'Resume a schedule',
    description: 'If the service paused it, the caller becomes its creator, because the right of the creator was lost.',
    status: 200,
    input: one.meta({ id: 'ResumeSchedule' }),
    output: Schedule,
    errors: ['not_found', 'agent_archived', 'pipeline_archived', 'input_invalid'],
  }),
  run: operation({
    ...starting,
    method: 'POST',
    path: '/schedules/{id}/run',
    summary: 'Fire a schedule now',
    description:
      'Starts the target as the creator of the schedule, within a few seconds, also while it is paused. The rule for overlaps applies.',
    status: 201,
    input: one.meta({ id: 'RunSchedule' }),
    output: ScheduleFiring,
    errors: ['not_found', 'idempotency_key_reused'],
    idempotent: true,
  }),
  firings: operation({
    ...reading,
    path: '/schedules/{id}/firings',
    summary: 'List the firings of a schedule',
    description: `The last ${scheduleLimits.keptFirings} are kept, for at most ${scheduleLimits.firingDays} days.`,
    input: z.strictObject({
      id: ScheduleId,
      ...Paging(ScheduleFiringId),
      status: commaList(firingStatuses).optional(),
    }),
    output: listOf(ScheduleFiring, 'ScheduleFiringList'),
    errors: ['not_found'],
  }),
} as const
