import { errors } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorSink } from '../error-sink.ts'
import type { Refusal } from './admission.ts'
import { errorBody, sendJson, toFault } from './answer.ts'

export type RefusalDeps = { docUrl: string; reportError: ErrorSink }

/** Whatever was thrown leaves here, in the one shape of errors. What is no refusal of ours is reported. */
export const refuseError = (deps: RefusalDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const fault = toFault(error)
  if (errors[fault.code].status === 500) {
    deps.reportError(fault.cause ?? fault, { operation: request.operationName ?? 'unknown', requestId: request.id })
  }
  refuse(deps, fault, request, reply)
}

export const refuse = (
  { docUrl }: Pick<RefusalDeps, 'docUrl'>,
  refusal: Refusal | Fault,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  const { status } = errors[refusal.code]
  const { head, raw } = request
  if (status === 401) head['www-authenticate'] = 'Bearer'
  if (status === 503 || status === 429) head['retry-after'] = refusal.retryAfterSeconds ?? 1
  // Whoever goes on sending what was refused is not listened to any longer.
  if ((status === 408 || status === 413) && raw.httpVersionMajor === 1 && !raw.complete) head.connection = 'close'
  sendJson(request, reply, status, JSON.stringify(errorBody(refusal, { requestId: request.id, docUrl })))
}

/** What is thrown where a refusal cannot be returned. */
export const asFault = ({ code, message, retryAfterSeconds }: Refusal): Fault =>
  new Fault(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
