import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyLevel, type Level, read, take } from './gcra.ts'
import { policyOf, verdictOf } from './verdict.ts'

const free = { id: 'a', requestsPerMinute: 100, burst: 150 }

describe('the rate limit headers of a caller', () => {
  test('are the burst, the rest of it and the seconds until the next request passes', () => {
    const verdict = verdictOf({ bucket: free, policy: policyOf(free) }, true, {
      remaining: 149,
      nextUs: 0,
    })
    expect(verdict).toEqual({
      allowed: true,
      limit: 150,
      remaining: 149,
      resetSeconds: 0,
      retryAfterSeconds: 0,
      policy: '"requests";q=150;w=90',
    })
  })

  test('of a refusal name the first whole second at which a request passes', () => {
    const bucket = fc.record({
      id: fc.constant('a'),
      requestsPerMinute: fc.integer({ min: 1, max: 20_000 }),
      burst: fc.integer({ min: 1, max: 50 }),
    })
    fc.assert(
      fc.property(
        bucket,
        fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 60, maxLength: 90 }),
        (of, pauses) => {
          const size = { ...of, weight: 1 }
          let level: Level = emptyLevel
          let nowUs = 0
          for (const pause of pauses) {
            nowUs += pause
            const taken = take(level, size, nowUs)
            level = taken.level
            if (taken.allowed) continue
            const verdict = verdictOf({ bucket: of, policy: '' }, false, read(level.used, size))
            const { retryAfterSeconds } = verdict
            expect(verdict.resetSeconds).toBe(retryAfterSeconds)
            const passesAfter = (seconds: number): boolean => take(level, size, nowUs + seconds * 1_000_000).allowed
            expect(passesAfter(retryAfterSeconds)).toBe(true)
            expect(passesAfter(retryAfterSeconds - 1)).toBe(false)
          }
        },
      ),
    )
  })
})
