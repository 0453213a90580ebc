import pg from 'pg'
import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'

/** The lock that says: this process serves the database alone. */
export type SoleProcess = { close(): Promise<void> }

type Options = {
  url: string
  log: Log
  /** Another process took the lock while the connection to the database was lost: this one must stop. */
  onLost: () => void
}

// An arbitrary advisory lock id. Postgres gives the lock back when the connection of its holder ends, also after a crash.
const soleLock = 7_305_246
const retryMs = 1_000
const connectMs = platformBounds.databaseConnect.ms
const queryMs = platformBounds.databaseQuery.ms

/** Null: another process holds the lock. The connection is made again when it is lost. */
export const holdSoleLock = async ({ url, log, onLost }: Options): Promise<SoleProcess | null> => {
  let isClosed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const tryLock = async (): Promise<boolean> => {
    const made = new pg.Client({
      connectionString: url,
      application_name: 'ars-sole',
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
    })
    made.on('error', () => undefined)
    try {
      await made.connect()
      const { rows } = await made.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1) as is_ours', [soleLock])
      const isOurs = rows[0]?.is_ours === true
      if (isOurs && !isClosed) {
        client = made
        made.once('end', again)
      } else await made.end()
      return isOurs
    } catch (error) {
      await made.end().catch(() => undefined)
      throw error
    }
  }

  const again = (): void => {
    if (isClosed) return
    retry = setTimeout(() => {
      tryLock().then((isOurs) => {
        if (isOurs || isClosed) return
        log.error('another process serves this database, and neither of them has a Redis', {})
        onLost()
      }, again)
    }, retryMs)
  }

  if (!(await tryLock())) return null
  return {
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
