import http2 from 'node:http2'
import https from 'node:https'
import { type StreamProtocol, streamsPerConnection } from './protocol.ts'

export type StreamRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** The side answered, but not with a stream. */
export class StreamRefusal extends Error {
  readonly status: number

  constructor(status: number, method: string, path: string) {
    super(`${method} ${path} was answered ${status}`)
    this.status = status
  }
}

/** How the pieces of an answer are taken. */
export type StreamHandler = {
  onData(text: string): void
  /** With a failure when it broke off. */
  onEnd(failure: string | undefined): void
}

/** Connections to one side, of one protocol. Each HTTP/1.1 stream has its own; HTTP/2 streams share. */
export type StreamConnections = {
  /** Resolves with the answer's headers when it begins. */
  open(request: StreamRequest, handler: StreamHandler): Promise<Record<string, string>>
  close(): void
}

export const connectStreams = (protocol: StreamProtocol, origin: string, ca: string): StreamConnections =>
  protocol === 'h1' ? connectHttp1(origin, ca) : connectHttp2(origin, ca)

const connectHttp1 = (origin: string, ca: string): StreamConnections => {
  const agent = new https.Agent({ ca, servername: 'localhost', keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return {
    open: ({ method, path, headers, body }, handler) =>
      new Promise((resolve, reject) => {
        const request = https.request(`${origin}${path}`, { method, headers, agent })
        request.once('error', reject)
        request.once('response', (response) => {
          response.setEncoding('latin1')
          if (response.statusCode !== 200) {
            response.resume()
            reject(new StreamRefusal(response.statusCode ?? 0, method, path))
            return
          }
          response.on('data', handler.onData)
          response.once('error', () => undefined)
          response.once('close', () => handler.onEnd(response.complete ? undefined : 'the connection broke'))
          resolve(response.headers as Record<string, string>)
        })
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}

const connectHttp2 = (origin: string, ca: string): StreamConnections => {
  const sessions: http2.ClientHttp2Session[] = []
  let opened = 0
  const sessionOf = (index: number): http2.ClientHttp2Session => {
    const at = Math.floor(index / streamsPerConnection)
    const known = sessions[at]
    if (known) return known
    const session = http2.connect(origin, { ca, servername: 'localhost' })
    session.setMaxListeners(0)
    session.on('error', () => undefined)
    sessions[at] = session
    return session
  }
  return {
    open: ({ method, path, headers, body }, handler) =>
      new Promise((resolve, reject) => {
        const stream = sessionOf(opened++).request({ ':method': method, ':path': path, ...headers })
        stream.setEncoding('latin1')
        let hasBegun = false
        let hasEnded = false
        stream.once('response', (answer) => {
          if (answer[':status'] !== 200) {
            stream.resume()
            reject(new StreamRefusal(Number(answer[':status']), method, path))
            return
          }
          hasBegun = true
          stream.on('data', handler.onData)
          resolve(answer as unknown as Record<string, string>)
        })
        stream.once('end', () => {
          hasEnded = true
        })
        stream.once('error', reject)
        stream.once('close', () => {
          if (hasBegun) handler.onEnd(hasEnded ? undefined : 'the stream broke')
          else reject(new Error(`${method} ${path} was not answered`))
        })
        stream.end(body)
      }),
    close: () => {
      for (const session of sessions) session.destroy()
    },
  }
}
