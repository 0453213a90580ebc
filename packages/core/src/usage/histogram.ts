/**
 * Counts by the logarithm of a time in milliseconds: index n has the values in (1.02^(n-1), 1.02^n]. The middle of an index is at
 * most 1 % from each of its values. `latencyIndex` in `rollup.sql.ts` is the same rule in SQL.
 */
export type Histogram = Readonly<Record<string, number>>

const growth = 1.02

export const indexOf = (ms: number): number => Math.ceil(Math.log(Math.max(ms, 1)) / Math.log(growth))

/** The value that stands for an index: the relative error to both ends is the same. */
export const middleOf = (index: number): number => (index === 0 ? 1 : (2 * growth ** index) / (growth + 1))

export const histogramOf = (values: readonly number[]): Histogram => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[indexOf(value)] = (counts[indexOf(value)] ?? 0) + 1
  return counts
}

/** Counts by any key: histograms, and error codes. */
export const addCounts = (all: Iterable<Readonly<Record<string, number>>>): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const counts of all) for (const [key, n] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + n
  return sums
}

export const sizeOf = (histogram: Histogram): number => Object.values(histogram).reduce((sum, n) => sum + n, 0)

/** The value of the nearest rank: the smallest value that at least `q` of all values do not exceed. Null without values. */
export const quantile = (histogram: Histogram, q: number): number | null => {
  const rank = Math.max(1, Math.ceil(q * sizeOf(histogram)))
  let seen = 0
  for (const [index, n] of Object.entries(histogram).toSorted(([one], [other]) => Number(one) - Number(other))) {
    seen += n
    if (seen >= rank) return middleOf(Number(index))
  }
  return null
}
