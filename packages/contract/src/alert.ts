import { z } from 'zod'
import { createdAt } from './fields.ts'
import { AgentId, AlertId, AlertRuleId } from './ids.ts'
import { limits } from './limits.ts'
import { RunErrorName } from './run.ts'

export const alertMetrics = [
  'failure_rate',
  'latency_p95_ms',
  'queue_wait_p95_ms',
  'runs_per_minute',
  'tokens_per_hour',
  'cost_per_hour_usd',
  'error_code_count',
  'webhook_failure_rate',
  'quota_used',
  'action_waiting_minutes',
] as const

export const AlertMetric = z.enum(alertMetrics).meta({
  id: 'AlertMetric',
  description:
    'The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares from 0 to 1. ' +
    '`action_waiting_minutes` is the age of the oldest decision that a run waits for.',
})

export type AlertMetric = z.infer<typeof AlertMetric>

export const alertSeverities = ['info', 'warning', 'critical'] as const
export const alertStatuses = ['firing', 'resolved'] as const

const Severity = z.enum(alertSeverities).meta({ id: 'AlertSeverity', description: 'How urgent it is.' })
const Operator = z
  .enum(['above', 'below'])
  .meta({ id: 'AlertOperator', description: 'The side of the threshold on which the rule fires.' })

/** What a rule watches and when it fires. The defaults are those of a new rule. */
export const ruleTerms = {
  name: z.string().min(1).max(limits.alertRuleNameChars).meta({ description: 'The name of the rule.' }),
  metric: AlertMetric,
  error_code: RunErrorName.nullable().meta({ description: 'For `error_code_count`: the failures that are counted.' }),
  agent_id: AgentId.nullable().meta({ description: 'The agent; null: the whole organisation.' }),
  operator: Operator,
  threshold: z.number().min(0).max(limits.alertThresholdMax).meta({ description: 'In the unit of the metric.' }),
  window_seconds: z
    .int()
    .min(limits.alertWindowMinSeconds)
    .max(limits.alertWindowMaxSeconds)
    .multipleOf(60)
    .meta({ multipleOf: 60, description: 'The time over which the value is computed: whole minutes.' }),
  for_seconds: z
    .int()
    .min(0)
    .max(limits.alertForMaxSeconds)
    .meta({ description: 'How long the value must be beyond the threshold before the rule fires.' }),
  min_sample_size: z
    .int()
    .min(1)
    .max(limits.alertSampleSizeMax)
    .meta({ description: 'For shares and percentiles: with fewer runs or deliveries, the window has no value.' }),
  severity: Severity,
} as const

const AlertTerms = z
  .object({ id: AlertRuleId, ...ruleTerms })
  .meta({ id: 'AlertTerms', description: 'The rule as it was when it fired.' })

export type AlertTerms = z.infer<typeof AlertTerms>

export const AlertRule = z
  .object({
    id: AlertRuleId,
    object: z.literal('alert_rule'),
    ...ruleTerms,
    enabled: z.boolean().meta({ description: 'Whether it is evaluated.' }),
    state: z.enum(['ok', 'pending', 'firing']).meta({
      id: 'AlertRuleState',
      description: '`pending`: the value is beyond the threshold, for less than `for_seconds` so far.',
    }),
    alert_id: AlertId.nullable().meta({ description: 'The alert that fires now; null: none does.' }),
    stale: z.boolean().meta({
      description: 'The figures are older than 60 seconds, so the rule keeps its state until they are counted.',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'AlertRule' })

export type AlertRule = z.infer<typeof AlertRule>

const SeriesPoint = z
  .object({
    at: z.iso.datetime().meta({ description: 'The start of the minute.' }),
    value: z.number().nullable().meta({ description: 'The value of that minute; null: it has none.' }),
  })
  .meta({ id: 'AlertSeriesPoint' })

export const AlertSnapshot = z
  .object({
    metric: AlertMetric,
    value: z.number().meta({ description: 'The value of the metric.' }),
    threshold: z.number().meta({ description: 'The threshold of the rule.' }),
    window_start: z.iso.datetime().meta({ description: 'The start of the time that was evaluated.' }),
    window_end: z.iso.datetime().meta({ description: 'The end of the time that was evaluated.' }),
    sample_size: z.int().meta({ description: 'The number of runs or deliveries in the window.' }),
    series: z.array(SeriesPoint).meta({ description: 'The values of the window by minute, at most 60.' }),
  })
  .meta({ id: 'AlertSnapshot', description: 'The values when the alert fired.' })

export type AlertSnapshot = z.infer<typeof AlertSnapshot>

export const Alert = z
  .object({
    id: AlertId,
    object: z.literal('alert'),
    rule: AlertTerms,
    status: z.enum(alertStatuses).meta({ id: 'AlertStatus', description: 'Whether the rule still fires.' }),
    severity: Severity,
    triggered_at: z.iso.datetime().meta({ description: 'When it fired.' }),
    resolved_at: z.iso.datetime().nullable().meta({ description: 'When it was resolved; null before.' }),
    resolution: z
      .enum(['recovered', 'rule_changed', 'rule_deleted'])
      .meta({
        id: 'AlertResolution',
        description: 'Why it was resolved. `rule_changed`: also because it was disabled.',
      })
      .nullable(),
    snapshot: AlertSnapshot,
    test: z.boolean().meta({ description: 'Somebody tested the rule. A test is sent and not stored.' }),
  })
  .meta({ id: 'Alert', description: 'A rule that fired.' })

export type Alert = z.infer<typeof Alert>

const FiringPeriod = z
  .object({
    from: z.iso.datetime().meta({ description: 'When it would have fired.' }),
    to: z.iso.datetime().nullable().meta({ description: 'When it would have resolved; null: it would still fire.' }),
    peak: z.number().meta({ description: 'The value farthest beyond the threshold.' }),
  })
  .meta({ id: 'FiringPeriod' })

export const AlertPreview = z
  .object({
    object: z.literal('alert_preview'),
    from: z.iso.datetime().meta({ description: 'The start of the time that was evaluated.' }),
    to: z.iso.datetime().meta({ description: 'The end of the time that was evaluated.' }),
    fired: z.int().meta({ description: 'How many times it would have fired.' }),
    periods: z.array(FiringPeriod).meta({ description: 'The last 100 of these times, oldest first.' }),
  })
  .meta({ id: 'AlertPreview' })

export type AlertPreview = z.infer<typeof AlertPreview>
