import { constants, type Http2ServerRequest } from 'node:http2'
import { type ErrorBody, type ErrorCode, errors, errorType, unavailableReasons } from '@ars/contract'
import { Fault } from '@ars/core/fault'
import type { ReservedShare } from '@ars/platform/byte-budget'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serverBounds } from '../../bounds.ts'
import type { ResponseHeaders } from './response-headers.ts'
import { brokenPath } from './unknown-route.ts'

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the declaration of the library.
  interface FastifyRequest {
    /** The headers of the response. */
    responseHeaders: ResponseHeaders
  }
}

/** Writes the response directly, because the framework would inspect each header and the body again. */
export const send = (request: FastifyRequest, reply: FastifyReply, status: number, content?: Content): void => {
  reply.hijack()
  const { raw } = reply
  if (raw.headersSent || raw.destroyed) {
    content?.held?.giveBack()
    return
  }
  if (content) request.responseHeaders['content-length'] = content.body.length
  raw.writeHead(status, request.responseHeaders)
  if (content && request.method !== 'HEAD') request.outgoing.write(request, raw, content.body, content.held)
  else {
    content?.held?.giveBack()
    raw.end()
  }
  if (request.raw.httpVersionMajor === 2) closeUnread(request.raw as unknown as Http2ServerRequest)
}

/** `held`: the bytes were taken from the budget before. */
type Content = { body: Buffer; held?: ReservedShare }

/** Over HTTP/2 an unread body keeps its stream open until the client ends it. */
const closeUnread = ({ stream, complete }: Http2ServerRequest): void => {
  if (complete || stream.endAfterHeaders) return
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
}

export const sendJson = (request: FastifyRequest, reply: FastifyReply, status: number, content: Content): void => {
  request.responseHeaders['content-type'] = 'application/json; charset=utf-8'
  request.responseHeaders['cache-control'] = 'no-store'
  send(request, reply, status, content)
}

export const sendCsv = (
  request: FastifyRequest,
  reply: FastifyReply,
  { filename, ...content }: Content & { filename: string },
): void => {
  request.responseHeaders['content-type'] = 'text/csv; charset=utf-8; header=present'
  request.responseHeaders['content-disposition'] = `attachment; filename="${filename}"`
  request.responseHeaders['cache-control'] = 'no-store'
  send(request, reply, 200, content)
}

export const sendText = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { status: number; type: string; body: string },
): void => {
  request.responseHeaders['content-type'] = answer.type
  send(request, reply, answer.status, { body: Buffer.from(answer.body) })
}

/** A page that is equal for everybody and changes with a release only. */
export const sendPage = (request: FastifyRequest, reply: FastifyReply, page: { type: string; body: Buffer }): void => {
  request.responseHeaders['content-type'] = page.type
  request.responseHeaders['cache-control'] = 'public, max-age=300'
  send(request, reply, 200, { body: page.body })
}

/** Maps any thrown value to a fault. Unexpected errors are bugs: `internal_error`. */
export const toFault = (error: unknown, contentType?: string): Fault => {
  if (error instanceof Fault) return error
  if (error instanceof DatabaseUnavailable) {
    const { why: reason } = error
    return new Fault('unavailable', unavailableReasons[reason], { reason, retryAfterSeconds: 1, cause: error })
  }
  const code = frameworkCode(error)
  if (code) return new Fault(code, messageOf(code, error, contentType), { cause: error })
  return new Fault(
    'internal_error',
    'The request failed because of an internal error, which is logged under this request id.',
    {
      cause: error,
    },
  )
}

export const errorBody = (
  refusal: Pick<Fault, 'code' | 'message'> & Partial<Pick<Fault, 'param' | 'details' | 'reason'>>,
  { requestId, docUrl }: { requestId: string; docUrl: string },
): ErrorBody => ({
  error: {
    type: errorType(refusal.code) as ErrorBody['error']['type'],
    code: refusal.code,
    message: refusal.message,
    reason: refusal.reason ?? null,
    param: refusal.param ?? null,
    request_id: requestId,
    doc_url: `${docUrl}#${refusal.code}`,
    details: refusal.details ? [...refusal.details] : [],
  },
})

type FrameworkCode = Exclude<ErrorCode, 'unavailable'>

/** Errors that the HTTP framework raises, by status. */
const frameworkCodes: Readonly<Record<number, FrameworkCode>> = {
  400: 'invalid_request',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
}

/** Only errors of the framework and of the connection: another error that has a status is still a bug. */
const frameworkCode = (error: unknown): FrameworkCode | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || !('code' in error)) return undefined
  const code = String(error.code)
  // An id that is too long cannot name an existing resource.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return 'not_found'
  const isOfTheWire = code.startsWith('FST_') || code.startsWith('ERR_HTTP2_') || code === 'ECONNRESET'
  return isOfTheWire ? frameworkCodes[Number(error.statusCode)] : undefined
}

const messageOf = (code: ErrorCode, error: unknown, contentType: string | undefined): string => {
  if (code === 'unsupported_media_type') return unsupportedType(contentType)
  if (code !== 'invalid_request') return errors[code].meaning
  // The framework's message quotes the URL, which may contain a key.
  if ((error as { code?: string }).code === 'FST_ERR_BAD_URL') return brokenPath
  return 'The request ended early or is not valid HTTP.'
}

const maxTypeChars = serverBounds.contentTypeTold.chars

const unsupportedType = (contentType = ''): string => {
  const received = contentType.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxTypeChars)
  return `Send Content-Type: application/json (received ${received === '' ? 'none' : received}).`
}
