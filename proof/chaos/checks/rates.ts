import type { Rate } from '../../lab/stack/rated-keys.ts'
import { leastOf, mostOf } from '../extent.ts'

/** One call on a key with a rate limit, and what was answered. Times are of the monotonic clock. */
export type RatedCall = {
  sentMs: number
  answeredMs: number
  gateway: number
  /** 0: no answer came. */
  status: number
  retryAfterSeconds: number | undefined
}

/** How many of the calls on one key passed, and how many a token bucket would have let pass. */
export type Tally = {
  calls: number
  passed: number
  refused: number
  /** Requests that belong to no limit. */
  others: string[]
  seconds: number
  /** A client cannot see when a call was counted: at the earliest when it was sent, at the latest when it was answered. */
  least: number
  most: number
}

/** For calls that began with a full bucket and asked for more than it gave, all the time. */
export const tallyOf = (calls: readonly RatedCall[], { requestsPerMinute, burst }: Rate): Tally => {
  const first = leastOf(calls.map(({ sentMs }) => sentMs))
  const firstHeard = leastOf(calls.map(({ answeredMs }) => answeredMs))
  const last = mostOf(calls.map(({ answeredMs }) => answeredMs))
  const lastSent = mostOf(calls.map(({ sentMs }) => sentMs))
  const refilled = (ms: number): number => (Math.max(0, ms) / 60_000) * requestsPerMinute
  return {
    calls: calls.length,
    passed: calls.filter(hasPassedLimit).length,
    refused: calls.filter(({ status }) => status === 429).length,
    others: calls.filter((call) => call.status !== 429 && !hasPassedLimit(call)).map(({ status }) => String(status)),
    seconds: (last - first) / 1000,
    least: Math.min(calls.length, Math.floor(burst + refilled(lastSent - firstHeard))),
    most: Math.floor(burst + refilled(last - first)),
  }
}

/** What the clients ask for is not there: who gets that far has passed. */
export const hasPassedLimit = ({ status }: Pick<RatedCall, 'status'>): boolean => status === 404

/** Exact within a share of the correct number, and never finer than one request. */
export const checkExact = (name: string, { passed, least, most, calls }: Tally, share: number): string[] => {
  const slack = (right: number): number => Math.max(1, right * share)
  if (passed > most + slack(most)) return [`${name}: ${passed} of ${calls} passed, ${most} at the most`]
  if (passed < least - slack(least)) return [`${name}: ${passed} of ${calls} passed, ${least} at the least`]
  return []
}
