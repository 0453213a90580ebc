import type { Alert, AlertPreview, AlertRule } from '@agent-run-service/sdk'
import { ago, id, ids } from './base.ts'

const ruleOf = (n: number, part: Partial<AlertRule> & Pick<AlertRule, 'name' | 'metric' | 'threshold'>): AlertRule => ({
  id: id('alr', n),
  object: 'alert_rule',
  error_code: null,
  agent_id: null,
  operator: 'above',
  window_seconds: 300,
  for_seconds: 0,
  min_sample_size: 10,
  severity: 'warning',
  enabled: true,
  state: 'ok',
  alert_id: null,
  stale: false,
  created_at: ago(40 - n, 'days'),
  ...part,
})

const failures = ruleOf(1, {
  name: 'Refunds fail',
  metric: 'failure_rate',
  threshold: 0.05,
  agent_id: ids.refunds,
  window_seconds: 900,
  severity: 'critical',
  state: 'firing',
  alert_id: id('alt', 1),
})
const slow = ruleOf(2, {
  name: 'Slow runs',
  metric: 'latency_p95_ms',
  threshold: 10_000,
  for_seconds: 300,
  state: 'pending',
})
const cost = ruleOf(3, { name: 'Cost of an hour', metric: 'cost_per_hour_usd', threshold: 60, window_seconds: 3_600 })
const errors = ruleOf(4, {
  name: 'Tools fail',
  metric: 'error_code_count',
  error_code: 'tool_error',
  threshold: 50,
  window_seconds: 1_800,
})
const quota = ruleOf(5, { name: 'Quota nearly used', metric: 'quota_used', threshold: 0.9, severity: 'info' })
const idle = ruleOf(6, {
  name: 'No traffic',
  metric: 'runs_per_minute',
  operator: 'below',
  threshold: 1,
  severity: 'critical',
  enabled: false,
})

export const rules: readonly AlertRule[] = [failures, slow, cost, errors, quota, idle]

const minutes = [
  0.011, 0.014, 0.009, 0.018, 0.012, 0.022, 0.019, 0.034, 0.058, 0.091, 0.126, 0.148, 0.139, 0.151, 0.163,
]

const alertOf = (
  n: number,
  rule: AlertRule,
  value: number,
  firedMinutes: number,
  lastedMinutes: number | null,
): Alert => {
  const {
    object: _object,
    enabled: _on,
    state: _state,
    alert_id: _alert,
    stale: _stale,
    created_at: _at,
    ...terms
  } = rule
  return {
    id: id('alt', n),
    object: 'alert',
    rule: terms,
    status: lastedMinutes === null ? 'firing' : 'resolved',
    severity: rule.severity,
    triggered_at: ago(firedMinutes),
    resolved_at: lastedMinutes === null ? null : ago(firedMinutes - lastedMinutes),
    resolution: lastedMinutes === null ? null : 'recovered',
    snapshot: {
      metric: rule.metric,
      value,
      threshold: rule.threshold,
      window_start: ago(firedMinutes + 15),
      window_end: ago(firedMinutes),
      sample_size: 1_418,
      series: minutes.map((each, at) => ({
        at: ago(firedMinutes + 15 - at),
        value: rule === failures ? each : (each / 0.05) * rule.threshold,
      })),
    },
    test: false,
  }
}

export const alerts: readonly Alert[] = [
  alertOf(1, failures, 0.072, 9, null),
  alertOf(2, cost, 63.4, 380, 75),
  alertOf(3, slow, 12_840, 1_610, 22),
  alertOf(4, failures, 0.061, 2_900, 41),
  alertOf(5, errors, 71, 4_420, 35),
  alertOf(6, slow, 10_900, 7_800, 18),
]

export const preview: AlertPreview = {
  object: 'alert_preview',
  from: ago(7, 'days'),
  to: ago(0),
  fired: 3,
  periods: [
    { from: ago(7_810), to: ago(7_770), peak: 0.094 },
    { from: ago(2_900), to: ago(2_859), peak: 0.117 },
    { from: ago(9), to: null, peak: 0.163 },
  ],
}
