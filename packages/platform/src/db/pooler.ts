import pg from 'pg'
import { platformBounds } from '../bounds.ts'

/**
 * `direct`: every connection has a server process. `session`: a pooler that gives a connection one server process, or none
 * was seen to change. `transaction`: a pooler that changes it, and prepared statements follow. `unusable`: they do not.
 */
export type PoolerKind = 'direct' | 'session' | 'transaction' | 'unusable'

const connectTimeoutMs = platformBounds.poolerCheck.ms
const maxHolders = platformBounds.poolerCheck.count
/** The statement does not exist on this server process, or another connection has prepared it there. */
const lostStatements: readonly unknown[] = ['26000', '42P05']

/**
 * Finds out what is between this process and Postgres. The service prepares its statements once per connection, so a pooler
 * that changes the server process behind a connection must carry them over. PgBouncer before 1.21 does not.
 */
export const findPoolerKind = async (url: string): Promise<PoolerKind> => {
  const clients: pg.Client[] = []
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'ars-doctor',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    })
    client.on('error', () => undefined)
    clients.push(client)
    await client.connect()
    return client
  }
  try {
    const asking = await open()
    const first = await prepared(asking)
    // A pooler invents the process number that it gives to its clients.
    if ((asking as { processID?: number }).processID === first) return 'direct'
    // Open transactions take server processes away, the last used one first, so that the next statement gets another.
    try {
      for (let held = 0; held < maxHolders; held++) {
        const holder = await open()
        await holder.query('begin')
        await prepared(holder)
        if ((await prepared(asking)) !== first) return 'transaction'
      }
    } catch (error) {
      // Anything else is a pool without a free server process, which proves nothing.
      if (isLost(error)) return 'unusable'
    }
    return 'session'
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

const prepared = async (client: pg.Client): Promise<number | undefined> => {
  const { rows } = await client.query<{ pid: number }>({
    name: 'ars.doctor.pooler',
    text: 'select pg_backend_pid() as pid',
  })
  return rows[0]?.pid
}

const isLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && lostStatements.includes(error.code)
