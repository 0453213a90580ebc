import { expect, test } from 'vitest'
import { cronWords, timingWords } from './timing-words.ts'

test.each([
  ['0 9 * * *', 'Every day at 09:00'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['* * * * *', 'Every minute'],
  ['*/1 * * * *', 'Every minute'],
  ['5 * * * *', 'Every hour at minute 5'],
  ['30 7 * * 1-5', 'Monday to Friday at 07:30'],
  ['30 7 * * 0', 'Every Sunday at 07:30'],
  ['30 7 * * 1,3,7', 'Every Monday, Wednesday and Sunday at 07:30'],
  ['0 0 1 * *', 'On day 1 of each month at 00:00'],
  ['0 12 24 12 *', 'Every year on 24 December at 12:00'],
])('%s is %s', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})

test.each(['*/7 * * * *', '0 9 13 * 5', '0 9,17 * * *', '0 9 * * MON', '61 9 * * *', '0 9 1 13 *', 'every day', ''])(
  '%j has no simple words and stands as it is',
  (cron) => {
    expect(cronWords(cron)).toBe(`Cron ${cron}`)
  },
)

test('the zone, an interval and a single date', () => {
  const none = { cron: null, interval_seconds: null, once_at: null }
  expect(timingWords({ ...none, cron: '0 9 * * *', time_zone: 'Europe/Berlin' })).toBe(
    'Every day at 09:00 (Europe/Berlin)',
  )
  expect(timingWords({ ...none, cron: '0 9 * * *', time_zone: null })).toBe('Every day at 09:00 (UTC)')
  expect(timingWords({ ...none, interval_seconds: 3_600 })).toBe('Every hour')
  expect(timingWords({ ...none, interval_seconds: 900 })).toBe('Every 15 minutes')
  expect(timingWords({ ...none, interval_seconds: 90 })).toBe('Every 1 min 30 s')
  expect(timingWords({ ...none, once_at: '2026-01-01T00:00:00Z' })).toBe('Once')
  expect(timingWords(none)).toBe('No timing')
})
