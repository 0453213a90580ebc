import { median, quantile } from '../lab/measure/statistics.ts'

/** Two classes of requests that nobody may be able to tell apart by how long the answer takes. */
export type Difference = {
  /** Of all samples: second minus first. */
  medianMs: number
  /** Welch's t of the means, after the slowest samples were left out. */
  t: number
  /** The least difference of the means that these samples could have shown, either way. */
  visibleMs: number
}

/** Beyond this a difference is no chance: the bar that leakage tests of hardware and of cryptography use. */
export const maxT = 4.5

/** The slowest twentieth is other people's work on the machine; where it begins is asked of both classes together. */
const keptShare = 0.95

export const differenceOf = (first: readonly number[], second: readonly number[]): Difference => {
  const most = quantile([...first, ...second], keptShare)
  const [a, b] = [first, second].map((samples) => momentsOf(samples.filter((ms) => ms <= most))) as [Moments, Moments]
  const error = Math.sqrt(a.variance / a.count + b.variance / b.count)
  return {
    medianMs: median(second) - median(first),
    t: error === 0 ? 0 : (b.mean - a.mean) / error,
    visibleMs: maxT * error,
  }
}

export const isSeen = ({ t }: Difference): boolean => !(Math.abs(t) < maxT)

type Moments = {
  count: number
  mean: number
  variance: number
}

const momentsOf = (samples: readonly number[]): Moments => {
  const count = samples.length
  const mean = samples.reduce((sum, ms) => sum + ms, 0) / count
  const variance = samples.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / (count - 1)
  return { count, mean, variance }
}
