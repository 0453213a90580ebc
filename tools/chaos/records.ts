import pg from 'pg'

/** All that the database says of the runs, read in one snapshot. Ids are UUIDs. */
export interface Records {
  readAt: Date
  runs: { id: string; org_id: string; key: string | null; timeout_seconds: number; created_at: Date }[]
  heads: { run_id: string; status: string; epoch: number; attempt: number; step: number; claims: number }[]
  results: { run_id: string; status: string; error_code: string | null; finished_at: Date }[]
  steps: { run_id: string; step: number; epoch: number; attempt: number }[]
  /** The whole feed, streamed output included. */
  events: { run_id: string; seq: number; type: string; step: number | null }[]
  /** What the outside is told of. What became of it is in `delivery-records.ts`. */
  announcements: { run_id: string; type: string }[]
  claims: { org_id: string; key: string; run_id: string }[]
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
  // What is read here is the whole history of a stack, which takes longer than the service may.
  const patienceMs = { query_timeout: 60_000, statement_timeout: 60_000 }
  const pool = new pg.Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 5000, ...patienceMs })
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
        runs: await all(`select id, org_id, metadata ->> '${keyField}' as key, timeout_seconds, created_at from runs`),
        heads: await all('select run_id, status, epoch, attempt, step, claims from run_heads'),
        results: await all(`select run_id, status, error ->> 'code' as error_code, finished_at from run_results`),
        steps: await all('select run_id, step, epoch, attempt from run_steps'),
        events: await all(
          `select run_id, seq, type, (data ->> 'step')::integer as step from run_events
           union all select run_id, seq, 'run.output.delta', (data ->> 'step')::integer from run_deltas
           order by run_id, seq`,
        ),
        announcements: await all('select subject_id as run_id, type from events'),
        claims: await all(`select org_id, key, subject_id as run_id from idempotency_keys where thing = 'run'`),
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

/** What concerns the runs whose key begins so: one scenario's own, on a stack that others used as well. */
export function narrow(records: Records, keyPrefix: string): Records {
  const runs = records.runs.filter(({ key }) => key?.startsWith(keyPrefix))
  const ids = new Set(runs.map(({ id }) => id))
  const ofThem = <Row extends { run_id: string }>(rows: Row[]): Row[] => rows.filter(({ run_id }) => ids.has(run_id))
  return {
    readAt: records.readAt,
    runs,
    heads: ofThem(records.heads),
    results: ofThem(records.results),
    steps: ofThem(records.steps),
    events: ofThem(records.events),
    announcements: ofThem(records.announcements),
    claims: ofThem(records.claims),
  }
}

/** What changed between two dumps, in words. */
export function differences(first: readonly string[], second: readonly string[]): string[] {
  const [before, after] = [new Set(first), new Set(second)]
  return [
    ...first.filter((line) => !after.has(line)).map((line) => `gone: ${line}`),
    ...second.filter((line) => !before.has(line)).map((line) => `new: ${line}`),
  ]
}

const dumped = [
  ['runs', 'id'],
  ['run_heads', 'run_id'],
  ['run_results', 'run_id'],
  ['run_steps', 'run_id'],
  ['run_events', 'run_id'],
  ['run_deltas', 'run_id'],
  ['run_tool_calls', 'run_id'],
  ['run_actions', 'run_id'],
  ['run_messages', 'run_id'],
  ['run_labels', 'run_id'],
  ['outbox', 'run_id'],
  ['events', 'subject_id'],
] as const
const dumpText = `${dumped
  .map(
    ([table, column]) =>
      // An event gets its place among all of them a moment after its commit; that rewrites nothing.
      `select '${table} ' || (to_jsonb(t) - 'position')::text as line from ${table} t where t.${column} = any ($1::uuid[])`,
  )
  .join('\n union all ')} order by line`
