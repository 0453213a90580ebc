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
