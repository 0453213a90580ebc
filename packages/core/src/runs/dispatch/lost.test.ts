import { expect, test } from 'vitest'
import { lossOf, maxRefusedMs } from './lost.ts'

const nowMs = 1_000_000
const unreachable = { isPinnedToOldAddress: false, failure: 'unreachable' } as const
const pinned = { isPinnedToOldAddress: true, failure: 'unreachable' } as const
const other = { isPinnedToOldAddress: false, failure: 'other' } as const
const mismatch = { isPinnedToOldAddress: false, failure: 'mismatch' } as const
const answered = { answeredMs: nowMs - 1_000, nowMs }
const never = { answeredMs: Number.NEGATIVE_INFINITY, nowMs }

test.each([
  ['is pinned to an address that workers have left', pinned, { ...answered, refusedSinceMs: nowMs }, 'moved'],
  ['is pinned, and its handler fails', { ...pinned, failure: 'other' }, { ...answered }, 'moved'],
  ['has a journal that no handler matches', mismatch, { ...answered }, 'mismatch'],
  ['is refused for 15 s', unreachable, { ...answered, refusedSinceMs: nowMs - maxRefusedMs }, 'refused'],
  ['is refused for less', unreachable, { ...answered, refusedSinceMs: nowMs - maxRefusedMs + 1 }, null],
  [
    'is refused since the last answer',
    unreachable,
    { answeredMs: nowMs - 18_000, nowMs, refusedSinceMs: nowMs - 17_000 },
    null,
  ],
  ['fails in its handler', other, { ...answered }, null],
  ['is pinned, but no worker answers', pinned, { ...never, refusedSinceMs: 0 }, null],
  [
    'is refused for long, but no worker has answered lately',
    unreachable,
    { answeredMs: nowMs - 21_000, nowMs, refusedSinceMs: 0 },
    null,
  ],
  ['has a mismatch, but no worker answers', mismatch, { ...never }, null],
] as const)('an invocation that %s: %o %o: %s', (_what, invocation, times, loss) => {
  expect(lossOf(invocation, { refusedSinceMs: undefined, ...times })).toBe(loss)
})
