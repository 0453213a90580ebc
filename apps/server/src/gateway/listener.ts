import { readFileSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import type { Arriving } from './body-deadline.ts'
import type { ConnectionPlaces } from './connection-places.ts'
import { watchSessions } from './sessions.ts'
import type { WireRefusals } from './wire-refusal.ts'

export type Listener = { close(): Promise<void> }

export type ListenerOptions = {
  host: string
  port: number
  handler(request: IncomingMessage, response: ServerResponse): void
  wire: WireRefusals
  bounds: ListenerBounds
  clock: Clock
}

export type ListenerBounds = {
  /** Beyond, a connection is closed as soon as it is made. */
  connectionsMost: number
  /** The same for each address. */
  places: ConnectionPlaces
  onRefused(reason: 'address' | 'all'): void
  /** For the TLS handshake, and then for the headers of each request. */
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** How often it is looked whether somebody is late. */
  checkEveryMs: number
}

// Longer than the idle time of common proxies, so that it is the proxy that ends an idle connection.
const keepAliveTimeoutMs = 72_000
const tlsHandshakeByte = 0x16
// A little less than a TLS record holds: a request line that is too long is then seen whole where the parser gives up.
const parserBytesMost = limits.headerBytes - 256

/** HTTP/2 of a client that means no good: what it may cost before its connection is closed. */
const sessionBounds = {
  settings: { maxConcurrentStreams: 200, maxHeaderListSize: limits.headerBytes },
  // So many that our own count decides, which answers in words.
  maxHeaderListPairs: 1_000,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Streams that are opened and reset at once cost us and not the client: so many at once, then so many a second.
  streamResetBurst: 200,
  streamResetRate: 20,
}

/**
 * TLS in process, HTTP/2 and 1.1 on one port. Whoever speaks plain HTTP to it is told so in words, and never
 * redirected: a redirect would hide that the key has just travelled in the open.
 */
export const listen = async (
  options: ListenerOptions & {
    certFile: string
    keyFile: string
    /** Somebody speaks plain HTTP to the TLS port: the first bytes. Answers what to say. */
    onPlainHttp(first: Buffer, address: string): string
  },
): Promise<Listener> => {
  const { bounds, clock } = options
  const secure = http2.createSecureServer(
    {
      allowHTTP1: true,
      cert: readFileSync(options.certFile),
      key: readFileSync(options.keyFile),
      minVersion: 'TLSv1.2',
      handshakeTimeout: bounds.headersTimeoutMs,
      ...sessionBounds,
      http1Options: http1Bounds(bounds),
    } as http2.SecureServerOptions,
    options.handler as never,
  )
  serveHttp1(secure, options)
  // The server that listens is the one in front. Without this word Node's would never look whether a request is late.
  secure.emit('listening')
  const sessions = watchSessions(secure, { ...bounds, clock, idleTimeoutMs: keepAliveTimeoutMs })
  const sockets = new Set<net.Socket>()
  const front = net.createServer({ noDelay: true }, (socket) => {
    if (!isAdmitted(socket, bounds)) return
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(bounds.headersTimeoutMs, () => socket.destroy())
    socket.once('data', (first) => {
      if (first[0] !== tlsHandshakeByte) {
        return void socket.end(options.onPlainHttp(first as Buffer, socket.remoteAddress ?? ''))
      }
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      socket.pause()
      socket.unshift(first)
      secure.emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  boundConnections(front, bounds)
  await listening(front, options)
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => front.close(() => resolve()))
      // Streams under way end by themselves; what is idle is closed at once.
      sessions.close()
      secure.close()
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeGraceMs).unref())])
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The optional port for plain HTTP, behind a proxy that ends TLS. Who may speak there is not its to decide. */
export const listenPlain = async (options: ListenerOptions): Promise<Listener> => {
  const server = http.createServer(http1Bounds(options.bounds) as http.ServerOptions, options.handler)
  serveHttp1(server, options)
  server.on('connection', (socket: net.Socket) => void isAdmitted(socket, options.bounds))
  boundConnections(server, options.bounds)
  await listening(server, options)
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeGraceMs).unref())])
      server.closeAllConnections()
      await closed
    },
  }
}

const isAdmitted = (socket: net.Socket, { places, onRefused }: ListenerBounds): boolean => {
  if (places.take(socket)) return true
  onRefused('address')
  socket.destroy()
  return false
}

const boundConnections = (server: net.Server, { connectionsMost, onRefused }: ListenerBounds): void => {
  server.maxConnections = connectionsMost
  server.on('drop', () => onRefused('all'))
}

const http1Bounds = ({ headersTimeoutMs, requestTimeoutMs, checkEveryMs }: ListenerBounds) => ({
  maxHeaderSize: parserBytesMost,
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: checkEveryMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  // A request without Host is refused by us, in words.
  requireHostHeader: false,
  // A request without a body needs no stream for it.
  optimizeEmptyRequests: true,
})

/** What Node leaves to events. */
const serveHttp1 = (server: net.Server, { handler, wire }: ListenerOptions): void => {
  server.on('clientError', wire.onClientError)
  // The word to go on is given when the body is about to be read, and not to whom is refused.
  server.on('checkContinue', (request: Arriving, response: ServerResponse) => {
    request.awaitsContinue = true
    handler(request, response)
  })
  // An expectation that we do not know is one that we do not meet in any special way.
  server.on('checkExpectation', handler)
}

const listening = (server: net.Server, { host, port }: { host: string; port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })

const closeGraceMs = 5_000
