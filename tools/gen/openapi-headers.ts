import { apiRevision, limits, type Operation } from '@ars/contract'
import { nameOf } from './components.ts'
import type { Reference } from './document.ts'

/** Headers that a request may carry. */
export const parameterComponents = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      `Makes a repeated request harmless: for ${limits.idempotencyKeyHours} hours the same key with the same body gives ` +
      'what the first request made. Recommended.',
    // Printable ASCII, no quote at the beginning. A space at either end would be cut off on the way, so it is not part of a key.
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyChars, pattern: '^[!#-~]([ -~]*[!-~])?$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    required: false,
    description:
      `How long to wait for the result (RFC 7240): \`wait=N\` for N seconds, 1 to ${limits.waitMaxSeconds}, or ` +
      `\`respond-async\` for no wait; ${limits.waitDefaultSeconds} s unless told.`,
    schema: { type: 'string', examples: ['wait=30', 'respond-async'] },
  },
} as const

/** Headers that an answer may carry. */
const headerComponents = {
  'X-Request-Id': {
    required: true,
    description: 'Names this request in our logs.',
    schema: { type: 'string', pattern: '^req_' },
  },
  'X-Api-Revision': {
    required: true,
    description: 'The revision of the contract that answered.',
    schema: { type: 'string', examples: [apiRevision] },
  },
  'Retry-After': {
    required: true,
    description: 'After so many seconds the same request may pass.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'Where the thing that was made can be read.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotency-Replayed': {
    description: 'Present when an earlier request with the same `Idempotency-Key` made the thing.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Preference-Applied': {
    description: 'What was made of `Prefer`.',
    schema: { type: 'string', examples: ['wait=30'] },
  },
  'X-Run-Id': {
    description: 'The run that the answer is about.',
    schema: { type: 'string', pattern: '^run_' },
  },
  'RateLimit-Policy': {
    required: true,
    description:
      'How many requests a key or a person may make, as the IETF draft writes it: `q` at once, refilled over `w` seconds. ' +
      'This header and the four that follow stand on every answer to a caller that was recognised, refusals too.',
    schema: { type: 'string', examples: ['"key";q=1500;w=90'] },
  },
  RateLimit: {
    required: true,
    description: 'What is left of it: `r` requests at once, and all of them again in `t` seconds.',
    schema: { type: 'string', examples: ['"key";r=1499;t=1'] },
  },
  'X-RateLimit-Limit': {
    required: true,
    description: 'Requests a minute.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    required: true,
    description: 'Requests that may be made at once now.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    required: true,
    description: 'Seconds until the limit is whole again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Deprecation: {
    description: 'The key was rotated, and when (RFC 9745): `@` and the seconds since 1970.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
  },
  Sunset: {
    description: 'When a rotated key stops working (RFC 8594).',
    schema: { type: 'string', examples: ['Sun, 15 Nov 2026 09:00:00 GMT'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'Present when a short-lived token was used: pages of any origin may read the answer.',
    schema: { type: 'string', enum: ['*'] },
  },
} as const

export const requestHeadersOf = (operation: Operation): Reference[] => [
  ...(operation.idempotent ? [parameter('Idempotency-Key')] : []),
  ...(operation.prefers ? [parameter('Prefer')] : []),
]

export const successHeadersOf = (operation: Operation): Record<string, Reference> => ({
  ...everyAnswer,
  ...(operation.scope !== 'anyone' && recognised),
  ...(operation.crossOrigin && headers('Access-Control-Allow-Origin')),
  // Of what was made, and not of what was read.
  ...(operation.idempotent && headers('Location', 'Idempotency-Replayed')),
  ...(operation.idempotent && nameOf(operation.output) === 'Run' && headers('X-Run-Id')),
  ...(operation.prefers && headers('Preference-Applied')),
})

export const errorHeadersOf = (status: number): Record<string, Reference> => ({
  ...everyAnswer,
  ...((status === 429 || status === 503) && headers('Retry-After')),
})

/** The headers that these operations answer with; one that nobody refers to has no place in the document. */
export const usedHeaders = (operations: readonly Operation[]): Record<string, object> => {
  const used = new Set(operations.flatMap((each) => Object.keys({ ...successHeadersOf(each), ...errorHeadersOf(429) })))
  return Object.fromEntries(Object.entries(headerComponents).filter(([name]) => used.has(name)))
}

const parameter = (name: keyof typeof parameterComponents): Reference => ({ $ref: `#/components/parameters/${name}` })

const headers = (...names: (keyof typeof headerComponents)[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const everyAnswer = headers('X-Request-Id', 'X-Api-Revision')

const recognised = headers(
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Deprecation',
  'Sunset',
)
