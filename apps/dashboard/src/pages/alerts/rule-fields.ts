import {
  type AlertMetric,
  type AlertOperator,
  type AlertRule,
  type AlertRulesPreviewParams,
  type AlertSeverity,
  alertMetrics,
  alertOperators,
  alertSeverities,
  limits,
  type RunErrorCode,
  runErrorCodes,
} from '@agent-run-service/sdk'
import { metrics } from './metrics.ts'

/** The form of a rule. Numbers are kept as they were typed. */
export type RuleFields = {
  name: string
  metric: AlertMetric
  errorCode: RunErrorCode
  agentId: string
  operator: AlertOperator
  threshold: string
  windowMinutes: string
  forMinutes: string
  minSampleSize: string
  severity: AlertSeverity
}

export const newRule: RuleFields = {
  name: '',
  metric: 'failure_rate',
  errorCode: 'internal_error',
  agentId: '',
  operator: 'above',
  threshold: '5',
  windowMinutes: String(limits.alertWindowDefaultSeconds / 60),
  forMinutes: '0',
  minSampleSize: String(limits.alertSampleSizeDefault),
  severity: 'warning',
}

const known = <Value extends string>(values: readonly Value[], value: string | null, other: Value): Value =>
  values.find((each) => each === value) ?? other

const perOf = (metric: AlertMetric): number => metrics[metric].typedPer ?? 1
/** Without the noise of floating point: 0.07 is 7 %, not 7.000000000000001 %. */
const rounded = (value: number): number => Number(value.toPrecision(12))

export const fieldsOf = (rule: AlertRule): RuleFields => {
  const metric = known(alertMetrics, rule.metric, newRule.metric)
  return {
    name: rule.name,
    metric,
    errorCode: known(runErrorCodes, rule.error_code, newRule.errorCode),
    agentId: rule.agent_id ?? '',
    operator: known(alertOperators, rule.operator, 'above'),
    threshold: String(rounded(rule.threshold * perOf(metric))),
    windowMinutes: String(rule.window_seconds / 60),
    forMinutes: String(rounded(rule.for_seconds / 60)),
    minSampleSize: String(rule.min_sample_size),
    severity: known(alertSeverities, rule.severity, 'warning'),
  }
}

/** What the rule watches and when it fires, in the units of the API. */
export const termsOf = (fields: RuleFields) =>
  ({
    metric: fields.metric,
    error_code: fields.metric === 'error_code_count' ? fields.errorCode : null,
    agent_id: metrics[fields.metric].hasNoAgent ? null : fields.agentId || null,
    operator: fields.operator,
    threshold: rounded(Number(fields.threshold) / perOf(fields.metric)),
    window_seconds: Number(fields.windowMinutes) * 60,
    for_seconds: Math.round(Number(fields.forMinutes) * 60),
    min_sample_size: Number(fields.minSampleSize),
  }) satisfies AlertRulesPreviewParams

export const fieldNames = ['name', 'threshold', 'window_seconds', 'for_seconds', 'min_sample_size', 'agent_id'] as const
export type FieldErrors = Partial<Record<(typeof fieldNames)[number], string>>

const isIn = (text: string, min: number, max: number): boolean =>
  text.trim() !== '' && Number(text) >= min && Number(text) <= max

const minutes = {
  least: limits.alertWindowMinSeconds / 60,
  most: limits.alertWindowMaxSeconds / 60,
  longest: limits.alertForMaxSeconds / 60,
} as const

/** The errors of the numbers. The name is needed only when the rule is saved. */
export const checkTerms = (fields: RuleFields): FieldErrors => ({
  ...(!isIn(fields.threshold, 0, metrics[fields.metric].typedPer ?? limits.alertThresholdMax) && {
    threshold: metrics[fields.metric].typedPer
      ? 'Enter a number from 0 to 100.'
      : 'Enter a number that is not negative.',
  }),
  ...(!(isIn(fields.windowMinutes, minutes.least, minutes.most) && Number.isInteger(Number(fields.windowMinutes))) && {
    window_seconds: `Enter whole minutes from ${minutes.least} to ${minutes.most}.`,
  }),
  ...(!isIn(fields.forMinutes, 0, minutes.longest) && { for_seconds: `Enter minutes from 0 to ${minutes.longest}.` }),
  ...(!(isIn(fields.minSampleSize, 1, limits.alertSampleSizeMax) && Number.isInteger(Number(fields.minSampleSize))) && {
    min_sample_size: 'Enter a whole number from 1.',
  }),
})

export const checkFields = (fields: RuleFields): FieldErrors => ({
  ...(fields.name.trim() === '' && { name: 'Give the rule a name.' }),
  ...checkTerms(fields),
})
