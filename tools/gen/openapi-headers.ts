import { apiRevision, limits, type Operation } from '@ars/contract'
import { nameOf } from './components.ts'
import type { Reference } from './document.ts'

/** Request headers. */
const parameterComponents = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      `Makes retries safe: for ${limits.idempotencyKeyHours} hours, a request with the same key and body returns the result of ` +
      'the first request. Recommended.',
    // Printable ASCII without a leading quote. Spaces at either end would be trimmed in transit, so they are not part
    // of a key.
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyChars, pattern: '^[!#-~]([ -~]*[!-~])?$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      `How long to wait for the result (RFC 7240): \`wait=N\` for N seconds, 1 to ${limits.waitMaxSeconds}, or ` +
      `\`respond-async\` for no wait. Default: ${limits.waitDefaultSeconds} seconds.`,
    schema: { type: 'string', examples: ['wait=30', 'respond-async'] },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'The `id` of the last frame that you received: the stream continues after it. Takes precedence over `after`.',
    schema: { type: 'string' },
  },
} as const

/** Response headers. */
const headerComponents = {
  'X-Request-Id': {
    required: true,
    description: 'Identifies this request in the logs of the service.',
    schema: { type: 'string', pattern: '^req_' },
  },
  'X-Api-Revision': {
    required: true,
    description: 'The revision of the API.',
    schema: { type: 'string', examples: [apiRevision] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt. Always present with 429 and 503.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'The URL of the created resource.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotency-Replayed': {
    description: 'Present if an earlier request with the same `Idempotency-Key` created the resource.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Preference-Applied': {
    description: 'The part of `Prefer` that was applied.',
    schema: { type: 'string', examples: ['wait=30'] },
  },
  'Set-Cookie': {
    description: 'The session cookie `__Host-ars_session`: HttpOnly, Secure, SameSite=Lax.',
    schema: { type: 'string' },
  },
  'X-Run-Id': {
    description: 'The id of the run.',
    schema: { type: 'string', pattern: '^run_' },
  },
  'RateLimit-Policy': {
    required: true,
    description:
      'The rate limit of the key or person, in the format of the IETF draft: a burst of `q` requests, refilled over `w` seconds. ' +
      'This header and the next four are in every authenticated response, including errors.',
    schema: { type: 'string', examples: ['"requests";q=1500;w=90'] },
  },
  RateLimit: {
    required: true,
    description: 'The remaining burst: `r` requests now. A request passes in `t` seconds; 0: now.',
    schema: { type: 'string', examples: ['"requests";r=1499;t=0'] },
  },
  'X-RateLimit-Limit': {
    required: true,
    description: 'The burst: the most requests that can be sent at once. `RateLimit-Policy` has the refill rate.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    required: true,
    description: 'Remaining requests of the burst, at most `X-RateLimit-Limit`.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    required: true,
    description: 'Seconds until a request passes; 0: now. After a 429 it is equal to `Retry-After`.',
    schema: { type: 'integer', minimum: 0 },
  },
  Deprecation: {
    description: 'When the key was rotated (RFC 9745): `@` and the seconds since 1970.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
  },
  Sunset: {
    description: 'When a rotated key stops working (RFC 8594).',
    schema: { type: 'string', examples: ['Sun, 15 Nov 2026 09:00:00 GMT'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'Present if a short-lived token was used: pages of any origin can read the response.',
    schema: { type: 'string', enum: ['*'] },
  },
} as const

export const requestHeadersOf = (operation: Operation): Reference[] => [
  ...(operation.idempotent ? [parameter('Idempotency-Key')] : []),
  ...(operation.prefers ? [parameter('Prefer')] : []),
  ...(resumes(operation) ? [parameter('Last-Event-ID')] : []),
]

/** The request headers of these operations. */
export const usedParameters = (operations: readonly Operation[]): Record<string, object> => {
  const used = new Set(operations.flatMap(requestHeadersOf).map(({ $ref }) => $ref.split('/').at(-1)))
  return Object.fromEntries(Object.entries(parameterComponents).filter(([name]) => used.has(name)))
}

/** A stream that a GET returns can be resumed; a POST creates another one. */
const resumes = ({ streams, method }: Operation): boolean => streams === true && method === 'GET'

/** The headers of every response are described once, at the errors. An operation lists those that are its own. */
export const successHeadersOf = (operation: Operation): Record<string, Reference> => ({
  ...headers('X-Request-Id'),
  ...(operation.crossOrigin && headers('Access-Control-Allow-Origin')),
  // For created resources, not for reads.
  ...(operation.idempotent && headers('Location', 'Idempotency-Replayed')),
  ...(isRun(operation) && headers('X-Run-Id')),
  ...(operation.prefers && headers('Preference-Applied', 'Retry-After')),
  ...(startsSession(operation) && headers('Set-Cookie')),
})

const isRun = ({ output, idempotent, streams }: Operation): boolean =>
  (idempotent === true && nameOf(output) === 'Run') || (streams === true && nameOf(output) === 'RunFrame')

const startsSession = ({ output, method }: Operation): boolean => method === 'POST' && nameOf(output) === 'Session'

export const errorHeadersOf = (status: number | undefined): Record<string, Reference> => ({
  ...headers('X-Request-Id', 'X-Api-Revision'),
  ...((status === 429 || status === undefined) && headers('Retry-After')),
  ...(status === 429 && recognised),
})

/** The response headers of these operations; unused headers are not part of the document. */
export const usedHeaders = (operations: readonly Operation[]): Record<string, object> => {
  const used = new Set([
    ...Object.keys(errorHeadersOf(429)),
    ...operations.flatMap((each) => Object.keys(successHeadersOf(each))),
  ])
  return Object.fromEntries(Object.entries(headerComponents).filter(([name]) => used.has(name)))
}

const parameter = (name: keyof typeof parameterComponents): Reference => ({ $ref: `#/components/parameters/${name}` })

const headers = (...names: (keyof typeof headerComponents)[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const recognised = headers(
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Deprecation',
  'Sunset',
)
