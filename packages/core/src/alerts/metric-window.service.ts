import type { AlertSnapshot } from '@ars/contract'
import { type Histogram, type MetricMinute, quantile, sizeOf } from '../usage/index.ts'
import {
  type Measure,
  type MetricKind,
  type MetricReading,
  metricKindOf,
  minuteMs,
  type TimeSpan,
} from './alert-metric.ts'

/** The sums of a metric over some minutes. Minutes can be added and taken away, so a window can slide. */
export type Sums = { amount: number; samples: number; histogram: Record<string, number> }

export const noSums = (): Sums => ({ amount: 0, samples: 0, histogram: {} })

export const addMinute = (sums: Sums, measure: Measure, minute: MetricMinute): void => include(sums, measure, minute, 1)

export const removeMinute = (sums: Sums, measure: Measure, minute: MetricMinute): void =>
  include(sums, measure, minute, -1)

export const readSums = (sums: Sums, measure: Measure, span: TimeSpan): MetricReading => {
  const kind = metricKindOf(measure.metric)
  const needed = kind === 'share' || kind === 'percentile' ? measure.min_sample_size : 0
  return { ...span, sampleSize: sums.samples, value: sums.samples < needed ? null : valueIn(kind, sums, span) }
}

/** The value of the window of these minutes, which lie in the span. */
export const readWindow = (measure: Measure, minutes: readonly MetricMinute[], span: TimeSpan): MetricReading => {
  const sums = noSums()
  for (const minute of minutes) addMinute(sums, measure, minute)
  return readSums(sums, measure, span)
}

/** The value of each minute of the span, for people. A minute needs no minimum of samples. */
export const seriesOf = (
  measure: Measure,
  minutes: readonly MetricMinute[],
  { from, to }: TimeSpan,
): AlertSnapshot['series'] => {
  const byTime = new Map(minutes.map((minute) => [minute.minute.getTime(), minute]))
  const starts = Array.from(
    { length: Math.ceil((to.getTime() - from.getTime()) / minuteMs) },
    (_, at) => from.getTime() + at * minuteMs,
  )
  return starts.map((start) => {
    const minute = byTime.get(start)
    const span = { from: new Date(start), to: new Date(Math.min(start + minuteMs, to.getTime())) }
    const { value } = readWindow({ ...measure, min_sample_size: 1 }, minute ? [minute] : [], span)
    return { at: span.from.toISOString(), value }
  })
}

const include = (sums: Sums, measure: Measure, minute: MetricMinute, sign: 1 | -1): void => {
  const { amount, samples, histogram = {} } = figuresOf(measure, minute)
  sums.amount += sign * amount
  sums.samples += sign * samples
  for (const [index, count] of Object.entries(histogram)) {
    const sum = (sums.histogram[index] ?? 0) + sign * count
    if (sum === 0) delete sums.histogram[index]
    else sums.histogram[index] = sum
  }
}

type Figures = { amount: number; samples: number; histogram?: Histogram }

/** What a minute adds to the sums of a metric. */
const figuresOf = ({ metric, error_code }: Measure, minute: MetricMinute): Figures => {
  const { completed, failed, deliveriesSucceeded, deliveriesFailed, latency, queue } = minute
  const samples = completed + failed + minute.cancelled
  switch (metric) {
    case 'failure_rate':
      return { amount: failed, samples: completed + failed }
    case 'webhook_failure_rate':
      return { amount: deliveriesFailed, samples: deliveriesSucceeded + deliveriesFailed }
    case 'latency_p95_ms':
      return { amount: 0, samples: sizeOf(latency), histogram: latency }
    case 'queue_wait_p95_ms':
      return { amount: 0, samples: sizeOf(queue), histogram: queue }
    case 'runs_per_minute':
      return { amount: samples, samples }
    case 'tokens_per_hour':
      return { amount: minute.tokens, samples }
    case 'cost_per_hour_usd':
      return { amount: minute.costUsd, samples }
    case 'error_code_count':
      return { amount: minute.errors[error_code ?? ''] ?? 0, samples }
    case 'quota_used':
    case 'action_waiting_minutes':
      return { amount: 0, samples: 0 }
  }
}

const valueIn = (kind: MetricKind, { amount, samples, histogram }: Sums, { from, to }: TimeSpan): number | null => {
  const minutes = (to.getTime() - from.getTime()) / minuteMs
  switch (kind) {
    case 'share':
      return samples === 0 ? null : amount / samples
    case 'percentile':
      return quantile(histogram, 0.95)
    case 'per_minute':
      return minutes <= 0 ? null : amount / minutes
    case 'per_hour':
      return minutes <= 0 ? null : (amount * 60) / minutes
    case 'count':
      return amount
    case 'live':
      return null
  }
}
