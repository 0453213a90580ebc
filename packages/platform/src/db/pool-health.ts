import type { Log } from '../log/log.ts'

/** Whether a pool can connect, and why not. Every failure is counted; the log gets one line per cause and minute. */
export type PoolHealth = {
  /** A connection could not be opened: the pool is down until one can. */
  refused(error: unknown): void
  connected(): void
  /** A statement, or the wait for a connection, failed. */
  failed(error: unknown): void
  isUp(): boolean
  /** A statement, or an attempt to connect, has failed because the disk of the server is full. */
  lacksSpace(): boolean
  /** The server could write to its disk again. */
  hasSpace(): void
  /** Whether the last attempt to connect succeeded, and not longer ago than this. */
  isProved(withinMs: number): boolean
}

const logEveryMs = 60_000

export const createPoolHealth = ({
  name,
  log,
  onError,
}: {
  name: string
  log: Log
  onError?: (reason: string) => void
}): PoolHealth => {
  const loggedAtMs = new Map<string, number>()
  let isUp = true
  let lacksSpace = false
  let connectedAtMs = Number.NEGATIVE_INFINITY

  const note = (message: string, error: unknown): void => {
    const reason = reasonOf(error)
    if (reason === 'disk_full') lacksSpace = true
    onError?.(reason)
    const nowMs = performance.now()
    const line = `${message}: ${reason}`
    if (nowMs - (loggedAtMs.get(line) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return
    loggedAtMs.set(line, nowMs)
    log.warn(message, { pool: name, reason, error })
  }

  return {
    refused: (error) => {
      isUp = false
      note('database connection refused', error)
    },
    connected: () => {
      if (!isUp) log.info('database connection is back', { pool: name })
      if (!isUp) loggedAtMs.clear()
      isUp = true
      connectedAtMs = performance.now()
    },
    failed: (error) => note('database statement failed', error),
    isUp: () => isUp,
    lacksSpace: () => lacksSpace,
    hasSpace: () => {
      if (lacksSpace) log.info('the database has space on its disk again', { pool: name })
      lacksSpace = false
    },
    isProved: (withinMs) => isUp && performance.now() - connectedAtMs <= withinMs,
  }
}

const reasons: readonly (readonly [prefix: string, reason: string])[] = [
  ['28', 'authentication'],
  ['3D', 'no_database'],
  ['53300', 'too_many_connections'],
  ['53100', 'disk_full'],
  ['53', 'resources'],
  ['25006', 'read_only'],
  ['57014', 'statement_timeout'],
  ['55P03', 'lock_timeout'],
  ['40', 'conflict'],
  ['57P', 'shutdown'],
  ['08', 'connection_lost'],
  ['E', 'unreachable'],
]

/** A few words for labels of metrics: their number is bounded. */
export const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = reasons.find(([prefix]) => code.startsWith(prefix))
  if (known) return known[1]
  return error instanceof Error && /time-?out|within \d+ ms/i.test(error.message) ? 'timeout' : 'other'
}
