import type { Bucket } from '../ctx.ts'
import type { Reading } from './gcra.ts'

/** The result of one request at its bucket, and the values of its rate headers. */
export type RateVerdict = {
  readonly allowed: boolean
  /** The burst: the most that `remaining` can be. */
  readonly limit: number
  readonly remaining: number
  /** Time until the next request passes. 0: it passes now. */
  readonly resetSeconds: number
  /** A request after this many seconds passes. 0: this one passed. */
  readonly retryAfterSeconds: number
  /** The value of `RateLimit-Policy`. */
  readonly policy: string
}

export const verdictOf = (
  { bucket, policy }: { bucket: Bucket; policy: string },
  allowed: boolean,
  { remaining, nextUs }: Reading,
): RateVerdict => ({
  allowed,
  limit: bucket.burst,
  remaining: allowed ? remaining : 0,
  resetSeconds: wholeSeconds(nextUs),
  retryAfterSeconds: allowed ? 0 : wholeSeconds(nextUs),
  policy,
})

/** A burst of requests, refilled at the configured rate. */
export const policyOf = ({ requestsPerMinute, burst }: Bucket): string =>
  `"requests";q=${burst};w=${Math.ceil((burst * 60) / requestsPerMinute)}`

const wholeSeconds = (us: number): number => Math.ceil(us / 1_000_000)
