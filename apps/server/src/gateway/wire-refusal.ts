import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { apiRevision, type ErrorCode, errors, limits } from '@ars/contract'
import type { Log } from '@ars/platform/log/log'
import type { Figures } from '../figures.ts'
import { errorBody } from './answer.ts'
import { contentSecurityPolicy } from './head.ts'

/** Refuses what never became a request: bytes that are no HTTP, or that did not come in time. */
export type WireRefusals = {
  /** The whole answer, and a line in the log; HTTP/1.1 is all that such a client may understand. */
  answer(code: ErrorCode, options?: { message?: string; requestId?: string }): string
  /** For the `clientError` of a server. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void
}

// Data that is still on its way would make the system reset the connection, and the answer with it: it is let in and
// thrown away for so long.
const lingerMs = 1_000

export const createWireRefusals = (deps: {
  newRequestId(): string
  docUrl: string
  log: Log
  figures: Pick<Figures, 'request'>
}): WireRefusals => {
  const answered = new WeakSet<Duplex>()

  const answer: WireRefusals['answer'] = (code, options = {}) => {
    const { status, meaning } = errors[code]
    const { message = meaning, requestId = deps.newRequestId() } = options
    const body = JSON.stringify(errorBody({ code, message }, { requestId, docUrl: deps.docUrl }))
    deps.figures.request('unknown', status, 0)
    deps.log.info('request', { request_id: requestId, operation: 'unknown', status, duration_ms: 0 })
    return [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${requestId}`,
      `X-Api-Revision: ${apiRevision}`,
      'X-Content-Type-Options: nosniff',
      `Content-Security-Policy: ${contentSecurityPolicy}`,
      'Referrer-Policy: no-referrer',
      'Connection: close',
      '',
      body,
    ].join('\r\n')
  }

  return {
    answer,
    onClientError: (error, socket) => {
      if (answered.has(socket)) return
      const code = codeOf(error)
      // No answer where none would be understood, nor into the middle of one that is under way.
      if (code === null || !socket.writable || isAnswering(socket)) return void socket.destroy()
      answered.add(socket)
      socket.end(answer(code, code === 'invalid_request' ? { message: 'The request is not valid HTTP' } : {}))
      // A request that was merely late might come to its end after all; it must not be seen any more.
      if (code === 'request_timeout') return void socket.once('finish', () => socket.destroy())
      setTimeout(() => socket.destroy(), lingerMs).unref()
    },
  }
}

const codeOf = (error: NodeJS.ErrnoException & { rawPacket?: Buffer }): ErrorCode | null => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  if (error.code === 'HPE_HEADER_OVERFLOW') return isLongLine(error.rawPacket) ? 'uri_too_long' : 'headers_too_large'
  return error.code?.startsWith('HPE_') ? 'invalid_request' : null
}

/** Was it the first line that was too long? The parser does not tell, so the bytes it gave up at are looked at. */
const isLongLine = (bytes: Buffer | undefined): boolean => {
  const start = bytes?.subarray(0, limits.urlBytes).toString('latin1') ?? ''
  return /^[A-Z]+ /.test(start) && start.length === limits.urlBytes && !start.includes('\n')
}

/** Node's HTTP/1.1 server keeps the answer that is being written on its socket. */
const isAnswering = (socket: Duplex): boolean =>
  '_httpMessage' in socket && (socket._httpMessage as { headersSent?: boolean } | null)?.headersSent === true
