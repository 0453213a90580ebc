import { expect, test } from 'vitest'
import { spanOf } from './alert-metric.ts'
import { at, failures, minute } from './metric-minutes.fixture.ts'
import { readWindow } from './metric-window.service.ts'
import { previewOf } from './preview.service.ts'

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
