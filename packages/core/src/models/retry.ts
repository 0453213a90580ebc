import { modelsBounds } from './bounds.ts'

export type RetryLimits = { tries: number; longestRetryAfterMs: number }

/** Retry limits. Full jitter: clients that failed together do not return together. */
export const retryLimits = {
  tries: modelsBounds.tries.count,
  firstBackOffMs: 1000,
  longestBackOffMs: modelsBounds.backOff.ms,
  /** A provider that asks for a longer wait ends the run with that information. */
  longestRetryAfterMs: modelsBounds.retryAfter.ms,
  /** How often a model may make an unreadable tool call before the call fails. */
  brokenToolCalls: modelsBounds.brokenToolCalls.count,
} as const

/** While another model can be called instead. */
export const quickRetryLimits: RetryLimits = {
  tries: modelsBounds.triesBeforeFallback.count,
  longestRetryAfterMs: modelsBounds.retryAfterBeforeFallback.ms,
}

export type RetryDecision = { retry: true; waitMs: number } | { retry: false }

export const decideRetry = ({
  failedTries,
  retryAfterMs,
  random,
  limits = retryLimits,
}: {
  failedTries: number
  retryAfterMs: number | undefined
  /** From 0 up to 1. */
  random: number
  limits?: RetryLimits
}): RetryDecision => {
  if (failedTries >= limits.tries) return { retry: false }
  if (retryAfterMs !== undefined && retryAfterMs > limits.longestRetryAfterMs) return { retry: false }
  const backOffMs = Math.min(retryLimits.longestBackOffMs, retryLimits.firstBackOffMs * 2 ** (failedTries - 1))
  // The provider's `Retry-After` is the minimum; jitter is added so that clients with the same value spread out.
  if (retryAfterMs !== undefined) {
    return {
      retry: true,
      waitMs: Math.round(retryAfterMs + random * Math.min(retryLimits.firstBackOffMs, retryAfterMs)),
    }
  }
  return { retry: true, waitMs: Math.round(random * backOffMs) }
}

/** `Retry-After` as seconds or date, and the milliseconds header of some providers. */
export const retryAfterMsOf = (
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined => {
  const ms = decimal(headers['retry-after-ms'])
  if (ms !== undefined) return ms
  const value = headers['retry-after']
  const seconds = decimal(value)
  if (seconds !== undefined) return seconds * 1000
  const atMs = value && /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

const decimal = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined
