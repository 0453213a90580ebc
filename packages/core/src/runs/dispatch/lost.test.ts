import { expect, test } from 'vitest'
import { runsBounds } from '../bounds.ts'
import { isLost } from './lost.ts'

const nowMs = 1_000_000
const answered = { answeredMs: nowMs - 1_000, nowMs }

test.each([
  ['is refused for 15 s', { ...answered, refusedSinceMs: nowMs - runsBounds.invocationRefused.ms }, true],
  ['is refused for less', { ...answered, refusedSinceMs: nowMs - runsBounds.invocationRefused.ms + 1 }, false],
  ['is refused since the last answer', { answeredMs: nowMs - 18_000, nowMs, refusedSinceMs: nowMs - 17_000 }, false],
  ['fails in its handler', { ...answered, refusedSinceMs: undefined }, false],
  [
    'is refused for long, but no worker has answered lately',
    { answeredMs: nowMs - 21_000, nowMs, refusedSinceMs: 0 },
    false,
  ],
] as const)('an invocation that %s: %o: %s', (_what, times, lost) => {
  expect(isLost(times)).toBe(lost)
})
