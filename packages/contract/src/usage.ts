import { z } from 'zod'
import { Organisation } from './auth.ts'
import { fieldLimits } from './bounds.ts'
import { AgentId, ApiKeyId } from './ids.ts'
import { moment, VersionNumber } from './list.ts'
import { operation } from './operation.ts'

const count = (what: string) => z.int().min(0).meta({ description: what })
const rate = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}; null without any.` })
const ms = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, in ms; null without runs.` })
const time = (what: string) => z.iso.datetime().meta({ description: what })
const name = z.string().nullable().meta({ description: 'The name; null if it is gone.' })

const runFigures = {
  runs: count('Ended runs.'),
  completed: count('Completed runs.'),
  failed: count('Failed runs.'),
  cancelled: count('Cancelled runs.'),
  input_tokens: count('Tokens that models read.'),
  output_tokens: count('Tokens that models wrote.'),
  cached_tokens: count('The part of the input tokens that the provider had cached.'),
  cost_usd: z.number().meta({ description: 'The cost of model calls, by the prices of the operator.' }),
  unpriced_runs: count('Runs whose cost is not known, because a model has no price.'),
}

const UsageFigures = z.object(runFigures).meta({ id: 'UsageFigures', description: 'Figures of ended runs.' })
const usageFigures = UsageFigures.meta({ description: 'Its figures.' })

export const Usage = z
  .object({
    object: z.literal('usage'),
    plan: Organisation.shape.plan,
    period: z
      .object({ start: time('The begin of the month.'), end: time('When the quota starts anew.') })
      .meta({ id: 'UsagePeriod', description: 'A calendar month, UTC.' }),
    calls: z
      .object({
        used: count('Accepted runs.'),
        limit: count('The quota. 1,000,000,000,000 and more: no limit.'),
        remaining: count('How many are left.'),
      })
      .meta({ id: 'UsageCalls', description: 'Accepted runs of the organisation. Exact at all times.' }),
    rate_limit: z
      .object({ requests_per_minute: count('Requests per minute.'), burst: count('The most requests at once.') })
      .meta({ id: 'UsageRateLimit', description: 'Of each API key and person.' }),
    concurrency: z
      .object({ used: count('Runs that execute.'), limit: count('The most at the same time.') })
      .meta({ id: 'UsageConcurrency', description: 'Of now.' }),
    storage: z
      .object({ used_bytes: count('Stored bytes.'), limit_bytes: count('The most stored bytes.') })
      .meta({ id: 'UsageStorage', description: 'About a minute old.' }),
    as_of: time('Runs that ended before this time are in the figures below.'),
    totals: UsageFigures,
    by_agent: z
      .array(z.object({ agent_id: AgentId, name, figures: usageFigures }).meta({ id: 'UsageOfAgent' }))
      .meta({ description: 'Most runs first, at most 1,000.' }),
    by_api_key: z
      .array(
        z
          .object({
            api_key_id: ApiKeyId.nullable().meta({ description: 'Null: people, in the dashboard.' }),
            name,
            figures: usageFigures,
          })
          .meta({ id: 'UsageOfApiKey' }),
      )
      .meta({ description: 'A rotated pair counts as its first key. Empty for a narrowed key.' }),
    by_day: z
      .array(
        z
          .object({ date: z.iso.date().meta({ description: 'UTC.' }), figures: usageFigures })
          .meta({ id: 'UsageOfDay' }),
      )
      .meta({ description: 'Oldest first. Days without runs are left out.' }),
  })
  .meta({ id: 'Usage', description: 'The limits of the plan, and how much of them a month has used.' })

export type Usage = z.infer<typeof Usage>

const AnalyticsFigures = z
  .object({
    ...runFigures,
    success_rate: rate('Completed runs divided by completed and failed ones'),
    latency_p50_ms: ms('The median from created to finished, without the time spent waiting for people'),
    latency_p95_ms: ms('The 95th percentile'),
    latency_p99_ms: ms('The 99th percentile'),
    queue_wait_p95_ms: ms('The 95th percentile of the wait for the first start'),
    webhook_success_rate: rate('Succeeded deliveries divided by ended ones, of the whole organisation'),
    guardrail_blocks: count('Runs and inputs that a guardrail blocked.'),
  })
  .meta({ id: 'AnalyticsFigures', description: 'Figures of ended runs. Percentiles are within 1 %.' })

export type AnalyticsFigures = z.infer<typeof AnalyticsFigures>

const figures = AnalyticsFigures.meta({ description: 'Its figures.' })
const period = { from: time('The begin.'), to: time('The end, which is not included.') }

const AgentFigures = z.object({ agent_id: AgentId, name, figures }).meta({ id: 'AgentFigures' })

export const analyticsIntervals = ['minute', 'hour', 'day'] as const
export const analyticsGroups = ['agent', 'version', 'error_code', 'api_key'] as const

const AnalyticsInterval = z
  .enum(analyticsIntervals)
  .meta({ id: 'AnalyticsInterval', description: 'The length of a point of the series.' })

export const Analytics = z
  .object({
    object: z.literal('analytics'),
    ...period,
    interval: AnalyticsInterval,
    time_zone: z.string().meta({ description: 'Where days begin.' }),
    as_of: time('Runs that ended before this time are counted.'),
    totals: AnalyticsFigures,
    previous: z
      .object({ ...period, totals: figures })
      .meta({ id: 'AnalyticsPrevious', description: 'The period of the same length before.' }),
    series: z
      .array(z.object({ started_at: time('The begin of the interval.'), figures }).meta({ id: 'AnalyticsPoint' }))
      .meta({ description: 'Oldest first. Intervals without figures are left out.' }),
    top_from: time('The lists of agents begin here: with whole UTC days if the period has over 2 days.'),
    top_agents: z.array(AgentFigures).meta({ description: 'The 10 agents with the most runs.' }),
    slowest_agents: z.array(AgentFigures).meta({ description: 'The 10 agents with the highest mean latency.' }),
    top_errors: z
      .array(
        z
          .object({ code: z.string().meta({ description: 'The error code.' }), runs: count('Failed runs.') })
          .meta({ id: 'AnalyticsError' }),
      )
      .meta({ description: 'The 10 most frequent error codes.' }),
    groups: z
      .array(
        z
          .object({
            key: z.string().nullable().meta({
              description: 'The id of an agent or an API key, a version, or an error code. Null: people.',
            }),
            name,
            figures,
          })
          .meta({ id: 'AnalyticsGroup' }),
      )
      .nullable()
      .meta({ description: 'By `group_by`, most runs first, at most 100; null without it.' }),
  })
  .meta({ id: 'Analytics', description: 'How the ended runs of a period went.' })

export type Analytics = z.infer<typeof Analytics>

export const AnalyticsExport = z
  .object({
    object: z.literal('analytics_export'),
    filename: z.string().meta({ description: 'A name for the file.' }),
    content: z.string().meta({ description: 'CSV (RFC 4180) with a header line, and one line per interval.' }),
  })
  .meta({ id: 'AnalyticsExport', description: 'The series of `GET /analytics` as CSV.' })

export type AnalyticsExport = z.infer<typeof AnalyticsExport>

const asked = {
  from: moment.optional().meta({ description: 'Default: 24 hours before `to`.' }),
  to: moment.optional().meta({ description: 'Default: now.' }),
  interval: AnalyticsInterval.optional().meta({
    description:
      'Default: by the length of the period. Up to 24 hours by minute (of the last 8 days), 62 days by hour, 400 days by day.',
  }),
  agent_id: AgentId.optional().meta({ description: 'Runs of this agent.' }),
  agent_version: VersionNumber.optional().meta({ description: 'Needs `agent_id`.' }),
  api_key_id: ApiKeyId.optional().meta({ description: 'Runs that this API key created.' }),
  time_zone: z
    .string()
    .max(fieldLimits.zoneChars)
    .regex(/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/, 'must be the name of a time zone, such as Europe/Berlin')
    .optional()
    .meta({ description: 'Where days begin. Default: UTC.' }),
}

export const usage = {
  get: operation({
    method: 'GET',
    path: '/usage',
    summary: 'Show plan limits and monthly usage',
    description: 'With a key that is narrowed to some agents, the figures of runs are those of its agents.',
    scope: 'usage:read',
    // Quota and storage are those of the organisation.
    allRuns: true,
    names: 'agents',
    status: 200,
    input: z.strictObject({
      month: z
        .string()
        .regex(/^20[0-9]{2}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')
        .optional()
        .meta({ description: 'A month of the last 13, UTC. Default: this month.', examples: ['2026-11'] }),
    }),
    output: Usage,
    errors: ['input_invalid'],
  }),
} as const

export const analytics = {
  get: operation({
    method: 'GET',
    path: '/analytics',
    summary: 'Show how runs went',
    description: 'Totals, percentiles, a series and lists of a period, with the totals of the period before.',
    scope: 'analytics:read',
    allRuns: true,
    names: 'agents',
    status: 200,
    input: z.strictObject({
      ...asked,
      group_by: z
        .enum(analyticsGroups)
        .optional()
        .meta({ description: 'Also by agent, version, error code or API key.' }),
    }),
    output: Analytics,
    errors: ['input_invalid', 'range_too_large'],
  }),
  export: operation({
    method: 'GET',
    path: '/analytics/export',
    summary: 'Export the series as CSV',
    description:
      'Returns `text/csv`, or JSON with the CSV in `content` to a client that accepts `application/json` by name.',
    scope: 'analytics:read',
    allRuns: true,
    names: 'agents',
    csv: true,
    status: 200,
    input: z.strictObject(asked),
    output: AnalyticsExport,
    errors: ['input_invalid', 'range_too_large'],
  }),
} as const
