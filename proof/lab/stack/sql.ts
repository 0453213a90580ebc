import pg from 'pg'

/** Queries as a role that sees all organisations; the stack belongs to the experiment alone. */
export type Sql = {
  query: Query
  /** Reads all of it in one snapshot. */
  snapshot<Result>(read: (query: Query) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

export const openSql = (url: string): Sql => {
  // An experiment reads the whole history of a stack, which takes longer than the service may.
  const timeouts = { query_timeout: 60_000, statement_timeout: 60_000 }
  const pool = new pg.Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 5000, ...timeouts })
  // The database may be killed while a connection idles; the next query opens another.
  pool.on('error', () => undefined)
  return {
    query: queryOf(pool),
    snapshot: async (read) => {
      const client = await pool.connect()
      try {
        await client.query('begin isolation level repeatable read read only')
        const result = await read(queryOf(client))
        await client.query('commit')
        return result
      } finally {
        client.release(true)
      }
    },
    close: () => pool.end(),
  }
}

/** One connection for one piece of work. */
export const withClient = async <Result>(
  config: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client(config)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const queryOf =
  (connection: pg.Pool | pg.PoolClient): Query =>
  async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await connection.query(text, [...values])).rows as Row[]
