import { expect, test } from 'vitest'
import { progressShare, progressWords, shareOf } from './trial-words.ts'

test('the progress in words', () => {
  const said = (status: string, seen: number, total: number | null) =>
    progressWords({ status, progress: { seen, total } })
  expect([
    said('queued', 0, null),
    said('running', 3, null),
    said('running', 1_200, 4_000),
    said('completed', 7, 7),
  ]).toEqual(['It begins soon.', '3 runs looked at', '1,200 of about 4,000 runs looked at', '7 runs looked at'])
})

test('the bar never passes its end and has none before the runs are counted', () => {
  const share = (seen: number, total: number | null) => progressShare({ status: 'running', progress: { seen, total } })
  expect([share(1, 4), share(9, 4), share(0, 0), share(5, null)]).toEqual([0.25, 1, undefined, undefined])
})

test('a share of nothing is no number', () => {
  expect([shareOf(1, 4), shareOf(0, 0)]).toEqual(['25.0 %', '–'])
})
