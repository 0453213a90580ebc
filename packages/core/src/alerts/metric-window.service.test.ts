import type { AlertMetric, PreviewAlertRule } from '@ars/contract'
import { expect, test } from 'vitest'
import type { MetricMinute } from '../usage/index.ts'
import { spanOf } from './alert-metric.ts'
import { readWindow, seriesOf } from './metric-window.service.ts'
import { previewOf } from './preview.service.ts'

const base = Date.parse('2026-01-15T09:00:00Z')
const minuteMs = 60_000
const at = (minutes: number, seconds = 0): Date => new Date(base + minutes * minuteMs + seconds * 1_000)
const minute = (number: number, more: Partial<MetricMinute> = {}): MetricMinute => ({
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
const measure = (metric: AlertMetric, error_code: string | null = null) => ({
  metric,
  error_code,
  window_seconds: 300,
  min_sample_size: 10,
})

test('a window holds whole minutes and nothing from before it', () => {
  expect(spanOf({ window_seconds: 300 }, at(10))).toEqual({ from: at(5), to: at(10) })
  expect(spanOf({ window_seconds: 300 }, at(10, 20))).toEqual({ from: at(6), to: at(10, 20) })
})

const minutes = [
  minute(6, { completed: 30, failed: 10, cancelled: 5, tokens: 4_000, costUsd: 0.5, errors: { model_error: 7 } }),
  minute(8, { completed: 60, tokens: 6_000, costUsd: 0.5, latency: { '100': 95, '200': 5 }, queue: { '50': 20 } }),
  minute(9, { deliveriesSucceeded: 15, deliveriesFailed: 5, latency: { '200': 5 } }),
]

test.each([
  ['failure_rate', 0.1, 100],
  ['runs_per_minute', 21, 105],
  ['tokens_per_hour', 120_000, 105],
  ['cost_per_hour_usd', 12, 105],
  ['error_code_count', 7, 105],
  ['webhook_failure_rate', 0.25, 20],
] as const)('%s is computed over the window', (metric, value, sampleSize) => {
  const code = metric === 'error_code_count' ? 'model_error' : null
  const reading = readWindow(measure(metric, code), minutes, { from: at(5), to: at(10) })
  expect(reading.value).toBeCloseTo(value, 10)
  expect(reading.sampleSize).toBe(sampleSize)
})

test('percentiles are those of all values of the window', () => {
  const span = { from: at(5), to: at(10) }
  // 105 values; the 100th in order is the first of the slow ones.
  expect(readWindow(measure('latency_p95_ms'), minutes, span).value).toBeCloseTo((2 * 1.02 ** 200) / 2.02, 6)
  expect(readWindow(measure('queue_wait_p95_ms'), minutes, span)).toMatchObject({ sampleSize: 20 })
})

test('shares and percentiles of too few samples have no value; counts and rates need none', () => {
  const few = [minute(6, { completed: 5, failed: 4, latency: { '100': 9 } })]
  const span = { from: at(5), to: at(10) }
  expect(readWindow(measure('failure_rate'), few, span)).toMatchObject({ value: null, sampleSize: 9 })
  expect(readWindow(measure('latency_p95_ms'), few, span).value).toBeNull()
  expect(readWindow(measure('runs_per_minute'), [], span).value).toBe(0)
  expect(readWindow(measure('failure_rate'), [], span).value).toBeNull()
})

test('the series has a point for each minute of the window, and at most 60', () => {
  const series = seriesOf(measure('failure_rate'), minutes, { from: at(6), to: at(10, 20) })
  expect(series).toEqual([
    { at: at(6).toISOString(), value: 0.25 },
    { at: at(7).toISOString(), value: null },
    { at: at(8).toISOString(), value: 0 },
    { at: at(9).toISOString(), value: null },
    { at: at(10).toISOString(), value: null },
  ])
  const longest = spanOf({ window_seconds: 3_600 }, at(100, 1))
  expect(seriesOf(measure('failure_rate'), [], longest)).toHaveLength(60)
})

const failures: PreviewAlertRule = {
  metric: 'failure_rate',
  error_code: null,
  agent_id: null,
  operator: 'above',
  threshold: 0.1,
  window_seconds: 300,
  for_seconds: 0,
  min_sample_size: 10,
}

test('a preview tells when the rule would have fired, until when, and the peak', async () => {
  const history = Array.from({ length: 120 }, (_, number) => {
    const isBad = number >= 60 && number < 70
    return minute(number, { completed: isBad ? 14 : 20, failed: isBad ? 6 : 0 })
  })
  const { fired, periods } = await previewOf(failures, history, { from: at(0), to: at(120) })
  expect(fired).toBe(1)
  // The second bad minute makes 12 of 100; the last one leaves the window after 75, and the window is clear at 74.
  expect(periods).toEqual([{ from: at(62).toISOString(), to: at(79).toISOString(), peak: expect.closeTo(0.3, 10) }])
})

test('a preview of seven days slides over every minute in little time and agrees with the window', async () => {
  const week = Array.from({ length: 10_080 }, (_, number) =>
    minute(number, { completed: 100, latency: { [100 + (number % 300)]: 95, [500 + (number % 7)]: 5 } }),
  )
  const slow = { ...failures, metric: 'latency_p95_ms', threshold: 1_000, window_seconds: 3_600 } as const
  const started = performance.now()
  const { fired, periods } = await previewOf(slow, week, { from: at(0), to: at(10_080) })
  expect(performance.now() - started).toBeLessThan(5_000)
  expect(fired).toBeGreaterThan(0)
  const firedAt = new Date(periods[0]?.from ?? 0)
  const span = spanOf(slow, firedAt)
  const inside = week.filter((each) => each.minute >= span.from && each.minute < span.to)
  expect(readWindow(slow, inside, span).value).toBeGreaterThan(1_000)
})
