import pg from 'pg'

/** Lends a connection of its own to `use` and closes it afterwards, whatever happens. */
export async function asClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'ars-testkit' })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
