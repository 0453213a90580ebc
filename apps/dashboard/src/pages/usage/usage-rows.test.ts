import type { UsageFigures } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { daysOf, monthName, monthsUntil } from './usage-rows.ts'

const figures: UsageFigures = {
  runs: 3,
  completed: 2,
  failed: 1,
  cancelled: 0,
  input_tokens: 10,
  output_tokens: 5,
  cached_tokens: 0,
  cost_usd: 0.5,
  unpriced_runs: 0,
}

test('the picker has this month and the twelve before', () => {
  const months = monthsUntil(Date.parse('2026-03-31T23:59:59Z'))
  expect([months.length, months[0], months[1], months.at(-1)]).toEqual([13, '2026-03', '2026-02', '2025-03'])
  expect(monthName('2025-12')).toBe('December 2025')
})

test('a day without runs is a gap, and days to come are not shown', () => {
  const period = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' }
  const days = daysOf({ period, by_day: [{ date: '2026-03-02', figures }] }, Date.parse('2026-03-03T10:00:00Z'))
  expect(days.map(({ time, figures: found }) => [time.toISOString().slice(0, 10), found?.runs ?? null])).toEqual([
    ['2026-03-01', null],
    ['2026-03-02', 3],
    ['2026-03-03', null],
  ])
  expect(daysOf({ period, by_day: [] }, Date.parse('2026-06-01')).length).toBe(31)
})
