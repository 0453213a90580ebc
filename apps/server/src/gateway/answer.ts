import { type ErrorBody, type ErrorCode, errors, errorType } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'

/** Turns whatever was thrown into a refusal. What is not a refusal of ours is our bug: `internal_error`. */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof DatabaseUnavailable) {
    return new Fault('unavailable', 'The service cannot reach its database just now', {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  const code = isLongId(error) ? 'not_found' : frameworkCodes[statusOf(error)]
  if (code) return new Fault(code, messageOf(code, error), { cause: error })
  return new Fault('internal_error', 'The service failed; the failure is recorded under this request id', {
    cause: error,
  })
}

export const errorBody = (fault: Fault, { requestId, docUrl }: { requestId: string; docUrl: string }): ErrorBody => ({
  error: {
    type: errorType(fault.code) as ErrorBody['error']['type'],
    code: fault.code,
    message: fault.message,
    param: fault.param,
    request_id: requestId,
    doc_url: `${docUrl}#${fault.code}`,
    details: [...fault.details],
  },
})

/** What the HTTP framework refuses by itself, by status. */
const frameworkCodes: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
}

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500

/** An id longer than any that exists names a thing that does not exist. */
const isLongId = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_MAX_PARAM_LENGTH'

const messageOf = (code: ErrorCode, error: unknown): string => {
  if (code !== 'invalid_request' || !(error instanceof Error)) return errors[code].meaning
  // It may quote the address, which can be long.
  return error.message.slice(0, 300)
}
