import { openSql, type Sql } from '../lab/stack/sql.ts'

/** All that the database says of the runs, read in one snapshot. Ids are UUIDs. */
export type Records = {
  readAt: Date
  runs: {
    id: string
    org_id: string
    key: string | null
    timeout_seconds: number
    created_at: Date
    /** Of a run that no client asked for. */
    /** No client asked for this run alone: a pipeline, a schedule or a batch started it. */
    is_of_work: boolean
  }[]
  heads: { run_id: string; status: string; epoch: number; attempt: number; step: number; claims: number }[]
  results: { run_id: string; status: string; error_code: string | null; finished_at: Date }[]
  steps: { run_id: string; step: number; epoch: number; attempt: number }[]
  /** The whole feed, streamed output included. */
  events: { run_id: string; seq: number; type: string; step: number | null }[]
  /** The announced events. Their deliveries are in `delivery-records.ts`. */
  announcements: { run_id: string; type: string }[]
  claims: { org_id: string; key: string; run_id: string }[]
}

export type RecordReader = Sql & {
  read(): Promise<Records>
  /** Every row of these runs, word for word, in a fixed order: two equal dumps mean that nothing was written. */
  dump(runIds: readonly string[]): Promise<string[]>
}

/** A run's own key stands in its metadata, so that a second run for it would be seen whatever the key table says. */
export const keyField = 'chaos_key'

export const recordReader = (url: string): RecordReader => {
  const sql = openSql(url)
  return {
    ...sql,
    read: () =>
      sql.snapshot(async (query) => {
        const [clock] = await query<{ read_at: Date }>('select app_now() as read_at')
        return {
          readAt: clock?.read_at ?? new Date(Number.NaN),
          runs: await query(
            `select id, org_id, metadata ->> '${keyField}' as key, timeout_seconds, created_at,
                    pipeline_run_id is not null or id in (
                      select run_id from batch_items where run_id is not null
                      union all select run_id from schedule_firings where run_id is not null) as is_of_work
               from runs`,
          ),
          heads: await query('select run_id, status, epoch, attempt, step, claims from run_heads'),
          results: await query(`select run_id, status, error ->> 'code' as error_code, finished_at from run_results`),
          steps: await query('select run_id, step, epoch, attempt from run_steps'),
          events: await query(
            `select run_id, seq, type, (data ->> 'step')::integer as step from run_events
             union all select run_id, seq, 'run.output.delta', (data ->> 'step')::integer from run_deltas
             order by run_id, seq`,
          ),
          announcements: await query('select subject_id as run_id, type from events'),
          claims: await query(`select org_id, key, subject_id as run_id from idempotency_keys where thing = 'run'`),
        }
      }),
    dump: async (runIds) => {
      const rows = await sql.query<{ line: string }>(dumpText, [runIds])
      return rows.map(({ line }) => line)
    },
  }
}

/** What concerns the runs whose key begins so: one scenario's own, on a stack that others used as well. */
export const narrow = (records: Records, keyPrefix: string): Records => {
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
export const differences = (first: readonly string[], second: readonly string[]): string[] => {
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
