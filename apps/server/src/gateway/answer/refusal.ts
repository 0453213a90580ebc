import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { errors } from '@ars/contract'
import type { RefusalNotes } from '@ars/core/audit'
import { Fault } from '@ars/core/fault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serverBounds } from '../../bounds.ts'
import type { ErrorSink } from '../../error-sink.ts'
import type { Refusal } from '../admit/admission.ts'
import { errorBody, sendJson, toFault } from './answer.ts'
import { runIdOf } from './request-run.ts'

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
    const { operationName: operation = 'unknown', id: requestId } = request
    deps.reportError(fault.cause ?? fault, { operation, requestId, runId: runIdOf(request) })
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
  if ('reason' in refusal && refusal.reason !== null) request.unavailableReason = refusal.reason
  const { responseHeaders, raw, caller, operationName = 'unknown' } = request
  if (refusal.code === 'forbidden' && caller?.org) {
    const { address, id: requestId } = request
    noteRefusal?.({ ...caller, address, requestId }, { operation: operationName, message: refusal.message })
  }
  if (status === 401) responseHeaders['www-authenticate'] = 'Bearer'
  if (status === 503 || status === 429) responseHeaders['retry-after'] = refusal.retryAfterSeconds ?? 1
  if (raw.httpVersionMajor === 1 && !raw.complete && isRestUnread(status, request)) {
    responseHeaders.connection = 'close'
    leaveUnread(raw)
  }
  // The address may lead elsewhere by now: the client must look it up again.
  if (request.unavailableReason === 'organisation_closed') endConnection(request)
  const body = Buffer.from(JSON.stringify(errorBody(refusal, { requestId: request.id, docUrl })))
  sendJson(request, reply, status, { body })
}

/** After this response, and after those that are under way on the connection. */
const endConnection = ({ raw, responseHeaders }: FastifyRequest): void => {
  if (raw.httpVersionMajor === 1) responseHeaders.connection = 'close'
  // GOAWAY: no new stream.
  else (raw as unknown as Http2ServerRequest).stream.session?.close()
}

// A shorter body costs less than a new connection, so it is read and thrown away.
const maxDiscardedBytes = serverBounds.bodyDiscarded.bytes

/** The rest of a body that is too late or too large is not read. Neither is the rest of a long one that has no room. */
const isRestUnread = (status: number, { headers }: FastifyRequest): boolean => {
  if (status === 408 || status === 413) return true
  if (status !== 429 && status !== 503) return false
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > maxDiscardedBytes
}

// The time that a client has to read the refusal while it still sends.
const lingerMs = 2_000

/**
 * Node reads the rest of a body after the response, which costs decryption of bytes that nobody wants. Closing at once
 * would reset the connection, and the client would lose the refusal. So the connection stays for a while, and nothing is
 * read from it.
 */
const leaveUnread = (raw: IncomingMessage): void => {
  // Node discards only bodies that nobody has begun to read.
  raw.read(0)
  const { socket } = raw
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  }
}

/** A refusal as an error, for code that cannot return it. */
export const asFault = (refusal: Refusal): Fault => {
  const { message, retryAfterSeconds } = refusal
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return refusal.code === 'unavailable'
    ? new Fault(refusal.code, message, { ...options, reason: refusal.reason })
    : new Fault(refusal.code, message, options)
}
