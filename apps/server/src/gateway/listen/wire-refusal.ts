import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { apiRevision, type ErrorCode, errors, limits } from '@ars/contract'
import type { Log } from '@ars/platform/log/log'
import type { Metrics } from '../../metrics.ts'
import { errorBody } from '../answer/answer.ts'
import { contentSecurityPolicy } from '../answer/response-headers.ts'

type WireCode = Exclude<ErrorCode, 'unavailable'>

/** Responds to connections that never produced a request: invalid HTTP, or a timeout. */
export type WireRefusals = {
  /** The raw HTTP/1.1 response. It also writes a log line. */
  answer(code: WireCode, options?: { message?: string; requestId?: string }): string
  /** Handles the `clientError` event of a server. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void
}

// Unread data would make the system reset the connection and lose the response. It is discarded for this long.
const lingerMs = 1_000

export const createWireRefusals = (deps: {
  newRequestId(): string
  docUrl: string
  log: Log
  metrics: Pick<Metrics, 'request' | 'requestRefused'>
}): WireRefusals => {
  const answered = new WeakSet<Duplex>()

  const answer: WireRefusals['answer'] = (code, options = {}) => {
    const { status, meaning } = errors[code]
    const { message = meaning, requestId = deps.newRequestId() } = options
    const body = JSON.stringify(errorBody({ code, message }, { requestId, docUrl: deps.docUrl }))
    deps.metrics.request('unknown', status, 0)
    deps.metrics.requestRefused(code)
    deps.log.info('request', { request_id: requestId, operation: 'unknown', status, code, duration_ms: 0 })
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
      // No response if the client could not read it, or if another response is being written.
      if (code === null || !socket.writable || isAnswering(socket)) return void socket.destroy()
      answered.add(socket)
      socket.end(answer(code, code === 'invalid_request' ? { message: 'The request is not valid HTTP.' } : {}))
      // A late request could still complete; destroying the socket prevents that.
      if (code === 'request_timeout') return void socket.once('finish', () => socket.destroy())
      setTimeout(() => socket.destroy(), lingerMs).unref()
    },
  }
}

const codeOf = (error: NodeJS.ErrnoException & { rawPacket?: Buffer }): WireCode | null => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  if (error.code === 'HPE_HEADER_OVERFLOW') return isLongLine(error.rawPacket) ? 'uri_too_long' : 'headers_too_large'
  return error.code?.startsWith('HPE_') ? 'invalid_request' : null
}

/** Whether the request line was too long. The parser does not say, so the bytes are inspected. */
const isLongLine = (bytes: Buffer | undefined): boolean => {
  const start = bytes?.subarray(0, limits.urlBytes).toString('latin1') ?? ''
  return /^[A-Z]+ /.test(start) && start.length === limits.urlBytes && !start.includes('\n')
}

/** Node stores the response in progress on the socket. */
const isAnswering = (socket: Duplex): boolean =>
  '_httpMessage' in socket && (socket._httpMessage as { headersSent?: boolean } | null)?.headersSent === true
