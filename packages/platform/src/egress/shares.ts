import type { Connection } from './connection.ts'

/** Who uses how many connections. Idle connections are used by nobody. */
export type Shares = {
  isFree(wanted: Wanted): boolean
  take(connection: Connection, org: string | undefined): void
  /** Idempotent. */
  giveBack(connection: Connection): void
}

type Wanted = { readonly origin: string; readonly org?: string | undefined }
type Limits = { readonly maxConnections: number; readonly maxConnectionsPerHost: number }

/**
 * An organisation gets a further connection while it uses fewer than are left free, in total and to this host. Alone it
 * can use half of them; each further organisation that holds as many as it can leaves half of the rest. So one
 * organisation cannot use up the connections, however long its calls take, and idle capacity is not reserved in vain.
 */
export const createShares = ({ maxConnections, maxConnectionsPerHost }: Limits): Shares => {
  const users = new Map<Connection, readonly string[]>()
  const used = new Map<string, number>()

  const count = (key: string): number => used.get(key) ?? 0
  const add = (key: string, change: 1 | -1): void => {
    const now = count(key) + change
    if (now === 0) used.delete(key)
    else used.set(key, now)
  }

  return {
    isFree: ({ origin, org }) => {
      const free = maxConnections - users.size
      const freeOfHost = maxConnectionsPerHost - count(hostKey(origin))
      if (org === undefined) return free > 0 && freeOfHost > 0
      return count(orgKey(org)) < free && count(orgAtHostKey(org, origin)) < freeOfHost
    },
    take: (connection, org) => {
      const { origin } = connection
      const keys = [hostKey(origin), ...(org === undefined ? [] : [orgKey(org), orgAtHostKey(org, origin)])]
      users.set(connection, keys)
      for (const key of keys) add(key, 1)
    },
    giveBack: (connection) => {
      for (const key of users.get(connection) ?? []) add(key, -1)
      users.delete(connection)
    },
  }
}

// No origin and no organisation contains a space.
const hostKey = (origin: string): string => `host ${origin}`
const orgKey = (org: string): string => `org ${org}`
const orgAtHostKey = (org: string, origin: string): string => `org ${org} at ${origin}`
