import { z } from 'zod'
import { Alert, AlertPreview, AlertRule, alertSeverities, alertStatuses, ruleTerms } from './alert.ts'
import { AgentId, AlertId, AlertRuleId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const { name, metric, error_code, agent_id, operator, threshold } = ruleTerms
const { window_seconds, for_seconds, min_sample_size, severity } = ruleTerms

/** The terms of a new rule. Most have a default. */
const newTerms = {
  metric,
  error_code: error_code.default(null),
  agent_id: agent_id.default(null),
  operator: operator.default('above'),
  threshold,
  window_seconds: window_seconds.default(limits.alertWindowDefaultSeconds),
  for_seconds: for_seconds.default(0),
  min_sample_size: min_sample_size.default(limits.alertSampleSizeDefault),
} as const

const enabled = AlertRule.shape.enabled

export const CreateAlertRule = z
  .strictObject({ name, ...newTerms, severity: severity.default('warning'), enabled: enabled.default(true) })
  .meta({ id: 'CreateAlertRule' })

export type CreateAlertRule = z.output<typeof CreateAlertRule>

export const UpdateAlertRule = z
  .strictObject({
    id: AlertRuleId,
    name: name.optional(),
    operator: operator.optional(),
    threshold: threshold.optional(),
    window_seconds: window_seconds.optional(),
    for_seconds: for_seconds.optional(),
    min_sample_size: min_sample_size.optional(),
    severity: severity.optional(),
    enabled: enabled.optional(),
  })
  .meta({ id: 'UpdateAlertRule', minProperties: 1 })

export type UpdateAlertRule = z.output<typeof UpdateAlertRule>

export const PreviewAlertRule = z.strictObject(newTerms).meta({ id: 'PreviewAlertRule' })

export type PreviewAlertRule = z.output<typeof PreviewAlertRule>

const one = z.strictObject({ id: AlertRuleId })
// A rule belongs to an agent or to the whole organisation. The caller's agents decide which rules it sees.
const reading = { method: 'GET', scope: 'alerts:read', names: 'agents', allRuns: true, status: 200 } as const
const writing = { scope: 'alerts:write', names: 'agents', allRuns: true } as const

export const alertRules = {
  list: operation({
    ...reading,
    path: '/alert-rules',
    summary: 'List alert rules',
    input: z.strictObject({ ...Paging(AlertRuleId), agent_id: AgentId.optional() }),
    output: listOf(AlertRule, 'AlertRuleList'),
    errors: [],
  }),
  create: operation({
    ...writing,
    method: 'POST',
    path: '/alert-rules',
    summary: 'Create an alert rule',
    description:
      'The service evaluates the rule about every 10 seconds. When it fires, `alert.triggered` is sent once. It resolves when ' +
      'the value has stayed 10 % clear of the threshold, or absent, for the longest of its window, `for_seconds` and 5 minutes.',
    status: 201,
    input: CreateAlertRule,
    output: AlertRule,
    errors: ['not_found', 'input_invalid', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  get: operation({
    ...reading,
    path: '/alert-rules/{id}',
    summary: 'Get an alert rule by id',
    input: one,
    output: AlertRule,
    errors: ['not_found'],
  }),
  update: operation({
    ...writing,
    method: 'PATCH',
    path: '/alert-rules/{id}',
    summary: 'Change or disable an alert rule',
    description:
      'If more than name or severity changes, the rule starts again in state `ok` and its alert is resolved.',
    status: 200,
    input: UpdateAlertRule,
    output: AlertRule,
    errors: ['not_found', 'input_invalid'],
  }),
  delete: operation({
    ...writing,
    method: 'DELETE',
    path: '/alert-rules/{id}',
    summary: 'Delete an alert rule',
    description: 'Its alert is resolved. Alerts of the past are kept.',
    status: 200,
    input: one,
    output: AlertRule,
    errors: ['not_found'],
  }),
  test: operation({
    ...writing,
    method: 'POST',
    path: '/alert-rules/{id}/test',
    summary: 'Send a test alert',
    description:
      'Sends `alert.triggered` of this rule with `test: true` to every webhook that subscribes to it. Its value is the threshold, ' +
      'and the alert is not stored.',
    status: 200,
    input: one.meta({ id: 'TestAlertRule' }),
    output: Alert,
    errors: ['not_found'],
  }),
  preview: operation({
    ...writing,
    scope: 'alerts:read',
    method: 'POST',
    path: '/alert-rules/preview',
    summary: 'Preview an alert rule',
    description:
      'Returns when the rule would have fired over the last 7 days, evaluated for every minute. `quota_used` and ' +
      '`action_waiting_minutes` have no history (`input_invalid`).',
    status: 200,
    input: PreviewAlertRule,
    output: AlertPreview,
    errors: ['not_found', 'input_invalid'],
  }),
} as const

export const alerts = {
  list: operation({
    ...reading,
    path: '/alerts',
    summary: 'List alerts',
    input: z.strictObject({
      ...Paging(AlertId),
      status: commaList(alertStatuses).optional(),
      severity: commaList(alertSeverities).optional(),
      rule_id: AlertRuleId.optional(),
      agent_id: AgentId.optional(),
    }),
    output: listOf(Alert, 'AlertList'),
    errors: [],
  }),
  get: operation({
    ...reading,
    path: '/alerts/{id}',
    summary: 'Get an alert by id',
    input: z.strictObject({ id: AlertId }),
    output: Alert,
    errors: ['not_found'],
  }),
} as const
