import { describe, expect, test } from 'vitest'
import { checkExact, type RatedCall, tallyOf } from './rates.ts'

const rate = { requestsPerMinute: 60, burst: 10 }
/** Calls at this rate for this many seconds, answered after 10 ms; those that the function selects pass. */
const calls = (perSecond: number, seconds: number, passes: (n: number) => boolean): RatedCall[] =>
  Array.from({ length: perSecond * seconds + 1 }, (_, n) => ({
    sentMs: (n * 1000) / perSecond,
    answeredMs: (n * 1000) / perSecond + 10,
    gateway: n % 2,
    status: passes(n) ? 404 : 429,
    retryAfterSeconds: undefined,
  }))

describe('a limit', () => {
  test('is exact when burst and rate over the time passed', () => {
    // Two a second: the burst of 10 lasts for 19 calls, then every second one passes.
    const tally = tallyOf(
      calls(2, 60, (n) => n < 19 || n % 2 === 0),
      rate,
    )
    expect(tally).toMatchObject({ calls: 121, passed: 70, refused: 51, others: [], least: 69, most: 70 })
    expect(checkExact('a', tally, 0.01)).toEqual([])
  })

  test('that lets more or fewer pass is not', () => {
    const all = calls(2, 60, () => true)
    expect(checkExact('a', tallyOf(all, rate), 0.01)).toEqual(['a: 121 of 121 passed, 70 at the most'])
    const few = calls(2, 60, (n) => n < 60)
    expect(checkExact('a', tallyOf(few, rate), 0.01)).toEqual(['a: 60 of 121 passed, 69 at the least'])
  })

  test('is not blamed for more than was asked for, nor praised for answers that are neither', () => {
    const few = calls(1, 4, () => true).map((call, n) => (n === 2 ? { ...call, status: 503 } : call))
    expect(tallyOf(few, rate)).toMatchObject({ passed: 4, others: ['503'], least: 5 })
  })
})
