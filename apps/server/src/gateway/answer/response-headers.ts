import { apiRevision } from '@ars/contract'
import type { Caller } from '@ars/core/ctx'
import type { RateVerdict } from '@ars/core/limits'

/** The headers of a response, with lower-case names. One object per request, written once. */
export type ResponseHeaders = Record<string, string | number>

/** The headers of every response. */
export const newResponseHeaders = (requestId: string): ResponseHeaders => ({
  'x-request-id': requestId,
  'x-api-revision': apiRevision,
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
})

// No response is a page that loads resources or is shown in a frame.
export const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Only for responses over TLS: browsers ignore HSTS on plain HTTP. */
export const demandTls = (responseHeaders: ResponseHeaders): void => {
  responseHeaders['strict-transport-security'] = 'max-age=31536000'
}

/** Every authenticated response carries the remaining rate. */
export const tellRate = (
  responseHeaders: ResponseHeaders,
  { limit, remaining, resetSeconds, policy }: RateVerdict,
): void => {
  responseHeaders['ratelimit-policy'] = policy
  responseHeaders.ratelimit = `${policy.slice(0, policy.indexOf(';'))};r=${remaining};t=${resetSeconds}`
  responseHeaders['x-ratelimit-limit'] = limit
  responseHeaders['x-ratelimit-remaining'] = remaining
  responseHeaders['x-ratelimit-reset'] = resetSeconds
}

/** Responses to a rotated key say since when it is deprecated (RFC 9745) and when it stops working (RFC 8594). */
export const tellRetirement = (
  responseHeaders: ResponseHeaders,
  { since, until }: NonNullable<Caller['retiring']>,
): void => {
  responseHeaders.deprecation = `@${Math.floor(since.getTime() / 1_000)}`
  responseHeaders.sunset = until.toUTCString()
}

/** Lets pages of any origin read the response. Never combined with browser credentials. */
export const tellAnyOrigin = (responseHeaders: ResponseHeaders): void => {
  responseHeaders['access-control-allow-origin'] = '*'
  responseHeaders['access-control-expose-headers'] = exposedHeaders
}

/** Lets pages of this origin read the response to a request with the browser's credentials. */
export const tellListedOrigin = (responseHeaders: ResponseHeaders, origin: string): void => {
  responseHeaders['access-control-allow-origin'] = origin
  responseHeaders['access-control-allow-credentials'] = 'true'
  responseHeaders['access-control-expose-headers'] = exposedHeaders
  responseHeaders.vary = 'Origin'
}

const exposedHeaders = [
  'x-request-id',
  'x-api-revision',
  'x-run-id',
  'location',
  'retry-after',
  'idempotency-replayed',
  'preference-applied',
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ')
