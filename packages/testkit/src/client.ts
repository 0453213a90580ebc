import pg from 'pg'

/** Passes a separate connection to `use` and always closes it. */
export const asClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, application_name: 'ars-testkit' })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Connections that are kept for the next query: to connect takes longer than most queries. */
export type Pool = Pick<pg.Pool, 'query' | 'end'>

export const openPool = (url: string): Pool => {
  const pool = new pg.Pool({ connectionString: url, application_name: 'ars-testkit', allowExitOnIdle: true })
  // A test may end the connections of its database. The pool forgets a broken one and opens another.
  pool.on('error', () => undefined)
  return pool
}
