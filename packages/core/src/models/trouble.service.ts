import type { Clock } from '@ars/platform/clock'
import { EgressRefused, egressErrorOf } from '@ars/platform/egress/failure'
import { APICallError, RetryError } from 'ai'
import { type Called, ProviderTrouble, verdictOnReach, verdictOnStatus, verdictOnStreamError } from './failure.ts'
import { retryAfterMsOf } from './retry.ts'

/** Whatever the vendor's library threw, as the one kind of trouble that the retries know. */
export const troubleOf = (called: Called, error: unknown, clock: Clock): ProviderTrouble => {
  if (error instanceof ProviderTrouble) return error
  const cause = RetryError.isInstance(error) ? error.lastError : error
  const reach = egressErrorOf(cause)
  if (reach) {
    const verdict = verdictOnReach(called, reach instanceof EgressRefused ? 'refused' : reach.kind)
    const detail = reach instanceof EgressRefused ? `${reach.reason} ${reach.detail ?? ''}` : reach.message
    return new ProviderTrouble(verdict.message, { retryable: verdict.retryable, detail, cause })
  }
  if (APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode >= 300) {
    const verdict = verdictOnStatus(called, cause.statusCode, cause.responseBody ?? '')
    const retryAfterMs = retryAfterMsOf(cause.responseHeaders ?? {}, clock.now().getTime())
    return new ProviderTrouble(verdict.message, { retryable: verdict.retryable, retryAfterMs, cause })
  }
  const verdict = verdictOnStreamError(called, cause instanceof Error ? { message: cause.message } : cause)
  return new ProviderTrouble(verdict.message, { retryable: verdict.retryable, cause })
}
