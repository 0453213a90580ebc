import type { SecureContext } from 'node:tls'
import { type Connection, openConnection } from './connection.ts'
import { EgressFailed } from './failure.ts'

export type Connections = {
  /** Takes a connection to one of these addresses, waiting for capacity. It must be returned. */
  acquire(wanted: Wanted, signal: AbortSignal): Promise<Connection>
  /** `whole`: the response was read completely, so the connection can be reused. Otherwise it is closed. */
  release(connection: Connection, state: 'whole' | 'broken'): void
  counts(): ConnectionCounts
  close(): void
}

export type Wanted = { readonly origin: string; readonly addresses: readonly string[] }
export type ConnectionCounts = { readonly open: number; readonly idle: number; readonly waiting: number }

export type ConnectionLimits = {
  readonly maxConnectionsPerHost: number
  readonly maxConnections: number
  readonly connectTimeoutMs: number
  readonly idleConnectionMs: number
  readonly maxHeaderBytes: number
}

type Waiter = {
  readonly wanted: Wanted
  readonly take: (connection: Connection) => void
  readonly giveUp: (reason: unknown) => void
}

/**
 * A bounded connection pool. A connection is reused only while a fresh look-up of its name still returns its address.
 */
export const createConnections = (limits: ConnectionLimits, secureContext: SecureContext): Connections => {
  const all = new Set<Connection>()
  const idle = new Set<Connection>()
  let waiters: readonly Waiter[] = []
  let isClosed = false

  const remove = (connection: Connection): void => {
    idle.delete(connection)
    if (all.delete(connection)) serveWaiters()
  }

  // Removed before it is closed, so that the slot goes to the current caller and not to a waiter.
  const closeIdle = (connection: Connection): void => {
    idle.delete(connection)
    all.delete(connection)
    connection.destroy(new Error('No longer needed'))
  }

  const open = ({ origin, addresses }: Wanted): Connection => {
    const opened = openConnection({
      origin,
      addresses,
      secureContext,
      connectTimeoutMs: limits.connectTimeoutMs,
      idleMs: limits.idleConnectionMs,
      maxHeaderBytes: limits.maxHeaderBytes,
      onClose: () => remove(opened),
    })
    all.add(opened)
    return opened
  }

  const tryAcquire = (wanted: Wanted): Connection | undefined => {
    for (const connection of idle) {
      if (connection.origin !== wanted.origin) continue
      if (wanted.addresses.includes(connection.remoteAddress() ?? '')) {
        idle.delete(connection)
        return connection
      }
      // The name resolves to other addresses now, so its old connections are useless.
      closeIdle(connection)
    }
    const ofHost = [...all].filter(({ origin }) => origin === wanted.origin).length
    if (ofHost >= limits.maxConnectionsPerHost) return
    if (all.size >= limits.maxConnections) {
      const [longestIdle] = idle
      if (!longestIdle) return
      closeIdle(longestIdle)
    }
    return open(wanted)
  }

  const serveWaiters = (): void => {
    if (isClosed) return
    for (const waiter of waiters) {
      const connection = tryAcquire(waiter.wanted)
      if (!connection) continue
      waiters = waiters.filter((other) => other !== waiter)
      waiter.take(connection)
    }
  }

  const wait = (wanted: Wanted, signal: AbortSignal): Promise<Connection> =>
    new Promise((resolve, reject) => {
      const giveUp = (reason: unknown): void => {
        waiters = waiters.filter((other) => other !== waiter)
        signal.removeEventListener('abort', onAbort)
        reject(reason)
      }
      const onAbort = (): void => giveUp(signal.reason)
      const take = (connection: Connection): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(connection)
      }
      const waiter = { wanted, take, giveUp }
      waiters = [...waiters, waiter]
      signal.addEventListener('abort', onAbort, { once: true })
    })

  return {
    acquire: async (wanted, signal) => {
      signal.throwIfAborted()
      if (isClosed) throw stopping()
      // Existing waiters go first.
      const isBehind = waiters.some((waiter) => waiter.wanted.origin === wanted.origin)
      return (isBehind ? undefined : tryAcquire(wanted)) ?? (await wait(wanted, signal))
    },
    release: (connection, state) => {
      if (state === 'broken' || isClosed) return connection.destroy(new Error('Not to be used again'))
      if (!all.has(connection)) return
      idle.add(connection)
      serveWaiters()
    },
    counts: () => ({ open: all.size, idle: idle.size, waiting: waiters.length }),
    close: () => {
      isClosed = true
      for (const { giveUp } of waiters) giveUp(stopping())
      for (const connection of all) connection.destroy(stopping())
    },
  }
}

const stopping = (): EgressFailed => new EgressFailed('The service is stopping', { kind: 'connect' })
