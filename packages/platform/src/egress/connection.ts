import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { EgressRefused } from './failure.ts'

/** One connection to one checked address. The first request opens it; it never reconnects. */
export type Connection = {
  readonly origin: string
  send(request: OutgoingRequest): Promise<Dispatcher.ResponseData>
  /** The connected address; known once the connection is open. */
  remoteAddress(): string | undefined
  /** The peer may have read bytes. */
  isOpen(): boolean
  /** Closes the socket immediately, even while it is being opened. */
  destroy(reason: Error): void
}

export type OutgoingRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

export type ConnectionOptions = {
  readonly origin: string
  /** Checked addresses in canonical spelling. The connection uses no other. */
  readonly addresses: readonly string[]
  readonly secureContext: SecureContext
  readonly connectTimeoutMs: number
  readonly idleMs: number
  readonly maxHeaderBytes: number
  readonly onClose: () => void
}

/** The idle connection closed before the request was written. Nothing was sent, so another connection may be used. */
export class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone'
}

export const openConnection = (options: ConnectionOptions): Connection => {
  const { origin, addresses, idleMs, maxHeaderBytes, onClose } = options
  const connect = createConnector(options)
  let socket: Socket | undefined
  let remoteAddress: string | undefined

  const client = new Client(origin, {
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // The attempt has exact timers.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      // The addresses were checked for the request that opened the connection; a later request checked others.
      if (socket) return callback(new ConnectionGone('The connection was closed while idle'), null)
      socket = connect(target, (error, opened) => {
        if (error) return callback(error, null)
        const actual = spelling(opened.remoteAddress)
        if (actual === undefined || !addresses.includes(actual)) {
          opened.destroy()
          return callback(new EgressRefused('The connection led to an address that was not checked', actual), null)
        }
        remoteAddress = actual
        callback(null, opened)
      })
    },
  })
  client.on('disconnect', onClose)
  client.on('connectionError', onClose)

  return {
    origin,
    send: (request) => client.request(request),
    remoteAddress: () => remoteAddress,
    isOpen: () => remoteAddress !== undefined,
    destroy: (reason) => {
      client.destroy(reason).catch(() => undefined)
      socket?.destroy(reason)
      onClose()
    },
  }
}

const createConnector = ({ addresses, secureContext, connectTimeoutMs }: ConnectionOptions) => {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }))
  const options = {
    allowH2: false,
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
    secureContext,
    // Set explicitly, because an environment variable could disable it for the whole process.
    rejectUnauthorized: true,
    // Tries the next address if one does not respond. All of them were checked.
    autoSelectFamily: true,
    lookup: (_hostname: string, wanted: { all?: boolean }, callback: LookupCallback) => {
      if (wanted.all) callback(null, checked)
      else callback(null, checked[0]?.address ?? '', checked[0]?.family)
    },
  }
  // Returns the socket before the connection is established, contrary to its type.
  return buildConnector(options as buildConnector.BuildOptions) as unknown as (
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ) => Socket
}

type LookupCallback = (error: null, found: string | { address: string; family: number }[], family?: number) => void

const spelling = (address: string | undefined): string | undefined =>
  address !== undefined && isIP(address) !== 0 ? ipaddr.process(address).toString() : undefined
