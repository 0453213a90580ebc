import { constants, type Http2ServerRequest } from 'node:http2'
import { type ErrorBody, type ErrorCode, errors, errorType } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { Overloaded } from '@ars/platform/overload'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Head } from './head.ts'
import { brokenPath } from './unknown-route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The headers that the answer will have. */
    head: Head
  }
}

/** Writes the whole answer at once, past the framework, which would look at each header and at the body again. */
export const send = (request: FastifyRequest, reply: FastifyReply, status: number, body?: string): void => {
  reply.hijack()
  const { raw } = reply
  if (raw.headersSent || raw.destroyed) return
  if (body !== undefined) request.head['content-length'] = Buffer.byteLength(body)
  raw.writeHead(status, request.head)
  raw.end(body)
  if (request.raw.httpVersionMajor === 2) closeUnread(request.raw as unknown as Http2ServerRequest)
}

/** Over HTTP/2 a body that nobody reads would keep its stream open for as long as the client likes. */
const closeUnread = ({ stream, complete }: Http2ServerRequest): void => {
  if (complete || stream.endAfterHeaders) return
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
}

export const sendJson = (request: FastifyRequest, reply: FastifyReply, status: number, body: string): void => {
  request.head['content-type'] = 'application/json; charset=utf-8'
  request.head['cache-control'] = 'no-store'
  send(request, reply, status, body)
}

export const sendText = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { status: number; type: string; body: string },
): void => {
  request.head['content-type'] = answer.type
  send(request, reply, answer.status, answer.body)
}

/** Turns whatever was thrown into a refusal. What is not a refusal of ours is our bug: `internal_error`. */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof DatabaseUnavailable) {
    const isBusy = error instanceof Overloaded
    return new Fault(
      'unavailable',
      isBusy ? 'The service is too busy just now' : 'The service cannot reach its database just now',
      {
        retryAfterSeconds: 1,
        cause: error,
      },
    )
  }
  const code = frameworkCode(error)
  if (code) return new Fault(code, messageOf(code, error), { cause: error })
  return new Fault('internal_error', 'The service failed; the failure is recorded under this request id', {
    cause: error,
  })
}

export const errorBody = (
  refusal: Pick<Fault, 'code' | 'message'> & Partial<Pick<Fault, 'param' | 'details'>>,
  { requestId, docUrl }: { requestId: string; docUrl: string },
): ErrorBody => ({
  error: {
    type: errorType(refusal.code) as ErrorBody['error']['type'],
    code: refusal.code,
    message: refusal.message,
    param: refusal.param ?? null,
    request_id: requestId,
    doc_url: `${docUrl}#${refusal.code}`,
    details: refusal.details ? [...refusal.details] : [],
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

/** Only what the framework or the wire itself throws: an error of ours that happens to have a status is still a bug. */
const frameworkCode = (error: unknown): ErrorCode | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return undefined
  const code = String(error.code)
  // An id longer than any that exists names a thing that does not exist.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return 'not_found'
  const isOfTheWire = code.startsWith('FST_') || code.startsWith('ERR_HTTP2_') || code === 'ECONNRESET'
  return isOfTheWire ? frameworkCodes[Number(error.statusCode)] : undefined
}

const messageOf = (code: ErrorCode, error: unknown): string => {
  if (code !== 'invalid_request') return errors[code].meaning
  // The framework's own words would quote the address, and somebody may have put a key into it.
  if ((error as { code?: string }).code === 'FST_ERR_BAD_URL') return brokenPath
  return 'The request broke off or is not valid HTTP'
}
