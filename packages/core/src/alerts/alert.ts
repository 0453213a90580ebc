import type { AlertSnapshot, AlertTerms, Alert as WireAlert } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { type AlertRuleRow, termsOf } from './alert-rule.ts'

/** An alert as the database keeps it. */
export type AlertRow = {
  id: string
  agent_id: string | null
  rule: AlertTerms
  triggered_at: Date
  resolved_at: Date | null
  resolution: WireAlert['resolution']
  snapshot: AlertSnapshot
}

export const toWireAlert = (alert: AlertRow): WireAlert => ({
  id: fromUuid('alt', alert.id),
  object: 'alert',
  rule: alert.rule,
  status: alert.resolved_at === null ? 'firing' : 'resolved',
  severity: alert.rule.severity,
  triggered_at: alert.triggered_at.toISOString(),
  resolved_at: alert.resolved_at?.toISOString() ?? null,
  resolution: alert.resolution,
  snapshot: alert.snapshot,
  test: false,
})

/** An alert that only shows what would be sent: its value is the threshold. */
export const testAlertOf = (rule: AlertRuleRow, { id, at }: { id: string; at: Date }): WireAlert => {
  const { metric, threshold, window_seconds } = rule
  const window = { from: new Date(at.getTime() - window_seconds * 1_000), to: at }
  const reading = { ...window, value: threshold, sampleSize: 0 }
  const snapshot = snapshotOf({ metric, threshold, reading, series: [] })
  const alert = { id, agent_id: rule.agent_id, rule: termsOf(rule), snapshot }
  return { ...toWireAlert({ ...alert, triggered_at: at, resolved_at: null, resolution: null }), test: true }
}

export const snapshotOf = ({ metric, threshold, reading, series }: Seen): AlertSnapshot => ({
  metric,
  value: reading.value,
  threshold,
  window_start: reading.from.toISOString(),
  window_end: reading.to.toISOString(),
  sample_size: reading.sampleSize,
  series,
})

type Seen = Pick<AlertSnapshot, 'metric' | 'threshold' | 'series'> & {
  reading: { from: Date; to: Date; value: number; sampleSize: number }
}
