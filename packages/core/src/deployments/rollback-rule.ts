import type { MetricEstimate, RollbackRule } from '@ars/contract'

/** The results of the ended runs of one side of a canary. Cancelled runs are excluded: their result is unknown. */
export type Sample = {
  runs: number
  failures: number
  /** From the request to the end, without the time spent waiting for a person. */
  latenciesMs: readonly number[]
  /** The known costs. */
  costsUsd: readonly number[]
}

export type RuleVerdict = { broken: false } | { broken: true; reason: string }

/** A rule and the figures by which it is evaluated, each within the window of the rule. */
export type RuleFigures = {
  canary: Estimate | null
  base: Estimate | null
  /** The runs of the canary that must still end. */
  runsNeeded: number
  verdict: RuleVerdict
}

/**
 * Whether a canary breaks a rule: it is beyond the threshold with 99 % confidence, so that random failures do not end
 * it, and worse than the active version, so that an outage of both does not either. Without runs of the active version,
 * the threshold alone decides.
 */
export const weighRule = (rule: RollbackRule, sides: { canary: Sample; base: Sample }): RuleFigures => {
  const canary = estimates[rule.metric](sides.canary)
  const base = estimates[rule.metric](sides.base)
  const runsNeeded = Math.max(0, rule.min_runs - (canary?.runs ?? 0))
  const isWorse = canary !== null && (base === null || canary.value > base.value)
  const broken = isWorse && runsNeeded === 0 && canary.at_least > rule.above
  return {
    canary,
    base,
    runsNeeded,
    verdict: broken ? { broken, reason: reasonOf(rule, canary, base) } : { broken: false },
  }
}

export const judgeRule = (rule: RollbackRule, canary: Sample, base: Sample): RuleVerdict =>
  weighRule(rule, { canary, base }).verdict

/** The runs of this time are read once for all rules. Without rules, the default of a rule. */
export const longestWindowSeconds = (rules: readonly Pick<RollbackRule, 'window_seconds'>[]): number =>
  rules.length === 0 ? 3_600 : Math.max(...rules.map(({ window_seconds }) => window_seconds))

/** One verdict over all rules: the first broken rule. */
export const judgeAll = (
  rules: readonly RollbackRule[],
  sidesOf: (rule: RollbackRule) => { canary: Sample; base: Sample },
): RuleVerdict => {
  for (const rule of rules) {
    const { verdict } = weighRule(rule, sidesOf(rule))
    if (verdict.broken) return verdict
  }
  return { broken: false }
}

/** The normal quantile that leaves half a percent on either side. */
const z = 2.576
const tail = 0.005
const percentile = 0.95

/**
 * The lower bound of the true rate with 99 % confidence (Wilson): unlike the plain formula it also holds for rare
 * failures.
 */
export const wilsonLowerBound = (failures: number, runs: number): number => {
  // Where the formula yields 0, its rounding error does not.
  if (failures === 0) return 0
  const rate = failures / runs
  const centre = rate + z ** 2 / (2 * runs)
  const spread = z * Math.sqrt((rate * (1 - rate)) / runs + z ** 2 / (4 * runs ** 2))
  return Math.max(0, (centre - spread) / (1 + z ** 2 / runs))
}

/** The upper bound of the rate: the lower bound of the runs that did not fail. */
const wilsonUpperBound = (failures: number, runs: number): number => 1 - wilsonLowerBound(runs - failures, runs)

/**
 * The rank, from 1, of the value that the true 95th percentile is not below with 99 % confidence, for any distribution
 * of the values. 0: there are too few values.
 */
export const percentileLowerRank = (count: number): number => {
  // The number of values above the true percentile is binomial. From the top down, ranks are skipped until that number
  // of values above it would be too unlikely.
  let probability = percentile ** count
  let atLeastSoMany = 1
  for (let above = 0; above <= count; above++) {
    if (atLeastSoMany <= tail) return count - above + 1
    atLeastSoMany -= probability
    probability *= ((count - above) / (above + 1)) * ((1 - percentile) / percentile)
  }
  return 0
}

/** The rank, from 1, of the value that the true percentile is not above. Beyond `count`: there are too few values. */
export const percentileUpperRank = (count: number): number => {
  // The number of values below the true percentile is binomial. Ranks are taken from the top down, while it would be
  // too unlikely that this number of values is below it.
  let probability = percentile ** count
  let atLeastThis = 0
  for (let rank = count; rank > 0; rank--) {
    atLeastThis += probability
    if (atLeastThis > tail) return rank + 1
    probability *= (rank / (count - rank + 1)) * ((1 - percentile) / percentile)
  }
  return 1
}

/** `of` says in words what was counted. */
export type Estimate = MetricEstimate & { of: string }

export const estimates: Record<RollbackRule['metric'], (sample: Sample) => Estimate | null> = {
  failure_rate: ({ runs, failures }) =>
    runs === 0
      ? null
      : {
          runs,
          value: failures / runs,
          at_least: wilsonLowerBound(failures, runs),
          at_most: wilsonUpperBound(failures, runs),
          of: `${failures} of ${runs} runs`,
        },
  latency_p95_ms: ({ latenciesMs }) => {
    const sorted = latenciesMs.toSorted((a, b) => a - b)
    const value = rankedAt(sorted, percentile)
    if (value === null) return null
    const runs = sorted.length
    const at_least = sorted[percentileLowerRank(runs) - 1] ?? 0
    const at_most = sorted[percentileUpperRank(runs) - 1] ?? null
    return { runs, value, at_least, at_most, of: `${runs} runs` }
  },
  cost_per_run_usd: ({ costsUsd }) => {
    const runs = costsUsd.length
    if (runs === 0) return null
    const value = costsUsd.reduce((sum, cost) => sum + cost, 0) / runs
    // One value has no variance.
    if (runs === 1) return { runs, value, at_least: 0, at_most: null, of: '1 run' }
    const variance = costsUsd.reduce((sum, cost) => sum + (cost - value) ** 2, 0) / (runs - 1)
    const spread = z * Math.sqrt(variance / runs)
    return { runs, value, at_least: Math.max(0, value - spread), at_most: value + spread, of: `${runs} runs` }
  },
}

/** The median of the latencies; null without runs. */
export const medianLatencyMs = ({ latenciesMs }: Sample): number | null =>
  rankedAt(
    latenciesMs.toSorted((a, b) => a - b),
    0.5,
  )

const rankedAt = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? null

const reasonOf = (rule: RollbackRule, canary: Estimate, base: Estimate | null): string => {
  const show = shows[rule.metric]
  const beside =
    base === null ? 'no run of the running version ended' : `the running version had ${show(base.value)} (${base.of})`
  return (
    `The rule ${rule.metric} above ${show(rule.above)} is broken: the canary had ${show(canary.value)} (${canary.of}), ` +
    `at least ${show(canary.at_least)} with 99 % confidence; ${beside} in the same ${rule.window_seconds} s.`
  )
}

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

const shows: Record<RollbackRule['metric'], (value: number) => string> = {
  failure_rate: (value) => `${rounded(value * 100, 2)} %`,
  latency_p95_ms: (value) => `${rounded(value, 0)} ms`,
  cost_per_run_usd: (value) => `$${rounded(value, 6)}`,
}
