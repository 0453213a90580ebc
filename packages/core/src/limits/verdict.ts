import type { Bucket } from '../ctx.ts'
import type { Reading } from './gcra.ts'

/** The result of one request at its bucket, and the values of its rate headers. */
export type RateVerdict = {
  readonly allowed: boolean
  /** Requests a minute. */
  readonly limit: number
  readonly remaining: number
  /** Time until the full burst is available. */
  readonly resetSeconds: number
  /** A request after this many seconds passes. 0: this one passed. */
  readonly retryAfterSeconds: number
  /** The value of `RateLimit-Policy`. */
  readonly policy: string
}

export const verdictOf = (
  { bucket, policy }: { bucket: Bucket; policy: string },
  allowed: boolean,
  { remaining, fullUs, nextUs }: Reading,
): RateVerdict => ({
  allowed,
  limit: bucket.requestsPerMinute,
  remaining: allowed ? remaining : 0,
  resetSeconds: wholeSeconds(fullUs),
  retryAfterSeconds: allowed ? 0 : wholeSeconds(nextUs),
  policy,
})

/** A burst of requests, refilled at the configured rate. */
export const policyOf = ({ requestsPerMinute, burst }: Bucket): string =>
  `"key";q=${burst};w=${Math.ceil((burst * 60) / requestsPerMinute)}`

const wholeSeconds = (us: number): number => Math.ceil(us / 1_000_000)
