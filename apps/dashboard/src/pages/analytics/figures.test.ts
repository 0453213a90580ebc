import type { AnalyticsFigures } from '@agent-run-service/sdk'
import { expect, test } from 'vitest'
import { changeOf, pointsOf } from './figures.ts'

test.each([
  ['a count', { isMoreBetter: null }, 112, 100, '+12.0 %', 'plain'],
  ['a longer duration', { isMoreBetter: false }, 1_500, 1_000, '+50.0 %', 'bad'],
  ['a shorter duration', { isMoreBetter: false }, 500, 1_000, '−50.0 %', 'good'],
  ['a share', { isMoreBetter: true, isShare: true }, 0.97, 0.98, '−1.0 points', 'bad'],
  ['no share before', { isMoreBetter: true, isShare: true }, 0.97, null, null, 'plain'],
  ['nothing before', { isMoreBetter: null }, 5, 0, null, 'plain'],
  ['the same', { isMoreBetter: true }, 100, 100.01, 'No change', 'plain'],
] as const)('the change of %s against the period before', (_, figure, now, before, text, tone) => {
  expect(changeOf(figure, now, before)).toEqual({ text, tone })
})

const found = { runs: 1 } as AnalyticsFigures

test('an interval without runs is a gap, and every point knows its end', () => {
  const points = pointsOf({
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-01T03:00:00.000Z',
    interval: 'hour',
    time_zone: 'UTC',
    series: [{ started_at: '2026-03-01T01:00:00.000Z', figures: found }],
  })
  expect(points.map(({ time, end, figures }) => [time.getUTCHours(), end.getUTCHours(), figures])).toEqual([
    [0, 1, null],
    [1, 2, found],
    [2, 3, null],
  ])
})

test('days of a time zone begin at its midnight', () => {
  const midnight = new Date(2026, 2, 1)
  const points = pointsOf({
    from: midnight.toISOString(),
    to: new Date(2026, 3, 1).toISOString(),
    interval: 'day',
    time_zone: 'Europe/Berlin',
    series: [],
  })
  expect(points).toHaveLength(31)
  expect(new Set(points.map(({ time }) => time.getHours()))).toEqual(new Set([0]))
})
