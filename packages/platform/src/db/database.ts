import pg from 'pg'
import type { Log } from '../log/log.ts'
import { isPrepared, OneSync } from './one-sync.ts'
import { type Statement, statement } from './statement.ts'
import { createTurns } from './turns.ts'
import { DatabaseUnavailable, isConnectionFailure } from './unavailable.ts'

export type Tx = {
  query<Row>(statement: Statement): Promise<Row[]>
}

/**
 * A pool that belongs to one role. A transaction that speaks for an organisation names it, and row-level security
 * holds it to that; `null` is for the roles that look before the organisation is known, or across all of them.
 */
export type Database = {
  /** One statement in a transaction of its own, in one round trip. */
  once<Row>(org: string | null, statement: Statement): Promise<Row[]>
  /** Several statements in one transaction and one round trip; none may depend on another's rows. */
  batch(org: string | null, statements: readonly Statement[]): Promise<unknown[][]>
  transaction<Result>(org: string | null, work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Opens some connections ahead of the first callers. It does not mind a database that is away. */
  warm(): Promise<void>
  close(): Promise<void>
}

export type DatabaseOptions = {
  url: string
  /** Shows in `pg_stat_activity` and in the metrics. */
  name: string
  size: number
  /** How long a caller waits for a connection before it is told that there is none. */
  acquireTimeoutMs?: number
  /** How long a statement for an organisation waits for a lock. Undefined: as long as a statement may take. */
  lockTimeoutMs?: number
  log: Log
  /** Told how long a caller waited for a connection. */
  onAcquire?: (waitedMs: number) => void
}

const acquireTimeoutDefaultMs = 500
/**
 * Whoever waits for a connection gives up much earlier; the connection is made all the same, for those who come after.
 * On a busy machine a new one takes longer than anybody waits: if it were given up too, there would never be one again.
 */
const connectTimeoutMs = 10_000
const idleTimeoutMs = 30_000
const queryTimeoutMs = 6000

export const openDatabase = ({
  url,
  name,
  size,
  acquireTimeoutMs = acquireTimeoutDefaultMs,
  lockTimeoutMs,
  log,
  onAcquire,
}: DatabaseOptions): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `ars-${name}`,
    max: size,
    connectionTimeoutMillis: Math.max(acquireTimeoutMs, connectTimeoutMs),
    idleTimeoutMillis: idleTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    pipeline: true,
  } as pg.PoolConfig)
  // A connection that breaks while it is lent out tells its own listeners, and without one it would end the process.
  // Whoever holds it learns of the failure from the query that breaks with it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', (error) => log.warn('database connection lost', { pool: name, error }))

  // Set with each transaction and gone with it, because a connection may be shared with others by a pooler.
  const speakFor = (org: string): Statement =>
    lockTimeoutMs === undefined ? setOrg(org) : setOrgAndPatience(org, `${lockTimeoutMs}ms`)

  const turns = createTurns(size)

  const connect = async (org: string | null): Promise<pg.PoolClient> => {
    const askedAt = performance.now()
    const isTurn = turns.tryTake() || (await turns.wait(org ?? '', acquireTimeoutMs))
    if (!isTurn) throw new DatabaseUnavailable(`No connection from pool ${name}`)
    try {
      const client = await withinTime(pool.connect(), Math.max(1, askedAt + acquireTimeoutMs - performance.now()))
      onAcquire?.(performance.now() - askedAt)
      return client
    } catch (error) {
      turns.giveBack()
      throw new DatabaseUnavailable(`No connection from pool ${name}`, { cause: error })
    }
  }

  const withClient = async <Result>(
    org: string | null,
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> => {
    const client = await connect(org)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      if (!isConnectionFailure(error)) throw error
      broken = error as Error
      throw new DatabaseUnavailable('The database connection failed', { cause: error })
    } finally {
      client.release(broken)
      turns.giveBack()
    }
  }

  const batch = (org: string | null, statements: readonly Statement[]): Promise<unknown[][]> =>
    withClient(org, async (client) => {
      const all = org === null ? statements : [speakFor(org), ...statements]
      if (isPrepared(client, all)) return (await runWithOneSync(client, all)).slice(-statements.length)
      // The first time on this connection, they are prepared on the way. All are on the wire before the first answer is
      // read, and a failed one makes the commit a rollback.
      const sent = [run(client, begin), ...(org === null ? [] : [run(client, speakFor(org))])]
      const asked = statements.map((each) => run(client, each))
      const committed = run(client, commit)
      const results = await Promise.allSettled([...sent, ...asked, committed])
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return (await Promise.all(asked)).map((result) => result.rows)
    })

  const transaction = <Result>(org: string | null, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    withClient(org, async (client) => {
      const opened = [run(client, begin), ...(org === null ? [] : [run(client, speakFor(org))])]
      const tx: Tx = { query: async <Row>(each: Statement) => (await run(client, each)).rows as Row[] }
      try {
        const [result] = await Promise.all([work(tx), ...opened])
        await run(client, commit)
        return result as Result
      } catch (error) {
        await Promise.allSettled(opened)
        await run(client, rollback).catch(() => undefined)
        throw error
      }
    })

  return {
    batch,
    transaction,
    once: async <Row>(org: string | null, one: Statement) => (await batch(org, [one]))[0] as Row[],
    warm: async () => {
      const connections = Array.from({ length: Math.ceil(size / 2) }, () => pool.connect())
      // Nobody waits for an answer yet, so there is time until they are made.
      for (const opened of await Promise.allSettled(connections)) {
        if (opened.status === 'fulfilled') opened.value.release()
      }
    },
    close: () => pool.end(),
  }
}

/** A connection that comes too late is put back at once. */
const withinTime = (lent: Promise<pg.PoolClient>, mostMs: number): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Error(`No connection within ${mostMs} ms`))
    }, mostMs)
    lent.then(
      (client) => {
        clearTimeout(timer)
        if (isLate) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error as Error)
      },
    )
  })

const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }
const setOrg = statement('set_org', `select set_config('app.org_id', $1, true)`)
const setOrgAndPatience = statement(
  'set_org_and_patience',
  `select set_config('app.org_id', $1, true), set_config('lock_timeout', $2, true)`,
)

const runWithOneSync = (client: pg.PoolClient, statements: readonly Statement[]): Promise<unknown[][]> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, results: pg.QueryResult | pg.QueryResult[]): void => {
      if (error) reject(error)
      else resolve([results].flat().map(({ rows }) => rows))
    }
    client.query(new OneSync(statements, done))
  })

const run = (client: pg.PoolClient, { name, text, values }: Statement): Promise<pg.QueryResult> =>
  client.query(name === undefined ? { text, values: values as unknown[] } : { name, text, values: values as unknown[] })
