/** The middle of the values; between two of them, their mean. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The quantile by linear interpolation between the two values next to it. */
export const quantile = (values: readonly number[], share: number): number => {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export type Spread = {
  median: number
  /** The first and the third quartile. */
  from: number
  to: number
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  from: quantile(values, 0.25),
  to: quantile(values, 0.75),
})

export type Interval = {
  from: number
  to: number
  /** How often such an interval holds the median of what was drawn from. */
  confidence: number
}

/**
 * The narrowest pair of order statistics that holds the median with 95 % confidence; it assumes nothing about the
 * distribution. Fewer than six values cannot reach 95 %: then it is the least and the greatest value.
 */
export const medianInterval = (values: readonly number[]): Interval => {
  const sorted = values.toSorted((a, b) => a - b)
  const { length: n } = sorted
  // `outside` is the chance that at most `rank` of n values lie below the median, on one side.
  let outside = 0.5 ** n
  let rank = 0
  for (let term = outside; ; rank++) {
    term = (term * (n - rank)) / (rank + 1)
    if (2 * (outside + term) > 0.05 || 2 * (rank + 1) >= n) break
    outside += term
  }
  return { from: sorted[rank] ?? Number.NaN, to: sorted[n - 1 - rank] ?? Number.NaN, confidence: 1 - 2 * outside }
}

export type RoundFacts = {
  /** The two control windows of the round, first and last. */
  control: readonly [number, number]
  /** For each window: the share of the machine that others used. */
  foreignShares: readonly number[]
}

export const maxForeignShare = 0.1
const maxControlDrift = 0.2

/** Why a round does not count, in words, or undefined when it does. */
export const rejectionOf = ({ control, foreignShares }: RoundFacts): string | undefined => {
  const foreign = Math.max(...foreignShares)
  if (foreign > maxForeignShare) return `other programs used ${percent(foreign)} of the machine`
  const drift = driftOf(control)
  if (!(drift <= maxControlDrift)) return `the control drifted by ${percent(drift)}`
  return undefined
}

/** How far two measurements of the same thing lie apart, as a share of the larger one. */
export const driftOf = ([first, last]: readonly [number, number]): number =>
  Math.abs(first - last) / Math.max(first, last)

/** A measurement that finds a difference between a thing and itself finds nothing else either. */
export const isSelfComparisonFair = (ratio: number): boolean => ratio >= 0.9 && ratio <= 1.1

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
