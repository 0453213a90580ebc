import { ApiError, ConnectionError } from './errors.ts'

export const retryLimits = {
  firstDelayMs: 500,
  delayMaxMs: 8_000,
  // A quota may ask for weeks. Whoever calls can decide better about more than a minute.
  retryAfterMaxMs: 60_000,
} as const

const statuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** Refused before anything was done, so a second try cannot do it twice. */
const untouched: ReadonlySet<number> = new Set([408, 429])

/** Whether the same call may be answered otherwise in a moment. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && statuses.has(error.status))

/**
 * How long to wait before the next try, or null when there shall be none. What cannot be repeated safely is tried again only
 * where the service said that it has done nothing.
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
