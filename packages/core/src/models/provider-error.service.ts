import type { Clock } from '@ars/platform/clock'
import { EgressRefused, egressErrorOf } from '@ars/platform/egress/failure'
import { APICallError, RetryError } from 'ai'
import { type Called, ProviderError, verdictOnConnection, verdictOnStatus, verdictOnStreamError } from './failure.ts'
import { retryAfterMsOf } from './retry.ts'

/** Converts an error of the vendor's library into a ProviderError, which the retries understand. */
export const providerErrorOf = (called: Called, error: unknown, clock: Clock): ProviderError => {
  if (error instanceof ProviderError) return error
  const cause = RetryError.isInstance(error) ? error.lastError : error
  const egressError = egressErrorOf(cause)
  if (egressError) {
    const verdict = verdictOnConnection(called, egressError instanceof EgressRefused ? 'refused' : egressError.kind)
    const detail =
      egressError instanceof EgressRefused ? `${egressError.reason} ${egressError.detail ?? ''}` : egressError.message
    return new ProviderError(verdict.message, { ...verdict, detail, cause })
  }
  if (APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode >= 300) {
    const verdict = verdictOnStatus(called, cause.statusCode, cause.responseBody ?? '')
    const retryAfterMs = retryAfterMsOf(cause.responseHeaders ?? {}, clock.now().getTime())
    return new ProviderError(verdict.message, { ...verdict, retryAfterMs, cause })
  }
  const verdict = verdictOnStreamError(called, cause instanceof Error ? { message: cause.message } : cause)
  return new ProviderError(verdict.message, { ...verdict, cause })
}
