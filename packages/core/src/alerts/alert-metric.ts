import type { AlertMetric } from '@ars/contract'

/** What a rule measures, and over how long. */
export type Measure = {
  readonly metric: AlertMetric
  readonly error_code: string | null
  readonly window_seconds: number
  readonly min_sample_size: number
}

export type TimeSpan = { readonly from: Date; readonly to: Date }

/** `value` is null where the window has none: too few samples. */
export type MetricReading = TimeSpan & { readonly value: number | null; readonly sampleSize: number }

/** `live`: the value is that of the moment and not of a window; the figures by minute do not have it. */
export type MetricKind = 'share' | 'percentile' | 'per_minute' | 'per_hour' | 'count' | 'live'

const kinds: Readonly<Record<AlertMetric, MetricKind>> = {
  failure_rate: 'share',
  latency_p95_ms: 'percentile',
  queue_wait_p95_ms: 'percentile',
  runs_per_minute: 'per_minute',
  tokens_per_hour: 'per_hour',
  cost_per_hour_usd: 'per_hour',
  error_code_count: 'count',
  webhook_failure_rate: 'share',
  quota_used: 'live',
  action_waiting_minutes: 'live',
}

export const metricKindOf = (metric: AlertMetric): MetricKind => kinds[metric]

export const isLive = (metric: AlertMetric): boolean => kinds[metric] === 'live'

/** Whether the value is a part of a whole, from 0 to 1. */
export const isShare = (metric: AlertMetric): boolean => kinds[metric] === 'share' || metric === 'quota_used'

export const minuteMs = 60_000

/**
 * The whole minutes of the window that ends at `to`; the last may be under way. The span is shorter than the window by less
 * than a minute and never longer, so that after a whole window nothing from before it counts.
 */
export const spanOf = ({ window_seconds }: Pick<Measure, 'window_seconds'>, to: Date): TimeSpan => ({
  from: new Date(Math.ceil((to.getTime() - window_seconds * 1_000) / minuteMs) * minuteMs),
  to,
})
