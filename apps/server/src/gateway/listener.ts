import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import net from 'node:net'
import { limits } from '@ars/contract'

export type Listener = { close(): Promise<void> }

type Handler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void

// Longer than the idle time of common proxies, so that it is the proxy that ends an idle connection.
const keepAliveTimeoutMs = 72_000
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const firstByteTimeoutMs = 10_000
const tlsHandshakeByte = 0x16

/**
 * TLS in process, HTTP/2 and 1.1 on one port. Whoever speaks plain HTTP to it is told so in words, and never
 * redirected: a redirect would hide that the key has just travelled in the open.
 */
export const listen = async (options: {
  host: string
  port: number
  certFile: string
  keyFile: string
  handler: Handler
}): Promise<Listener> => {
  const secure = http2.createSecureServer(
    {
      allowHTTP1: true,
      cert: readFileSync(options.certFile),
      key: readFileSync(options.keyFile),
      minVersion: 'TLSv1.2',
      settings: { maxConcurrentStreams: 200, maxHeaderListSize: limits.headerBytes },
      maxHeaderSize: limits.headerBytes,
    } as http2.SecureServerOptions,
    options.handler,
  )
  // What Node's types know of an HTTP/1.1 server only is there on this one too, for the clients that speak it.
  Object.assign(secure, {
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
  })
  const sessions = new Set<http2.ServerHttp2Session>()
  secure.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  const sockets = new Set<net.Socket>()
  const front = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(firstByteTimeoutMs, () => socket.destroy())
    socket.once('data', (first) => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      if (first[0] !== tlsHandshakeByte) return void socket.end(plainHttpAnswer)
      socket.pause()
      socket.unshift(first)
      secure.emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject)
    front.listen({ host: options.host, port: options.port }, resolve)
  })
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => front.close(() => resolve()))
      // Streams under way end by themselves; what is idle is closed at once.
      for (const session of sessions) session.close()
      const closeIdle = 'closeIdleConnections' in secure ? (secure.closeIdleConnections as () => void) : undefined
      closeIdle?.call(secure)
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeGraceMs).unref())])
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const closeGraceMs = 5_000

const plainHttpBody = JSON.stringify({
  error: {
    type: 'invalid_request_error',
    code: 'invalid_request',
    message:
      'This port speaks HTTPS only. Use https:// in the address. If this request carried a key, replace the key.',
    param: null,
    request_id: null,
    doc_url: null,
    details: [],
  },
})

const plainHttpAnswer = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(plainHttpBody)}`,
  'Connection: close',
  '',
  plainHttpBody,
].join('\r\n')
