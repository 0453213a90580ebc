import { expect, test } from 'vitest'
import { retryLine } from './open-stream.ts'

test.each([
  [1, 5_000],
  [125, 5_000],
  [250, 10_000],
  [750, 30_000],
  [15_000, 30_000],
])('when %i streams end at once, clients reconnect over %i ms and none within the first second', (ending, withinMs) => {
  expect(retryLine(0, ending)).toBe('retry: 1000\n\n')
  expect(retryLine(0.999_999, ending)).toBe(`retry: ${withinMs}\n\n`)
})

test('a client with a single broken connection reconnects within five seconds', () => {
  expect(retryLine(0.5)).toBe('retry: 3000\n\n')
})
