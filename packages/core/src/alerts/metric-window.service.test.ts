import type { AlertMetric } from '@ars/contract'
import { expect, test } from 'vitest'
import { spanOf } from './alert-metric.ts'
import { at, failures, minute } from './metric-minutes.fixture.ts'
import { readWindow, seriesOf } from './metric-window.service.ts'
import { previewOf } from './preview.service.ts'

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
