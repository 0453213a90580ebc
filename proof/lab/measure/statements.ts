import pg from 'pg'

/** Settings under which Postgres counts what each statement costs. */
export const countingSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track': 'all',
} as const

/** The cost of one statement, planning and execution apart, in milliseconds of wall clock. */
export type StatementCost = {
  text: string
  calls: number
  planMs: number
  runMs: number
  meanMs: number
  /** The longest execution. */
  maxMs: number
  walBytes: number
}

export type StatementCounter = {
  reset(): Promise<void>
  /** The most expensive statements first. */
  read(options?: { limit?: number }): Promise<StatementCost[]>
  close(): Promise<void>
}

export const countStatements = async (superuserUrl: string): Promise<StatementCounter> => {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')
  return {
    reset: async () => {
      await client.query('select pg_stat_statements_reset()')
    },
    read: async ({ limit = 15 } = {}) => {
      const { rows } = await client.query<Record<'query', string> & Record<Metric, number>>(
        `select query, sum(calls)::float8 as calls, sum(total_plan_time)::float8 as plan_ms,
                sum(total_exec_time)::float8 as run_ms,
                max(max_exec_time)::float8 as max_ms, sum(wal_bytes)::float8 as wal_bytes
           from pg_stat_statements where query not like '%pg_stat_statements%' group by query
          order by sum(total_plan_time + total_exec_time) desc limit $1`,
        [limit],
      )
      return rows.map((row) => ({
        text: row.query.replaceAll(/\s+/g, ' ').trim(),
        calls: row.calls,
        planMs: row.plan_ms,
        runMs: row.run_ms,
        meanMs: (row.plan_ms + row.run_ms) / row.calls,
        maxMs: row.max_ms,
        walBytes: row.wal_bytes / row.calls,
      }))
    },
    close: () => client.end(),
  }
}

type Metric = 'calls' | 'plan_ms' | 'run_ms' | 'max_ms' | 'wal_bytes'
