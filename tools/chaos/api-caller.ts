import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'

export interface ApiCall {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: unknown
}

export interface ApiAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Speaks HTTPS to one gateway, as a client that knows its certificate would. Rejects when no answer came. */
export interface ApiCaller {
  call(call: ApiCall, options?: { timeoutMs?: number }): Promise<ApiAnswer>
  close(): void
}

export function apiCaller({ port, ca }: { port: number; ca: Buffer }): ApiCaller {
  const agent = new Agent({ keepAlive: true, ca, servername: 'localhost' })
  return {
    call: ({ method, path, headers, body }, { timeoutMs = 30_000 } = {}) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? undefined : JSON.stringify(body)
        const outgoing = request({
          host: '127.0.0.1',
          port,
          agent,
          method,
          path,
          headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
        })
        const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), timeoutMs)
        outgoing.once('error', reject)
        outgoing.once('close', () => clearTimeout(timer))
        outgoing.once('response', (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (piece: string) => {
            text += piece
          })
          response.once('error', reject)
          // A body that is cut off ends with `aborted`, not with `end`: half an answer is no answer.
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        })
        outgoing.end(payload)
      }),
    close: () => agent.destroy(),
  }
}
