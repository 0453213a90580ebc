import { type ErrorCode, errors, type Operation, protocolErrors } from '@ars/contract'
import type { z } from 'zod'
import type { Reference } from './document.ts'
import { errorHeadersOf, successHeadersOf } from './openapi-headers.ts'

type Headers = Record<string, Reference>
type SuccessResponse = { description: string; headers: Headers; content: Record<string, { schema: z.ZodType }> }
type ErrorResponse = { description: string; headers: Headers; content: { 'application/json': { schema: Reference } } }

export const successResponsesOf = (operation: Operation): Record<string, SuccessResponse> =>
  Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      {
        description: successWords[status],
        headers: successHeadersOf(operation),
        content: { [operation.streams ? 'text/event-stream' : 'application/json']: { schema: operation.output } },
      },
    ]),
  )

/** One response per status. A status with one possible code is the same everywhere, so it is a component. */
export const errorResponsesOf = (operation: Operation): Record<string, ErrorResponse | Reference> =>
  Object.fromEntries(
    [...codesByStatus(operation)].map(([status, codes]) => {
      const [code, ...others] = codes
      const isShared = code !== undefined && others.length === 0
      return [
        status,
        isShared ? { $ref: `#/components/responses/${componentName(code)}` } : errorResponse(status, codes),
      ]
    }),
  )

/** The shared responses of these operations. */
export const responseComponents = (operations: readonly Operation[]): Record<string, ErrorResponse> => {
  const single = operations.flatMap((operation) =>
    [...codesByStatus(operation).values()].filter((codes) => codes.length === 1),
  )
  const codes = [...new Set(single.flat())].sort()
  return Object.fromEntries(codes.map((code) => [componentName(code), errorResponse(errors[code].status, [code])]))
}

export const statusesOf = (operation: Operation): (200 | 201 | 202)[] => [
  operation.status,
  ...(operation.alsoStatus ?? []),
]

const codesByStatus = (operation: Operation): Map<number, ErrorCode[]> => {
  const codes = [...new Set<ErrorCode>([...gatewayErrorsOf(operation), ...operation.errors])].sort()
  return Map.groupBy(codes, (code) => errors[code].status)
}

/** The errors that the gateway itself returns for the operation. */
const gatewayErrorsOf = ({ method }: Operation): readonly ErrorCode[] => [
  // A browser sends its cookie with requests of any page, so a write must prove its origin. A read need not.
  ...protocolErrors.filter((code) => code !== 'cross_site_forbidden' || method !== 'GET'),
  // A body may be valid JSON and contain values that cannot be stored: a number, or half a character.
  ...(method === 'POST' || method === 'PATCH' ? (['input_invalid'] as const) : []),
]

const successWords = { 200: 'Success.', 201: 'Created.', 202: 'Accepted, but not finished yet.' } as const

const errorResponse = (status: number, codes: readonly ErrorCode[]): ErrorResponse => ({
  description: codes.map((code) => `\`${code}\`: ${errors[code].meaning}`).join('\n\n'),
  headers: errorHeadersOf(status),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** `not_found` → `NotFound` */
const componentName = (code: ErrorCode): string =>
  code.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())
