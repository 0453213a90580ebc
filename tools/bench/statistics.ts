/** The middle of the values; between two of them, their mean. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The quantile by linear interpolation between the two values next to it. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

export interface Spread {
  median: number
  /** The first and the third quartile. */
  from: number
  to: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), from: quantile(values, 0.25), to: quantile(values, 0.75) }
}

export interface RoundFacts {
  /** The two control windows of the round, first and last. */
  control: readonly [number, number]
  /** For each window: the share of the machine that others used. */
  foreignShares: readonly number[]
}

export const foreignShareMost = 0.1
export const controlDriftMost = 0.2

/** Why a round does not count, in words, or undefined when it does. */
export function rejectionOf({ control, foreignShares }: RoundFacts): string | undefined {
  const foreign = Math.max(...foreignShares)
  if (foreign > foreignShareMost) return `others used ${percent(foreign)} of the machine`
  const drift = driftOf(control)
  if (!(drift <= controlDriftMost)) return `the control drifted by ${percent(drift)}`
  return undefined
}

/** How far two measurements of the same thing lie apart, as a share of the larger one. */
export function driftOf([first, last]: readonly [number, number]): number {
  return Math.abs(first - last) / Math.max(first, last)
}

/** A measurement that finds a difference between a thing and itself finds nothing else either. */
export function isSelfComparisonFair(ratio: number): boolean {
  return ratio >= 0.9 && ratio <= 1.1
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
