import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { Certificate } from './certificate.ts'

/** The peers of a test: servers that count requests, closed together. */
export const createPeers = () => {
  const servers = new Set<{ server: Server; sockets: Set<Socket> }>()

  const listen = async (server: Server, host = '127.0.0.1'): Promise<Peer> => {
    const sockets = new Set<Socket>()
    let connections = 0
    server.on('connection', (socket: Socket) => {
      connections++
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(0, host)
    await once(server, 'listening')
    servers.add({ server, sockets })
    return {
      port: (server.address() as AddressInfo).port,
      connections: () => connections,
      openSockets: () => sockets.size,
    }
  }

  return {
    /** No request may ever reach it. */
    canary: (host?: string) =>
      listen(
        createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
        host,
      ),
    /** Raw bytes, without TLS. */
    plain: (serve: (socket: Socket) => void) => listen(createServer(serve)),
    /** Raw bytes over TLS. */
    raw: (certificate: Certificate, serve: (socket: Socket) => void, options: TlsOptions = {}) =>
      listen(
        createTlsServer({ ...certificate, ...options }, (socket) => {
          socket.on('error', () => undefined)
          serve(socket)
        }).on('tlsClientError', () => undefined),
      ),
    https: (certificate: Certificate, serve: RequestListener, options: TlsOptions = {}) =>
      listen(createHttpsServer({ ...certificate, ...options }, serve).on('tlsClientError', () => undefined)),
    close: async () => {
      await Promise.all(
        [...servers].map(({ server, sockets }) => {
          for (const socket of sockets) socket.destroy()
          return new Promise((resolve) => server.close(resolve))
        }),
      )
    },
  }
}

export type Peer = {
  readonly port: number
  readonly connections: () => number
  readonly openSockets: () => number
}
