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
    // Printable ASCII. A space at either end would be cut off on the way, so it is not part of a key.
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyChars, pattern: '^[!-~]([ -~]*[!-~])?$' },
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
export const headerComponents = {
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
} as const

export const requestHeadersOf = (operation: Operation): Reference[] => [
  ...(operation.idempotent ? [parameter('Idempotency-Key')] : []),
  ...(operation.prefers ? [parameter('Prefer')] : []),
]

export const successHeadersOf = (operation: Operation): Record<string, Reference> => ({
  ...everyAnswer,
  // Of what was made, and not of what was read.
  ...(operation.idempotent && headers('Location', 'Idempotency-Replayed')),
  ...(operation.idempotent && nameOf(operation.output) === 'Run' && headers('X-Run-Id')),
  ...(operation.prefers && headers('Preference-Applied')),
})

export const errorHeadersOf = (status: number): Record<string, Reference> => ({
  ...everyAnswer,
  ...((status === 429 || status === 503) && headers('Retry-After')),
})

const parameter = (name: keyof typeof parameterComponents): Reference => ({ $ref: `#/components/parameters/${name}` })

const headers = (...names: (keyof typeof headerComponents)[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const everyAnswer = headers('X-Request-Id', 'X-Api-Revision')
