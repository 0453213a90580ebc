import type { RollbackRule } from '@ars/contract'

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

/**
 * Whether a canary breaks a rule: it is beyond the threshold with 99 % confidence, so that random failures do not end
 * it, and worse than the active version, so that an outage of both does not either. Without runs of the active version,
 * the threshold alone decides.
 */
export const judgeRule = (rule: RollbackRule, canary: Sample, base: Sample): RuleVerdict => {
  const estimateOf = estimates[rule.metric]
  const found = estimateOf(canary)
  if (found === null || found.runs < rule.min_runs || found.atLeast <= rule.above) return { broken: false }
  const running = estimateOf(base)
  if (running !== null && found.value <= running.value) return { broken: false }
  return { broken: true, reason: reasonOf(rule, found, running) }
}

/** One verdict over all rules: the first broken rule. */
export const judgeAll = (
  rules: readonly RollbackRule[],
  sidesOf: (rule: RollbackRule) => { canary: Sample; base: Sample },
): RuleVerdict => {
  for (const rule of rules) {
    const { canary, base } = sidesOf(rule)
    const verdict = judgeRule(rule, canary, base)
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

/** `value` is the observed value; `atLeast` is its bound with 99 % confidence. */
type Estimate = { runs: number; value: number; atLeast: number; of: string }

const estimates: Record<RollbackRule['metric'], (sample: Sample) => Estimate | null> = {
  failure_rate: ({ runs, failures }) =>
    runs === 0
      ? null
      : {
          runs,
          value: failures / runs,
          atLeast: wilsonLowerBound(failures, runs),
          of: `${failures} of ${runs} runs`,
        },
  latency_p95_ms: ({ latenciesMs }) => {
    const sorted = latenciesMs.toSorted((a, b) => a - b)
    const value = sorted[Math.ceil(percentile * sorted.length) - 1]
    if (value === undefined) return null
    const atLeast = sorted[percentileLowerRank(sorted.length) - 1] ?? 0
    return { runs: sorted.length, value, atLeast, of: `${sorted.length} runs` }
  },
  cost_per_run_usd: ({ costsUsd }) => {
    const runs = costsUsd.length
    if (runs === 0) return null
    const value = costsUsd.reduce((sum, cost) => sum + cost, 0) / runs
    // One value has no variance.
    if (runs === 1) return { runs, value, atLeast: 0, of: '1 run' }
    const variance = costsUsd.reduce((sum, cost) => sum + (cost - value) ** 2, 0) / (runs - 1)
    return { runs, value, atLeast: value - z * Math.sqrt(variance / runs), of: `${runs} runs` }
  },
}

const reasonOf = (rule: RollbackRule, canary: Estimate, base: Estimate | null): string => {
  const show = shows[rule.metric]
  const beside =
    base === null ? 'no run of the running version ended' : `the running version had ${show(base.value)} (${base.of})`
  return (
    `The rule ${rule.metric} above ${show(rule.above)} is broken: the canary had ${show(canary.value)} (${canary.of}), ` +
    `at least ${show(canary.atLeast)} with 99 % confidence; ${beside} in the same ${rule.window_seconds} s.`
  )
}

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

const shows: Record<RollbackRule['metric'], (value: number) => string> = {
  failure_rate: (value) => `${rounded(value * 100, 2)} %`,
  latency_p95_ms: (value) => `${rounded(value, 0)} ms`,
  cost_per_run_usd: (value) => `$${rounded(value, 6)}`,
}
