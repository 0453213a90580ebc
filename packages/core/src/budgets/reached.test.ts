import { expect, test } from 'vitest'
import { reachedPercents } from './reached.ts'

test.each([
  ['below 80 %', 79.99, 0, []],
  ['at 80 %', 80, 0, [80]],
  ['at 100 %', 100, 80, [100]],
  ['past both at once', 250, 0, [80, 100]],
  ['past what was announced', 130, 100, []],
  ['past 80 %, which was announced', 85, 80, []],
])('a budget of 100 dollars %s announces what is new', (_, spent_usd, reached_percent, expected) => {
  expect(reachedPercents({ monthly_usd: 100, spent_usd, reached_percent })).toEqual(expected)
})

test('a budget of nothing is reached at once', () => {
  expect(reachedPercents({ monthly_usd: 0, spent_usd: 0, reached_percent: 0 })).toEqual([80, 100])
})
