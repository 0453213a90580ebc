import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { platformBounds } from '../bounds.ts'
import { createKeyedTurns } from '../keyed-turns.ts'
import type { Log } from '../log/log.ts'
import { createFairSemaphore } from './fair-semaphore.ts'
import { clientFor, type Login } from './logins.ts'
import { isPrepared, OneSync } from './one-sync.ts'
import { createPoolHealth, type PoolHealth, reasonOf } from './pool-health.ts'
import { retryConflicts } from './retry-conflicts.ts'
import { type NoParameters, type Statement, sql, statement, type Uuid } from './statement.ts'
import {
  CannotWrite,
  DatabaseBusy,
  DatabaseUnavailable,
  OrganisationClosed,
  PoolBusy,
  passingFailureOf,
  type WhyUnavailable,
} from './unavailable.ts'

export type Tx = {
  query<Row>(statement: Statement<Row>): Promise<Row[]>
}

/**
 * A connection pool of one role. A transaction for an organisation names it, and row-level security enforces it. `null`
 * is for roles that work before the organisation is known, or across organisations.
 */
export type Database = {
  /** One statement in a separate transaction and one round trip. */
  once<Row>(org: string | null, statement: Statement<Row>): Promise<Row[]>
  /** Several statements in one transaction and one round trip; none may depend on another's rows. */
  batch<const Rows extends readonly unknown[]>(org: string | null, statements: Statements<Rows>): Promise<RowsOf<Rows>>
  /**
   * Several statements for rows of several organisations, as the role of batches. Row-level security confines them to these
   * organisations. A statement that waits for a lock fails early: its rows are tried again, each organisation separately.
   */
  batchOf<const Rows extends readonly unknown[]>(
    orgs: readonly string[],
    statements: Statements<Rows>,
  ): Promise<RowsOf<Rows>>
  /**
   * `work` runs again after a deadlock or a serialization failure, so it has no effects but those of `tx`. With `alone`, it
   * waits without a connection for earlier transactions of the organisation with this name in this process. Transactions
   * that take a lock of the whole organisation have such a name, so that they wait with one connection of the pool.
   */
  transaction<Result>(org: string | null, work: (tx: Tx) => Promise<Result>, alone?: string): Promise<Result>
  /** Opens connections in advance. Ignores an unavailable database. */
  warm(): Promise<void>
  state(): PoolState
  /**
   * Why the pool cannot do its work; null: it can. If no connection was opened for a moment a new one is, because open ones
   * prove nothing. A busy pool is healthy. After a statement met a full disk, the server must show that it can write again.
   */
  findFault(): Promise<PoolFault | null>
  /** Why the server cannot write; null: it can. */
  tryWrite(): Promise<WhyUnavailable | null>
  close(): Promise<void>
}

type PoolFault = 'cannot connect' | 'does not respond' | 'is read-only' | 'finds no space on the disk'

/**
 * `isUp`: the last attempt to open a connection succeeded. `canWrite`: the server is not read-only and has space on its disk,
 * as far as is known. `waiting`: statements that wait for a connection.
 */
export type PoolState = {
  isUp: boolean
  canWrite: boolean
  /** When the certificate of the server expires. Null: without TLS, or nothing is connected yet. */
  certificateUntil: Date | null
  size: number
  inUse: number
  idle: number
  waiting: number
}

type Statements<Rows extends readonly unknown[]> = { readonly [At in keyof Rows]: Statement<Rows[At]> }
type RowsOf<Rows extends readonly unknown[]> = { -readonly [At in keyof Rows]: Rows[At][] }

export type DatabaseOptions = Login & {
  /** Shows in `pg_stat_activity` and in the metrics. */
  name: string
  size: number
  /** The timeout for acquiring a connection. */
  acquireTimeoutMs?: number
  /** The lock timeout of statements for an organisation. Undefined: the statement timeout applies. */
  lockTimeoutMs?: number
  log: Log
  /** Called with the wait for a connection. */
  onAcquire?: (waitedMs: number) => void
  /** Called with a short reason for each failure. */
  onError?: (reason: string) => void
}

const acquireTimeoutDefaultMs = 500
/**
 * The connect timeout. Callers give up earlier, but the connection is still opened for later callers. On a busy machine
 * a new connection takes longer than any caller waits; without this, none would ever open.
 */
const connectTimeoutMs = platformBounds.databaseConnect.ms
const idleTimeoutMs = platformBounds.databaseConnectionIdle.ms
const queryTimeoutMs = platformBounds.databaseQuery.ms
const probeTimeoutMs = platformBounds.databaseProbe.ms
/** A batch of several organisations waits no longer for a lock, because the others would wait as well. */
const combinedLockTimeout = '100ms'
/** A connection that was opened earlier proves nothing: since then the password may have changed. */
const proofLastsMs = 3_000

export const openDatabase = ({
  url,
  findPassword,
  name,
  size,
  acquireTimeoutMs = acquireTimeoutDefaultMs,
  lockTimeoutMs,
  log,
  onAcquire,
  onError,
}: DatabaseOptions): Database => {
  const health = createPoolHealth({ name, log, ...(onError && { onError }) })
  const identity = { connectionString: url, application_name: `ars-${name}` }
  const Client = clientFor({ url, ...(findPassword && { findPassword }) })
  const pool = new pg.Pool({
    ...identity,
    Client,
    max: size,
    connectionTimeoutMillis: Math.max(acquireTimeoutMs, connectTimeoutMs),
    idleTimeoutMillis: idleTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    pipeline: true,
  } as pg.PoolConfig)
  // A checked-out connection that breaks emits an error event, which would end the process without a listener. The
  // running query reports the failure to its caller.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    health.connected()
    certificateUntil = certificateOf(client)
  })
  pool.on('error', (error) => log.warn('database connection lost', { pool: name, error }))

  // Set per transaction, because a pooler may share the connection.
  const setTenant = (org: string): Statement =>
    lockTimeoutMs === undefined ? setOrg({ org }) : setOrgAndLockTimeout({ org, lockTimeout: `${lockTimeoutMs}ms` })

  const semaphore = createFairSemaphore(size)
  let isReadOnly = false
  let certificateUntil: Date | null = null

  const lend = (): Promise<pg.PoolClient> => {
    const lent = pool.connect()
    // Noted here, because callers give up earlier.
    lent.catch(health.refused)
    return lent
  }

  const connect = async (org: string | null): Promise<pg.PoolClient> => {
    const askedAt = performance.now()
    const isAcquired = semaphore.tryAcquire() || (await semaphore.acquire(org ?? '', acquireTimeoutMs))
    if (!isAcquired) {
      onError?.('busy')
      throw new PoolBusy(`No connection from pool ${name}`)
    }
    try {
      const client = await withinTime(lend(), Math.max(1, askedAt + acquireTimeoutMs - performance.now()))
      onAcquire?.(performance.now() - askedAt)
      return client
    } catch (error) {
      semaphore.release()
      const message = `No connection from pool ${name}`
      if (isReadOnly) throw new CannotWrite(message, { cause: error }, 'database_read_only')
      if (health.lacksSpace()) throw new CannotWrite(message, { cause: error }, 'disk_full')
      throw new DatabaseUnavailable(message, { cause: error })
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
      const failure = passingFailureOf(error)
      if (failure === null) throw error
      if (failure === 'closed')
        throw new OrganisationClosed('The organisation is closed in this cell', { cause: error })
      health.failed(error)
      if (reasonOf(error) === 'read_only') isReadOnly = true
      if (failure !== 'broken') throw new DatabaseBusy('The database did not finish the statement', { cause: error })
      broken = error as Error
      throw new DatabaseUnavailable('The database connection failed', { cause: error })
    } finally {
      client.release(broken)
      semaphore.release()
    }
  }

  const batch = <const Rows extends readonly unknown[]>(
    org: string | null,
    statements: Statements<Rows>,
  ): Promise<RowsOf<Rows>> => retryConflicts(() => sendBatch(org, statements)) as Promise<RowsOf<Rows>>

  const sendBatch = (org: string | null, statements: readonly Statement[]): Promise<unknown[][]> =>
    send(org, org === null ? [] : [setTenant(org)], statements)

  const send = (
    org: string | null,
    settings: readonly Statement[],
    statements: readonly Statement[],
  ): Promise<unknown[][]> =>
    withClient(org, async (client) => {
      const all = [...settings, ...statements]
      if (isPrepared(client, all)) return (await runWithOneSync(client, all)).slice(-statements.length)
      // On the first use of a connection the statements are also prepared. All are sent before the first response is
      // read, and a failed one turns the commit into a rollback.
      const sent = [run(client, begin), ...settings.map((each) => run(client, each))]
      const asked = statements.map((each) => run(client, each))
      const committed = run(client, commit)
      const results = await Promise.allSettled([...sent, ...asked, committed])
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return (await Promise.all(asked)).map((result) => result.rows)
    })

  const batchOf = <const Rows extends readonly unknown[]>(
    orgs: readonly string[],
    statements: Statements<Rows>,
  ): Promise<RowsOf<Rows>> => {
    const combined = [changeRole({ orgs, lockTimeout: combinedLockTimeout })]
    const named = (statements as readonly Statement[]).map(forBatches)
    return retryConflicts(() => send(null, combined, named)) as Promise<RowsOf<Rows>>
  }

  const turns = createKeyedTurns(1, { maxWaiting: platformBounds.transactionsBehind.count })
  const behindMs = Math.max(acquireTimeoutMs, platformBounds.transactionsBehind.ms)

  const inTurn = async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = await turns.enter(key, { mostMs: behindMs })
    if (turn === 'full') throw new DatabaseBusy('Too many transactions wait for an earlier one')
    if (turn === 'late') throw new DatabaseBusy('An earlier transaction has not ended')
    try {
      return await work()
    } finally {
      turns.leave(key)
    }
  }

  const transaction = <Result>(
    org: string | null,
    work: (tx: Tx) => Promise<Result>,
    alone?: string,
  ): Promise<Result> => {
    const transact = () => retryConflicts(() => transactOnce(org, work))
    return alone === undefined ? transact() : inTurn(`${org} ${alone}`, transact)
  }

  const transactOnce = <Result>(org: string | null, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    withClient(org, async (client) => {
      const opened = [run(client, begin), ...(org === null ? [] : [run(client, setTenant(org))])]
      const tx: Tx = { query: async <Row>(each: Statement) => (await run(client, each)).rows as Row[] }
      try {
        const [result] = await Promise.all([work(tx), ...opened])
        await run(client, commit)
        return result as Result
      } catch (error) {
        await Promise.allSettled(opened)
        // A broken connection is closed, which rolls back. If it hangs, the rollback would time out as well.
        if (passingFailureOf(error) !== 'broken') await run(client, rollback).catch(() => undefined)
        throw error
      }
    })

  const findReadOnly = async (): Promise<boolean> => {
    const [found] = await batch(null, [readOnly()])
    isReadOnly = found[0]?.isReadOnly === true
    return isReadOnly
  }

  const needSpace = async (): Promise<void> => {
    await batch(null, [spillAll(), spill()])
    health.hasSpace()
  }

  return {
    batch,
    batchOf,
    transaction,
    once: async <Row>(org: string | null, waiter: Statement) => (await batch(org, [waiter]))[0] as Row[],
    warm: async () => {
      const connections = Array.from({ length: Math.ceil(size / 2) }, lend)
      // No caller waits for these yet, so the connections have time to open.
      for (const opened of await Promise.allSettled(connections)) {
        if (opened.status === 'fulfilled') opened.value.release()
      }
    },
    state: () => ({
      isUp: health.isUp(),
      canWrite: !isReadOnly && !health.lacksSpace(),
      certificateUntil,
      size,
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: semaphore.waiting(),
    }),
    findFault: async () => {
      if (
        !health.isProved(proofLastsMs) &&
        !(await canConnect(new Client({ ...identity, connectionTimeoutMillis: probeTimeoutMs }), health))
      )
        return health.lacksSpace() ? 'finds no space on the disk' : 'cannot connect'
      try {
        if (await findReadOnly()) return 'is read-only'
        if (health.lacksSpace()) await needSpace()
        return null
      } catch (error) {
        if (error instanceof DatabaseUnavailable && error.why === 'disk_full') return 'finds no space on the disk'
        return error instanceof PoolBusy ? null : 'does not respond'
      }
    },
    tryWrite: async () => {
      try {
        if (await findReadOnly()) return 'database_read_only'
        await needSpace()
        return null
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return error.why
        throw error
      }
    },
    close: () => pool.end(),
  }
}

const certificateOf = (client: pg.PoolClient): Date | null => {
  // The types of the library lack it.
  const { connection } = client as { connection?: { stream?: unknown } }
  const stream = connection?.stream
  return stream instanceof TLSSocket ? (stream.getPeerX509Certificate()?.validToDate ?? null) : null
}

const readOnly = statement<NoParameters, { isReadOnly: boolean }>(
  'platform.read_only',
  sql`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
)

// Rows that do not fit into the memory of a statement go to a file, which needs no rights and leaves nothing behind: 5 MB, more
// than a statement of the service writes.
const spillAll = statement<NoParameters, unknown>(
  'platform.spill_all',
  sql`select set_config('work_mem', '64kB', true)`,
)
const spill = statement<NoParameters, unknown>(
  'platform.spill',
  sql`select count(numbers.n) as rows from generate_series(1, 200000) as numbers(n)`,
)

/** Opens a connection outside the pool. A server without a free place still serves the connections that are open. */
const canConnect = async (client: pg.Client, health: PoolHealth): Promise<boolean> => {
  client.on('error', () => undefined)
  try {
    await client.connect()
    health.connected()
    return true
  } catch (error) {
    health.refused(error)
    return reasonOf(error) === 'too_many_connections'
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A connection that arrives after the timeout returns to the pool. */
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
// The lock on closed_organisations is held until the end of the transaction: who closes an organisation waits for those
// that did not see it closed.
const openOrg =
  'case when exists (select from closed_organisations where id = (:org::text)::uuid) then refuse_closed() else :org::text end'
const setOrg = statement<{ org: Uuid }>('set_org', sql`select set_config('app.org_id', ${openOrg}, true)`)
const setOrgAndLockTimeout = statement<{ org: Uuid; lockTimeout: string }>(
  'set_org_and_lock_timeout',
  sql`select set_config('app.org_id', ${openOrg}, true), set_config('lock_timeout', :lockTimeout, true)`,
)

/** Until the end of the transaction. */
const changeRole = statement<{ orgs: readonly Uuid[]; lockTimeout: string }>(
  'platform.change_role',
  sql`select set_config('role', case when exists (select from closed_organisations where id = any (:orgs::uuid[]))
               then refuse_closed() else 'ars_batch' end, true),
             set_config('app.org_ids', (:orgs::uuid[])::text, true), set_config('lock_timeout', :lockTimeout, true)`,
)
/** A plan holds for one role, because policies belong to it. Under one name, two roles would plan in turn for ever. */
const forBatches = (each: Statement): Statement => (each.name === undefined ? each : { ...each, name: `${each.name}+` })

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
