import pg from 'pg'

/** The sessions that a connection waits for. Postgres no longer knows them once the wait has ended. */
export type Blockers = {
  /** The sessions that were seen last, in words. */
  names(): string
  /** When the connection was last seen to wait, in the time of `performance.now()`. */
  lastSeenMs(): number
  close(): Promise<void>
}

// Several looks within the time that a migration waits for a lock.
const lookEveryMs = 20

/** Watches a connection from a second one. */
export const watchBlockers = async (watched: pg.Client, url: string): Promise<Blockers> => {
  const { rows } = await watched.query<{ pid: number }>('select pg_backend_pid() as pid')
  const observer = new pg.Client({ connectionString: url, application_name: 'ars-migrate' })
  observer.on('error', () => undefined)
  await observer.connect()
  let seen = 'a session that has ended'
  let lastSeenMs = Number.NEGATIVE_INFINITY
  let looking: Promise<unknown> | undefined
  const look = async (): Promise<void> => {
    const askedMs = performance.now()
    const found = await observer.query<{ names: string | null }>(describeBlockers, [rows[0]?.pid])
    const names = found.rows[0]?.names ?? null
    if (names === null) return
    seen = names
    lastSeenMs = askedMs
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined
      })
  }, lookEveryMs)
  return {
    names: () => seen,
    lastSeenMs: () => lastSeenMs,
    close: async () => {
      clearInterval(timer)
      await looking
      await observer.end()
    },
  }
}

// The owner sees no statement of another role, but its name and its application.
const describeBlockers = `
  select string_agg(format('process %s (role %s, application %s)', pid, usename,
           coalesce(nullif(application_name, ''), 'without a name')), ', ' order by pid) as names
    from pg_stat_activity where pid = any (pg_blocking_pids($1))`
