import { errors } from '@ars/contract'
import type { RefusalNotes } from '@ars/core/audit'
import { Fault } from '@ars/core/fault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorSink } from '../../error-sink.ts'
import type { Refusal } from '../admit/admission.ts'
import { errorBody, sendJson, toFault } from './answer.ts'

export type RefusalDeps = {
  docUrl: string
  reportError: ErrorSink
  /** Records that a known caller lacked the permission. */
  noteRefusal?: RefusalNotes['note']
}

/** Sends a thrown error in the one error shape. Errors that are not faults are reported to the error sink. */
export const refuseError = (deps: RefusalDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const fault = toFault(error, request.headers['content-type'])
  if (errors[fault.code].status === 500) {
    deps.reportError(fault.cause ?? fault, { operation: request.operationName ?? 'unknown', requestId: request.id })
  }
  refuse(deps, fault, request, reply)
}

export const refuse = (
  { docUrl, noteRefusal }: Pick<RefusalDeps, 'docUrl' | 'noteRefusal'>,
  refusal: Refusal | Fault,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  const { status } = errors[refusal.code]
  request.errorCode = refusal.code
  const { responseHeaders, raw, caller, operationName = 'unknown' } = request
  if (refusal.code === 'forbidden' && caller?.org) {
    const { address, id: requestId } = request
    noteRefusal?.({ ...caller, address, requestId }, { operation: operationName, message: refusal.message })
  }
  if (status === 401) responseHeaders['www-authenticate'] = 'Bearer'
  if (status === 503 || status === 429) responseHeaders['retry-after'] = refusal.retryAfterSeconds ?? 1
  // The rest of a rejected body is not read.
  if ((status === 408 || status === 413) && raw.httpVersionMajor === 1 && !raw.complete)
    responseHeaders.connection = 'close'
  const body = Buffer.from(JSON.stringify(errorBody(refusal, { requestId: request.id, docUrl })))
  sendJson(request, reply, status, { body })
}

/** A refusal as an error, for code that cannot return it. */
export const asFault = ({ code, message, retryAfterSeconds }: Refusal): Fault =>
  new Fault(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
