import { apiRevision } from '@ars/contract'
import type { Caller } from '@ars/core/ctx'
import type { Verdict } from '@ars/core/limits'

/** The headers of one answer, by their names in lower case. One object a request, written out once. */
export type Head = Record<string, string | number>

/** What every answer carries, whatever it is. */
export const newHead = (requestId: string): Head => ({
  'x-request-id': requestId,
  'x-api-revision': apiRevision,
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
})

// Nothing that we answer is a page that loads things, and nobody puts it into a frame.
export const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'"

/** For answers that travel over TLS only: the word of a plain answer about it would be anybody's word. */
export const demandTls = (head: Head): void => {
  head['strict-transport-security'] = 'max-age=31536000'
}

/** Every authenticated answer tells what is left. */
export const tellRate = (head: Head, { limit, remaining, resetSeconds, policy }: Verdict): void => {
  head['ratelimit-policy'] = policy
  head.ratelimit = `${policy.slice(0, policy.indexOf(';'))};r=${remaining};t=${resetSeconds}`
  head['x-ratelimit-limit'] = limit
  head['x-ratelimit-remaining'] = remaining
  head['x-ratelimit-reset'] = resetSeconds
}

/** A rotated key says so on every answer: since when it is deprecated (RFC 9745) and when it stops (RFC 8594). */
export const tellRetirement = (head: Head, { since, until }: NonNullable<Caller['retiring']>): void => {
  head.deprecation = `@${Math.floor(since.getTime() / 1_000)}`
  head.sunset = until.toUTCString()
}

/** A page of any origin may read the answer. Never together with credentials of the browser's. */
export const tellAnyOrigin = (head: Head): void => {
  head['access-control-allow-origin'] = '*'
  head['access-control-expose-headers'] = exposedHeaders
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
