import { type ErrorCode, errors, type Operation, protocolErrors } from '@ars/contract'
import type { z } from 'zod'
import { nameOf } from './components.ts'
import type { Reference } from './document.ts'
import { errorHeadersOf, successHeadersOf } from './openapi-headers.ts'

type Headers = Record<string, Reference>
type SuccessResponse = {
  description: string
  headers: Headers
  content: Record<string, { schema: z.ZodType | object }>
}
type ErrorResponse = { description: string; headers: Headers; content: { 'application/json': { schema: Reference } } }

export const successResponsesOf = (operation: Operation): Record<string, SuccessResponse> =>
  Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      {
        description: successWords[status],
        headers: successHeadersOf(operation),
        content: contentOf(operation),
      },
    ]),
  )

const contentOf = (operation: Operation): SuccessResponse['content'] => {
  if (operation.streams) return { 'text/event-stream': streamOf(operation.output) }
  if (operation.lines) return { 'application/jsonl': linesOf(operation.output) }
  return {
    'application/json': { schema: operation.output },
    ...(operation.csv && { 'text/csv': { schema: { type: 'string' } } }),
  }
}

/**
 * Every error has the same form, so each status is one component. The operation adds the codes that are its own. Statuses
 * that any request can meet, such as 413 and 503, are the default.
 */
export const errorResponsesOf = (operation: Operation): Record<string, Described> => ({
  ...Object.fromEntries(
    statusesWithErrors(operation).map((status) => {
      const own = operation.errors.filter((code) => errors[code].status === status)
      const $ref = `#/components/responses/${responseNames[status] ?? 'OtherError'}`
      return [status, own.length === 0 ? { $ref } : { $ref, description: listOf(own) }]
    }),
  ),
  default: { $ref: '#/components/responses/OtherError' },
})

/** The shared responses of these operations. */
export const responseComponents = (operations: readonly Operation[]): Record<string, ErrorResponse> => {
  const used = [...new Set(operations.flatMap(statusesWithErrors))]
  return {
    ...Object.fromEntries(used.map((status) => [responseNames[status] ?? '', errorResponse(status)])),
    OtherError: errorResponse(undefined),
  }
}

type Described = Reference & { description?: string }

const responseNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  422: 'Unprocessable',
  429: 'TooManyRequests',
}

const statusesWithErrors = (operation: Operation): number[] =>
  [...new Set([...gatewayErrorsOf(operation), ...operation.errors].map((code) => errors[code].status))]
    .filter((status) => responseNames[status] !== undefined)
    .sort((left, right) => left - right)

const errorResponse = (status: number | undefined): ErrorResponse => ({
  description: status === 422 ? unprocessable : meaningsOf(protocolCodes(status)),
  headers: errorHeadersOf(status),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const unprocessable =
  'The request is well-formed, but cannot be executed. The operation names the codes; `/docs/errors` explains them.'

/** The codes that any operation can return with the status; without one, those with a status that has no component. */
const protocolCodes = (status: number | undefined): ErrorCode[] => {
  const codes = [...new Set<ErrorCode>([...protocolErrors, 'not_found'])]
  return codes.filter((code) =>
    status === undefined
      ? responseNames[errors[code].status] === undefined || code === 'organisation_mismatch'
      : errors[code].status === status,
  )
}

const meaningsOf = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\` (${errors[code].status}): ${errors[code].meaning}`).join('\n\n')

const listOf = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ')

export const statusesOf = (operation: Operation): (200 | 201 | 202)[] => [
  operation.status,
  ...(operation.alsoStatus ?? []),
]

/** The errors that the gateway itself returns for the operation. */
const gatewayErrorsOf = ({ method }: Operation): readonly ErrorCode[] => [
  // A browser sends its cookie with requests of any page, so a write must prove its origin. A read need not.
  ...protocolErrors
    .filter((code) => code !== 'cross_site_forbidden' || method !== 'GET')
    // Only with a header that a client adds, so it is part of the default response.
    .filter((code) => code !== 'organisation_mismatch'),
  // A body may be valid JSON and contain values that cannot be stored: a number, or half a character.
  ...(method === 'POST' || method === 'PATCH' ? (['input_invalid'] as const) : []),
]

/** A whole stream is text. The schema of its frames stands beside it, as `itemSchema` of OpenAPI 3.2. */
const streamOf = (frame: z.ZodType) => ({
  schema: {
    type: 'string',
    description: `Server-sent events. The \`data\` of each is a \`${nameOf(frame)}\` in JSON.`,
  },
  'x-item-schema': { $ref: `#/components/schemas/${nameOf(frame)}` },
})

const linesOf = (line: z.ZodType) => ({
  schema: { type: 'string', description: `Lines of JSON. Each is a \`${nameOf(line)}\`.` },
  'x-item-schema': { $ref: `#/components/schemas/${nameOf(line)}` },
})

const successWords = { 200: 'Success.', 201: 'Created.', 202: 'Accepted, but not finished yet.' } as const
