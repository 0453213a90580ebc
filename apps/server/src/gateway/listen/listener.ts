import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import net from 'node:net'
import { limits } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { ConfigError } from '@ars/platform/config'
import type { Log } from '@ars/platform/log/log'
import { serverBounds } from '../../bounds.ts'
import type { Arriving } from './body-deadline.ts'
import { type Certificate, readCertificate, tlsSuites, watchCertificate } from './certificate.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { createHandshakePace } from './handshake-pace.ts'
import { watchSessions } from './http2-sessions.ts'
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
  /** Connections beyond this limit are closed immediately. */
  maxConnections: number
  /** The same limit per address. */
  connectionLimit: ConnectionLimit
  onRefused(reason: 'address' | 'all'): void
  /** The timeout for the TLS handshake, and for the headers of each request. */
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** The interval of the timeout checks. */
  checkEveryMs: number
}

// Longer than the idle timeout of common proxies, so that the proxy closes idle connections.
const keepAliveTimeoutMs = serverBounds.connectionIdle.ms
const tlsHandshakeByte = 0x16
// Slightly less than a TLS record, so that the parser sees the whole of an oversized request line.
const maxParserBytes = limits.headerBytes - 256

/** Limits for abusive HTTP/2 clients. Beyond them the connection is closed. */
const sessionBounds = {
  // The window is what Node buffers of a stream that nobody reads: of a request before its admission, and of a refused one.
  settings: {
    maxConcurrentStreams: serverBounds.streamsOfConnection.count,
    maxHeaderListSize: limits.headerBytes,
    initialWindowSize: serverBounds.streamWindow.bytes,
  },
  // High enough that our own limit applies, which sends an error body.
  maxHeaderListPairs: serverBounds.headerPairs.count,
  maxSessionInvalidFrames: serverBounds.invalidFrames.count,
  maxSessionRejectedStreams: serverBounds.rejectedStreams.count,
  // Opening and resetting streams costs the server more than the client: a burst limit and a rate per second.
  streamResetBurst: serverBounds.streamResets.count,
  streamResetRate: serverBounds.streamResetsOfSecond.count,
}

/**
 * TLS in process, HTTP/2 and HTTP/1.1 on one port. Plain HTTP on this port gets an error, never a redirect: a redirect
 * would hide that the key was sent unencrypted.
 */
export const listen = async (
  options: ListenerOptions & {
    certFile: string
    keyFile: string
    log: Log
    /** Returns the response to a plain HTTP request on the TLS port, given its first bytes. */
    onPlainHttp(first: Buffer, address: string): string
  },
): Promise<Listener & { validTo(): Date }> => {
  const { bounds, clock } = options
  const certificate = firstCertificate(options)
  const secure = http2.createSecureServer(
    {
      allowHTTP1: true,
      cert: certificate.cert,
      key: certificate.key,
      ...tlsSuites,
      honorCipherOrder: true,
      handshakeTimeout: bounds.headersTimeoutMs,
      ...sessionBounds,
      http1Options: http1Bounds(bounds),
    } as http2.SecureServerOptions,
    options.handler as never,
  )
  const renewal = watchCertificate({
    files: options,
    inUse: certificate,
    use: ({ cert, key }) => secure.setSecureContext({ ...tlsSuites, honorCipherOrder: true, cert, key }),
    log: options.log,
  })
  serveHttp1(secure, options)
  // The outer server listens. Without this call, the inner server of Node would never check its timeouts.
  secure.emit('listening')
  const sessions = watchSessions(secure, { ...bounds, clock, idleTimeoutMs: keepAliveTimeoutMs })
  const sockets = new Set<net.Socket>()
  const handshakes = createHandshakePace(clock)
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
      socket.pause()
      handshakes.add(() => {
        if (socket.destroyed) return
        socket.setTimeout(0)
        socket.removeAllListeners('timeout')
        socket.unshift(first)
        secure.emit('connection', socket)
        process.nextTick(() => socket.resume())
      })
    })
  })
  boundConnections(front, bounds)
  await listening(front, options)
  return {
    /** When the certificate in use expires. */
    validTo: renewal.validTo,
    close: async () => {
      renewal.close()
      const closed = new Promise<void>((resolve) => front.close(() => resolve()))
      // Active streams end on their own schedule; idle connections are closed now.
      sessions.close()
      secure.close()
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeGraceMs).unref())])
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The optional plain HTTP port behind a proxy that terminates TLS. It does not decide who may use it. */
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

const isAdmitted = (socket: net.Socket, { connectionLimit, onRefused }: ListenerBounds): boolean => {
  if (connectionLimit.take(socket)) return true
  onRefused('address')
  socket.destroy()
  return false
}

const boundConnections = (server: net.Server, { maxConnections, onRefused }: ListenerBounds): void => {
  server.maxConnections = maxConnections
  server.on('drop', () => onRefused('all'))
}

const http1Bounds = ({ headersTimeoutMs, requestTimeoutMs, checkEveryMs }: ListenerBounds) => ({
  maxHeaderSize: maxParserBytes,
  headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: checkEveryMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  // Requests without Host are refused later, with an error body.
  requireHostHeader: false,
  // Requests without a body get no body stream.
  optimizeEmptyRequests: true,
})

const firstCertificate = (options: { certFile: string; keyFile: string }): Certificate => {
  try {
    return readCertificate(options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`ARS_TLS_CERT_FILE and ARS_TLS_KEY_FILE: ${reason}`, { cause: error })
  }
}

/** Node reports these cases only as events. */
const serveHttp1 = (server: net.Server, { handler, wire }: ListenerOptions): void => {
  server.on('clientError', wire.onClientError)
  // 100 Continue is sent when the body is about to be read, and not to refused requests.
  server.on('checkContinue', (request: Arriving, response: ServerResponse) => {
    request.awaitsContinue = true
    handler(request, response)
  })
  // Unknown expectations are ignored.
  server.on('checkExpectation', handler)
}

const listening = (server: net.Server, { host, port }: { host: string; port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    // Gateways on one machine share the port, so that a new release can take over from the old one.
    server.listen({ host, port, reusePort: true }, resolve)
  })

const closeGraceMs = 5_000
