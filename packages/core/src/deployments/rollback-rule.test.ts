import { eventSample, RollbackRule } from '@ars/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  judgeAll,
  judgeRule,
  percentileLowerRank,
  percentileUpperRank,
  type Sample,
  wilsonLowerBound,
} from './rollback-rule.ts'
import { sampleOf } from './run-sample.ts'

const failureRule = RollbackRule.parse({ metric: 'failure_rate', above: 0.05 })
const latencyRule = RollbackRule.parse({ metric: 'latency_p95_ms', above: 1000 })
const costRule = RollbackRule.parse({ metric: 'cost_per_run_usd', above: 0.01 })
const nothing: Sample = { runs: 0, failures: 0, latenciesMs: [], costsUsd: [] }
const failing = (failures: number, runs: number): Sample => ({ ...nothing, runs, failures })
const taking = (latenciesMs: number[]): Sample => ({ ...nothing, runs: latenciesMs.length, latenciesMs })
const costing = (costsUsd: number[]): Sample => ({ ...nothing, runs: costsUsd.length, costsUsd })
const broken = (...asked: Parameters<typeof judgeRule>): boolean => judgeRule(...asked).broken

/** The same numbers for the same seed, on every computer (mulberry32). */
const seeded = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The number of canary runs after which the rule breaks, checked every ten; null: not within `runs`. */
const brokenAfter = (seed: number, { rate, baseRate, runs }: { rate: number; baseRate: number; runs: number }) => {
  const random = seeded(seed)
  let failures = 0
  let baseFailures = 0
  for (let run = 1; run <= runs; run++) {
    if (random() < rate) failures += 1
    // Nine baseline runs for each run of a 10 % canary.
    for (let beside = 0; beside < 9; beside++) if (random() < baseRate) baseFailures += 1
    if (run % 10 === 0 && broken(failureRule, failing(failures, run), failing(baseFailures, 9 * run))) return run
  }
  return null
}

const seeds = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

describe('a rule for failures', () => {
  test('at most 2 of 200 healthy canaries are rolled back by mistake', () => {
    const healthy = { rate: 0.01, baseRate: 0.01, runs: 1_000 }
    const mistakes = seeds(200).filter((seed) => brokenAfter(seed, healthy) !== null)
    expect(mistakes.length).toBeLessThanOrEqual(2)
  })

  test('a canary that fails 20 % against 1 % is detected within 200 runs, for at least 99 of 100 seeds', () => {
    const sick = { rate: 0.2, baseRate: 0.01, runs: 200 }
    const found = seeds(100).filter((seed) => brokenAfter(seed, sick) !== null)
    expect(found.length).toBeGreaterThanOrEqual(99)
  })

  test('no decision is made before enough runs have ended, whatever their results', () => {
    expect(broken(failureRule, failing(49, 49), failing(0, 500))).toBe(false)
    expect(broken(failureRule, failing(50, 50), failing(0, 500))).toBe(true)
  })

  test('one failure in ten runs is not significant, ten in fifty are', () => {
    expect(broken({ ...failureRule, min_runs: 10 }, failing(1, 10), failing(0, 90))).toBe(false)
    expect(broken(failureRule, failing(10, 50), failing(0, 450))).toBe(true)
  })

  test('when both sides fail alike, the rule is not broken; without a baseline, the threshold decides', () => {
    expect(broken(failureRule, failing(30, 100), failing(300, 1_000))).toBe(false)
    expect(broken(failureRule, failing(30, 100), failing(290, 1_000))).toBe(true)
    expect(broken(failureRule, failing(30, 100), nothing)).toBe(true)
  })

  test('a threshold of zero failures is not broken without a failure', () => {
    expect(broken({ ...failureRule, above: 0 }, failing(0, 1_952), nothing)).toBe(false)
    expect(broken({ ...failureRule, above: 0 }, failing(1, 1_952), nothing)).toBe(true)
  })

  test('the reason names the rule, both sides and the numbers', () => {
    expect(judgeRule(failureRule, failing(42, 200), failing(18, 1_800))).toEqual({
      broken: true,
      reason:
        'The rule failure_rate above 5 % is broken: the canary had 21 % (42 of 200 runs), at least 14.57 % with 99 % ' +
        'confidence; the running version had 1 % (18 of 1800 runs) in the same 3600 s.',
    })
    const { reason, rollback_rules } = eventSample('deployment.rollback')
    expect(rollback_rules).toEqual([failureRule])
    expect(judgeRule(failureRule, failing(42, 200), failing(18, 1_800))).toMatchObject({ reason })
    expect(judgeRule(failureRule, failing(50, 50), nothing)).toMatchObject({
      reason: expect.stringContaining('no run of the running version ended in the same 3600 s.'),
    })
  })

  test('Wilson: more failures raise the bound, the bound is never above the observed rate, and more runs tighten it', () => {
    const counts = fc
      .integer({ min: 1, max: 2_000 })
      .chain((runs) => fc.tuple(fc.integer({ min: 0, max: runs }), fc.constant(runs)))
    fc.assert(
      fc.property(counts, ([failures, runs]) => {
        const bound = wilsonLowerBound(failures, runs)
        expect(bound).toBeGreaterThanOrEqual(0)
        expect(bound).toBeLessThanOrEqual(failures / runs)
        if (failures < runs) expect(wilsonLowerBound(failures + 1, runs)).toBeGreaterThan(bound)
        if (failures > 0) expect(wilsonLowerBound(2 * failures, 2 * runs)).toBeGreaterThan(bound)
      }),
    )
    expect(wilsonLowerBound(0, 0)).toBe(0)
    // Computed by hand: 10 of 50 at z = 2.576.
    expect(wilsonLowerBound(10, 50)).toBeCloseTo(0.0938, 4)
  })
})

describe('a rule for latency', () => {
  const spread = (runs: number, slow: number, slowMs = 5_000) => [
    ...Array.from({ length: runs - slow }, (_, n) => 100 + n),
    ...Array.from({ length: slow }, () => slowMs),
  ]

  test('one slow run in twenty stays within the 95th percentile; one in five does not', () => {
    expect(broken(latencyRule, taking(spread(200, 10)), taking(spread(900, 9)))).toBe(false)
    expect(broken(latencyRule, taking(spread(200, 40)), taking(spread(900, 9)))).toBe(true)
  })

  test('a latency equal to that of the running version is not worse', () => {
    expect(broken(latencyRule, taking(spread(200, 40)), taking(spread(900, 180)))).toBe(false)
  })

  test('the bound is the highest value that the true percentile reaches with 99 % confidence', () => {
    expect(percentileLowerRank(0)).toBe(0)
    expect(percentileLowerRank(1)).toBe(0)
    // Both of two values lie above the percentile once in 400 times.
    expect(percentileLowerRank(2)).toBe(1)
    const random = seeded(7)
    const above = seeds(2_000).filter(() => {
      const sorted = Array.from({ length: 100 }, random).toSorted((a, b) => a - b)
      return (sorted[percentileLowerRank(100) - 1] ?? 0) > 0.95
    })
    expect(above.length / 2_000).toBeLessThanOrEqual(0.01)
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2_000 }), (runs) => {
        const rank = percentileLowerRank(runs)
        expect(rank).toBeGreaterThanOrEqual(1)
        expect(rank).toBeLessThanOrEqual(Math.ceil(0.95 * runs))
        expect(percentileLowerRank(runs + 1) - rank).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('the upper bound is the lowest value that the true percentile does not exceed with 99 % confidence', () => {
    // All of 103 values lie below the percentile once in 197 times, all of 104 once in 207 times.
    expect(percentileUpperRank(0)).toBe(1)
    expect(percentileUpperRank(103)).toBe(104)
    expect(percentileUpperRank(104)).toBe(104)
    const random = seeded(8)
    const below = seeds(2_000).filter(() => {
      const sorted = Array.from({ length: 300 }, random).toSorted((a, b) => a - b)
      return (sorted[percentileUpperRank(300) - 1] ?? 1) < 0.95
    })
    expect(below.length / 2_000).toBeLessThanOrEqual(0.01)
    fc.assert(
      fc.property(fc.integer({ min: 104, max: 2_000 }), (runs) => {
        const rank = percentileUpperRank(runs)
        expect(rank).toBeGreaterThan(Math.ceil(0.95 * runs))
        expect(rank).toBeLessThanOrEqual(runs)
      }),
    )
  })

  test('the reason states milliseconds', () => {
    expect(judgeRule(latencyRule, taking(spread(200, 40)), taking(spread(900, 9)))).toMatchObject({
      reason: expect.stringContaining('latency_p95_ms above 1000 ms is broken: the canary had 5000 ms (200 runs)'),
    })
  })
})

describe('a rule for cost', () => {
  const around = (mean: number, runs: number, apart = mean / 10) =>
    Array.from({ length: runs }, (_, n) => mean + (n % 2 === 0 ? apart : -apart))

  test('a cost above the threshold and the baseline breaks the rule; a mean that may still be below does not', () => {
    expect(broken(costRule, costing(around(0.012, 60)), costing(around(0.008, 500)))).toBe(true)
    expect(broken(costRule, costing(around(0.0101, 60)), costing(around(0.008, 500)))).toBe(false)
    expect(broken(costRule, costing(around(0.012, 60, 0.03)), costing(around(0.008, 500)))).toBe(false)
    expect(broken(costRule, costing(around(0.012, 60)), costing(around(0.013, 500)))).toBe(false)
  })

  test('runs of unknown cost are ignored', () => {
    expect(broken(costRule, { ...nothing, runs: 500 }, nothing)).toBe(false)
    expect(broken({ ...costRule, min_runs: 1 }, costing([1_000]), nothing)).toBe(false)
  })
})

describe('several rules', () => {
  const run = (ageSeconds: number, failed = true) => ({ failed, latencyMs: 10, costUsd: null, ageSeconds })

  test('each uses only its own window', () => {
    const short = { ...failureRule, window_seconds: 60 }
    const runs = [...Array.from({ length: 60 }, () => run(300)), ...Array.from({ length: 40 }, () => run(10))]
    const sides = ({ window_seconds }: RollbackRule) => ({ canary: sampleOf(runs, window_seconds), base: nothing })
    expect(judgeAll([short], sides)).toEqual({ broken: false })
    expect(judgeAll([short, failureRule], sides)).toMatchObject({ reason: expect.stringContaining('100 of 100 runs') })
  })

  test('a sample counts only known values', () => {
    const runs = [run(1), run(2, false), { ...run(3, false), costUsd: 0.5 }, run(99)]
    expect(sampleOf(runs, 60)).toEqual({ runs: 3, failures: 1, latenciesMs: [10, 10, 10], costsUsd: [0.5] })
  })
})
