import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

export type ApiCall = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  /** Sent as JSON; a text is sent as it is. */
  body?: unknown
}

export type ApiAnswer = {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** An answer whose body is still on its way. */
export type OpenAnswer = {
  status: number
  headers: IncomingHttpHeaders
  body: IncomingMessage
  /** Drops the connection without a word. */
  drop(): void
}

/** Speaks HTTPS to one gateway, as a client that knows its certificate would. Rejects when no answer came. */
export type ApiCaller = {
  call(call: ApiCall, options?: { timeoutMs?: number }): Promise<ApiAnswer>
  /** On a separate connection, which is dropped after `dropAfterMs`, answered or not. */
  open(call: ApiCall, options?: { timeoutMs?: number; dropAfterMs?: number }): Promise<OpenAnswer>
  close(): void
}

export type CallerOptions = {
  host?: string
  port: number
  ca: Buffer
  /** False: a connection for each call, so that a connection's fate is a call's fate. */
  keepAlive?: boolean
  /** The maximum number of connections, used in turn, as proxies do. */
  connections?: number
}

export const apiCaller = ({
  host = '127.0.0.1',
  port,
  ca,
  keepAlive = true,
  connections,
}: CallerOptions): ApiCaller => {
  const agent = new Agent({
    keepAlive,
    ca,
    servername: 'localhost',
    ...(connections !== undefined && { maxSockets: connections, scheduling: 'fifo' }),
  })
  const singly = new Agent({ keepAlive: false, ca, servername: 'localhost' })

  const send = (
    { method, path, headers, body }: ApiCall,
    { timeoutMs = 30_000, dropAfterMs, through = agent }: { timeoutMs?: number; dropAfterMs?: number; through?: Agent },
  ): Promise<OpenAnswer> =>
    new Promise((resolve, reject) => {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const outgoing = request({
        host,
        port,
        agent: through,
        method,
        path,
        headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers },
      })
      const timer = setTimeout(() => outgoing.destroy(new Error('timed out waiting for the answer')), timeoutMs)
      if (dropAfterMs !== undefined) {
        const drop = (): void => void setTimeout(() => outgoing.destroy(new Error('dropped')), dropAfterMs)
        outgoing.once('socket', (socket) => socket.once('secureConnect', drop))
      }
      outgoing.once('error', reject)
      outgoing.once('close', () => clearTimeout(timer))
      outgoing.once('response', (response) => {
        clearTimeout(timer)
        // A reader of the body sees the error too; without a reader it must not be unhandled.
        response.on('error', () => undefined)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: response,
          drop: () => outgoing.destroy(),
        })
      })
      outgoing.end(payload)
    })

  return {
    open: (call, options = {}) => send(call, { ...options, through: singly }),
    call: async (call, { timeoutMs = 30_000 } = {}) => {
      const { status, headers, body, drop } = await send(call, { timeoutMs })
      const timer = setTimeout(drop, timeoutMs)
      try {
        return { status, headers, text: await wholeText(body) }
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => {
      agent.destroy()
      singly.destroy()
    },
  }
}

/** A body that is cut off ends with `aborted`, not with `end`: half an answer is no answer. */
const wholeText = (body: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    body.on('data', (piece: Buffer) => pieces.push(piece))
    body.once('error', reject)
    body.once('close', () => reject(new Error('the response was cut off')))
    body.once('end', () => resolve(Buffer.concat(pieces).toString('utf8')))
  })
