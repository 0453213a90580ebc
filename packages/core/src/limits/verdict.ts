import type { Bucket } from '../ctx.ts'
import type { Reading } from './gcra.ts'

/** What became of one request at its bucket, and what its caller is told of it. */
export type Verdict = {
  readonly allowed: boolean
  /** Requests a minute. */
  readonly limit: number
  readonly remaining: number
  /** Until everything can be asked for again. */
  readonly resetSeconds: number
  /** A request after so many seconds passes; 0 for one that passed. */
  readonly retryAfterSeconds: number
  /** The value of `RateLimit-Policy`. */
  readonly policy: string
}

export const verdictOf = (
  { bucket, policy }: { bucket: Bucket; policy: string },
  allowed: boolean,
  { remaining, fullUs, nextUs }: Reading,
): Verdict => ({
  allowed,
  limit: bucket.requestsPerMinute,
  remaining: allowed ? remaining : 0,
  resetSeconds: wholeSeconds(fullUs),
  retryAfterSeconds: allowed ? 0 : wholeSeconds(nextUs),
  policy,
})

/** Burst requests, refilled over the time that the rate takes for them. */
export const policyOf = ({ requestsPerMinute, burst }: Bucket): string =>
  `"key";q=${burst};w=${Math.ceil((burst * 60) / requestsPerMinute)}`

const wholeSeconds = (us: number): number => Math.ceil(us / 1_000_000)
