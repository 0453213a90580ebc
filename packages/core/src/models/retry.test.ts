import fc from 'fast-check'
import { expect, test } from 'vitest'
import { modelsBounds } from './bounds.ts'
import { decideRetry, retryAfterMsOf } from './retry.ts'

test('the maximum back-off doubles with each attempt, and jitter picks a point below it (modelsBounds.backOff)', () => {
  const waits = [1, 2, 3, 4].map((failedTries) => decideRetry({ failedTries, retryAfterMs: undefined, random: 0.5 }))
  expect(waits).toEqual([500, 1000, 2000, 4000].map((waitMs) => ({ retry: true, waitMs })))
  expect(decideRetry({ failedTries: modelsBounds.tries.count, retryAfterMs: undefined, random: 0 })).toEqual({
    retry: false,
  })
})

test('a provider is never called earlier than its Retry-After, and not again if that is too long', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: modelsBounds.tries.count - 1 }),
      fc.integer({ min: 0, max: 200_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failedTries, retryAfterMs, random) => {
        const decision = decideRetry({ failedTries, retryAfterMs, random })
        expect(decision.retry).toBe(retryAfterMs <= modelsBounds.retryAfter.ms)
        if (decision.retry) expect(decision.waitMs).toBeGreaterThanOrEqual(retryAfterMs)
      },
    ),
  )
})

test('Retry-After is parsed as seconds and as a date', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')
  expect(retryAfterMsOf({ 'retry-after': '7' }, now)).toBe(7000)
  expect(retryAfterMsOf({ 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' }, now)).toBe(30_000)
  expect(retryAfterMsOf({ 'retry-after': 'Mon, 31 Dec 2029 00:00:30 GMT' }, now)).toBe(0)
  expect(retryAfterMsOf({ 'retry-after-ms': '250', 'retry-after': '1' }, now)).toBe(250)
})

test.for(['', 'soon', '-5', '1e9', 'NaN', '99999999999999999999'])('an invalid Retry-After is ignored: %s', (value) => {
  expect(retryAfterMsOf({ 'retry-after': value }, 0)).toBeUndefined()
})
