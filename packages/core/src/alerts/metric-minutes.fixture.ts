import type { PreviewAlertRule } from '@ars/contract'
import type { MetricMinute } from '../usage/index.ts'

const base = Date.parse('2026-01-15T09:00:00Z')
const minuteMs = 60_000
export const at = (minutes: number, seconds = 0): Date => new Date(base + minutes * minuteMs + seconds * 1_000)
export const minute = (number: number, more: Partial<MetricMinute> = {}): MetricMinute => ({
  minute: at(number),
  completed: 0,
  failed: 0,
  cancelled: 0,
  tokens: 0,
  costUsd: 0,
  errors: {},
  latency: {},
  queue: {},
  deliveriesSucceeded: 0,
  deliveriesFailed: 0,
  ...more,
})

export const failures: PreviewAlertRule = {
  metric: 'failure_rate',
  error_code: null,
  agent_id: null,
  operator: 'above',
  threshold: 0.1,
  window_seconds: 300,
  for_seconds: 0,
  min_sample_size: 10,
}
