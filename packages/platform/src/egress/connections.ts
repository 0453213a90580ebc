import type { SecureContext } from 'node:tls'
import { createSharedByteBudget, type ReservedShare } from '../byte-budget.ts'
import { type Connection, openConnection } from './connection.ts'
import { EgressFailed } from './failure.ts'
import { createShares } from './shares.ts'

export type Connections = {
  /** Takes a connection to one of these addresses, waiting for capacity. It must be returned. */
  acquire(wanted: Wanted, signal: AbortSignal): Promise<Connection>
  /** `whole`: the response was read completely, so the connection can be reused. Otherwise it is closed. */
  release(connection: Connection, state: 'whole' | 'broken'): void
  counts(): ConnectionCounts
  close(): void
}

export type Wanted = {
  readonly origin: string
  readonly addresses: readonly string[]
  readonly org?: string | undefined
  readonly maxWaitMs: number
  /** Of the body, which is kept while the call waits. */
  readonly bodyBytes?: number
}

/** `refused`: how many calls were given up since the start because no connection was free for them. */
export type ConnectionCounts = {
  readonly open: number
  readonly idle: number
  readonly waiting: number
  readonly refused: number
}

export type ConnectionLimits = {
  readonly maxConnectionsPerHost: number
  readonly maxConnections: number
  readonly maxWaiting: number
  readonly maxWaitingBytes: number
  readonly maxWaitingBytesOfOrganisation: number
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
 * Each organisation has a share of the pool and of each host.
 */
export const createConnections = (limits: ConnectionLimits, secureContext: SecureContext): Connections => {
  const all = new Set<Connection>()
  const idle = new Set<Connection>()
  const waiters = new Set<Waiter>()
  const shares = createShares(limits)
  const bodies = createSharedByteBudget({
    maxBytes: limits.maxWaitingBytes,
    maxShareBytes: limits.maxWaitingBytesOfOrganisation,
  })
  let refused = 0
  let isClosed = false

  const remove = (connection: Connection): void => {
    idle.delete(connection)
    shares.giveBack(connection)
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
    if (!shares.isFree(wanted)) return
    const connection = findIdle(wanted) ?? openInPlaceOfIdle(wanted)
    shares.take(connection, wanted.org)
    return connection
  }

  const findIdle = (wanted: Wanted): Connection | undefined => {
    for (const connection of idle) {
      if (connection.origin !== wanted.origin) continue
      if (wanted.addresses.includes(connection.remoteAddress() ?? '')) {
        idle.delete(connection)
        return connection
      }
      // The name resolves to other addresses now, so its old connections are useless.
      closeIdle(connection)
    }
    return
  }

  // All idle connections of this host were closed or taken by now, so the share of the host has room for a new one.
  const openInPlaceOfIdle = (wanted: Wanted): Connection => {
    const [longestIdle] = idle
    if (all.size >= limits.maxConnections && longestIdle) closeIdle(longestIdle)
    return open(wanted)
  }

  const serveWaiters = (): void => {
    if (isClosed) return
    for (const waiter of waiters) {
      const connection = tryAcquire(waiter.wanted)
      if (!connection) continue
      waiters.delete(waiter)
      waiter.take(connection)
    }
  }

  const wait = (wanted: Wanted, signal: AbortSignal, body: ReservedShare): Promise<Connection> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(waiter)
        body.giveBack()
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const giveUp = (reason: unknown): void => {
        leave()
        reject(reason)
      }
      const onAbort = (): void => giveUp(signal.reason)
      const take = (connection: Connection): void => {
        leave()
        resolve(connection)
      }
      const waiter = { wanted, take, giveUp }
      const timer = setTimeout(() => {
        refused++
        giveUp(busy())
      }, wanted.maxWaitMs)
      waiters.add(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
    })

  /** Earlier callers of the same organisation and host go first. */
  const isBehind = ({ origin, org }: Wanted): boolean => {
    for (const { wanted } of waiters) if (wanted.origin === origin && wanted.org === org) return true
    return false
  }

  return {
    acquire: async (wanted, signal) => {
      signal.throwIfAborted()
      if (isClosed) throw stopping()
      const connection = isBehind(wanted) ? undefined : tryAcquire(wanted)
      if (connection) return connection
      const mayWait = waiters.size < limits.maxWaiting
      const body = mayWait ? bodies.take(wanted.org ?? '', wanted.bodyBytes ?? 0) : null
      if (body?.room === 'free') return wait(wanted, signal, body.held)
      refused++
      throw busy()
    },
    release: (connection, state) => {
      if (state === 'broken' || isClosed) return connection.destroy(new Error('Not to be used again'))
      shares.giveBack(connection)
      if (!all.has(connection)) return
      idle.add(connection)
      serveWaiters()
    },
    counts: () => ({ open: all.size, idle: idle.size, waiting: waiters.size, refused }),
    close: () => {
      isClosed = true
      for (const { giveUp } of waiters) giveUp(stopping())
      for (const connection of all) connection.destroy(stopping())
    },
  }
}

const busy = (): EgressFailed =>
  new EgressFailed('The service had no free connection for this call; the host was not called', { kind: 'busy' })

const stopping = (): EgressFailed => new EgressFailed('The service is stopping', { kind: 'busy' })
