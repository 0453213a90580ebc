import pg from 'pg'

/** All that the database says of the runs, read in one snapshot. Ids are UUIDs. */
export interface Records {
  readAt: Date
  runs: { id: string; key: string | null; timeout_seconds: number; created_at: Date }[]
  heads: { run_id: string; status: string; epoch: number; attempt: number; step: number; claims: number }[]
  results: { run_id: string; status: string; error_code: string | null }[]
  steps: { run_id: string; step: number; epoch: number; attempt: number }[]
  events: { run_id: string; seq: number; type: string; step: number | null }[]
  /** What the outside is told of. */
  announcements: { run_id: string; type: string }[]
  claims: { key: string; run_id: string }[]
}

/** Reads as a role that sees all organisations; the stack is this test's own. */
export interface RecordReader {
  read(): Promise<Records>
  /** Every row of these runs, word for word, in a fixed order: two equal dumps mean that nothing was written. */
  dump(runIds: readonly string[]): Promise<string[]>
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** A run's own key stands in its metadata, so that a second run for it would be seen whatever the key table says. */
export const keyField = 'chaos_key'

export function recordReader(url: string): RecordReader {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5000, query_timeout: 30_000 })
  // The database may be killed while a connection idles; the next query opens another.
  pool.on('error', () => undefined)

  const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await pool.query(text, [...values])).rows as Row[]

  const snapshot = async (): Promise<Records> => {
    const client = await pool.connect()
    const all = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[]
    try {
      await client.query('begin isolation level repeatable read read only')
      const [clock] = await all<{ read_at: Date }>('select app_now() as read_at')
      const records: Records = {
        readAt: clock?.read_at ?? new Date(Number.NaN),
        runs: await all(`select id, metadata ->> '${keyField}' as key, timeout_seconds, created_at from runs`),
        heads: await all('select run_id, status, epoch, attempt, step, claims from run_heads'),
        results: await all(`select run_id, status, error ->> 'code' as error_code from run_results`),
        steps: await all('select run_id, step, epoch, attempt from run_steps'),
        events: await all(
          `select run_id, seq, type, (data ->> 'step')::integer as step from run_events order by run_id, seq`,
        ),
        announcements: await all('select subject_id as run_id, type from events'),
        claims: await all(`select key, subject_id as run_id from idempotency_keys where thing = 'run'`),
      }
      await client.query('commit')
      return records
    } finally {
      client.release(true)
    }
  }

  return {
    query,
    read: snapshot,
    dump: async (runIds) => {
      const rows = await query<{ line: string }>(dumpText, [runIds])
      return rows.map(({ line }) => line)
    },
    close: () => pool.end(),
  }
}

const dumpText = `
  select 'runs ' || row_to_json(t) as line from runs t where t.id = any ($1::uuid[])
  union all select 'run_heads ' || row_to_json(t) from run_heads t where t.run_id = any ($1::uuid[])
  union all select 'run_results ' || row_to_json(t) from run_results t where t.run_id = any ($1::uuid[])
  union all select 'run_steps ' || row_to_json(t) from run_steps t where t.run_id = any ($1::uuid[])
  union all select 'run_events ' || row_to_json(t) from run_events t where t.run_id = any ($1::uuid[])
  union all select 'events ' || row_to_json(t) from events t where t.subject_id = any ($1::uuid[])
  order by line`
