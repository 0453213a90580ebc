import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyLevel, type Level, read, type Size, take, unitsPerRequest } from './gcra.ts'

const size = fc.record({
  requestsPerMinute: fc.oneof(
    fc.constantFrom(10, 100, 1_000, 10_000),
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.integer({ min: 1, max: 600 }),
  ),
  burst: fc.oneof(fc.constantFrom(15, 150), fc.integer({ min: 1, max: 400 })),
  weight: fc.constant(1),
})
/** Pauses between requests: none, short and long. */
const pausesUs = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ max: 9e7, min: 0 })),
  {
    minLength: 1,
    maxLength: 300,
  },
)
const startUs = 1_800_000_000_000_000

/** A textbook token bucket, in exact fractions. */
const exactBucket = ({ requestsPerMinute, burst }: Size) => {
  const perRequest = BigInt(unitsPerRequest)
  const capacity = BigInt(burst) * perRequest
  let tokens = capacity
  let lastUs = startUs
  return (nowUs: number): boolean => {
    const refilled = tokens + BigInt(nowUs - lastUs) * BigInt(requestsPerMinute)
    tokens = refilled
    if (tokens > capacity) tokens = capacity
    lastUs = nowUs
    if (tokens < perRequest) return false
    tokens -= perRequest
    return true
  }
}

describe('a bucket', () => {
  test('admits the same requests as a token bucket, over any schedule', () => {
    fc.assert(
      fc.property(size, pausesUs, (of, pauses) => {
        const passes = exactBucket(of)
        let level: Level = emptyLevel
        let nowUs = startUs
        for (const pause of pauses) {
          nowUs += pause
          const taken = take(level, of, nowUs)
          level = taken.level
          expect(taken.allowed).toBe(passes(nowUs))
        }
      }),
    )
  })

  test('never admits more than its burst plus its rate over the elapsed time', () => {
    fc.assert(
      fc.property(size, pausesUs, (of, pauses) => {
        let level: Level = emptyLevel
        let nowUs = startUs
        const passedAt: number[] = []
        for (const pause of pauses) {
          nowUs += pause
          const taken = take(level, of, nowUs)
          level = taken.level
          if (taken.allowed) passedAt.push(nowUs)
        }
        for (const [first, fromUs] of passedAt.entries()) {
          const last = passedAt.length - 1
          const most = of.burst + ((passedAt[last] ?? fromUs) - fromUs) * (of.requestsPerMinute / 60_000_000)
          expect(last - first + 1).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    )
  })

  test('reports exactly when the next request passes: then it does, and a microsecond earlier it does not', () => {
    fc.assert(
      fc.property(size, pausesUs, fc.integer({ min: 1, max: 4 }), (numbers, pauses, weight) => {
        const of = { ...numbers, weight }
        let level: Level = emptyLevel
        let nowUs = startUs
        for (const pause of pauses) {
          nowUs += pause
          level = take(level, of, nowUs).level
          const { nextUs, remaining } = read(level.used, of)
          expect(take(level, of, nowUs + nextUs).allowed).toBe(true)
          if (nextUs > 0) expect(take(level, of, nowUs + nextUs - 1).allowed).toBe(false)
          expect(remaining === 0).toBe(nextUs > 0)
        }
      }),
    )
  })

  test('neither gains nor loses tokens when the clock goes backwards', () => {
    const of = { requestsPerMinute: 60, burst: 2, weight: 1 }
    const used = take(take(emptyLevel, of, startUs).level, of, startUs).level
    const back = take(used, of, startUs - 3_600_000_000)
    expect(back.allowed).toBe(false)
    expect(take(back.level, of, startUs - 3_600_000_000 + 1_000_000).allowed).toBe(true)
  })

  test('counted by several independent gateways is divided between them', () => {
    const of = { requestsPerMinute: 60, burst: 10, weight: 3 }
    let level: Level = emptyLevel
    let passed = 0
    for (let n = 0; n < 10; n++) {
      const taken = take(level, of, startUs)
      level = taken.level
      if (taken.allowed) passed++
    }
    expect(passed).toBe(3)
    expect(take(level, of, startUs + 2_000_000).allowed).toBe(true)
  })

  test('with a burst below the number of gateways still admits requests', () => {
    expect(take(emptyLevel, { requestsPerMinute: 1, burst: 1, weight: 5 }, startUs).allowed).toBe(true)
  })
})
