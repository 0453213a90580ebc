import { ApiError, ConnectionError } from './errors.ts'

export const retryLimits = {
  firstDelayMs: 500,
  delayMaxMs: 8_000,
  // A quota may require weeks. The caller decides about waits of more than a minute.
  retryAfterMaxMs: 60_000,
} as const

const statuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** Rejected before any processing, so a retry is safe. */
const untouched: ReadonlySet<number> = new Set([408, 429])

/** Whether a retry of the same call may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && statuses.has(error.status))

/**
 * The delay before the next attempt, or null for none. Calls that are not idempotent are retried only if the service
 * did not process them.
 */
export const delayBeforeRetry = (failed: {
  error: unknown
  /** 0 for the first. */
  retry: number
  maxRetries: number
  isRepeatable: boolean
  random: number
}): number | null => {
  const { error, retry, maxRetries, isRepeatable, random } = failed
  if (retry >= maxRetries || !isPassing(error)) return null
  if (!isRepeatable && !(error instanceof ApiError && untouched.has(error.status))) return null
  const told = error instanceof ApiError ? error.retryAfterMs : null
  if (told !== null) return told <= retryLimits.retryAfterMaxMs ? told : null
  return random * Math.min(retryLimits.firstDelayMs * 2 ** retry, retryLimits.delayMaxMs)
}
