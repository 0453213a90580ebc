import type { Clock } from '@ars/platform/clock'
import type pg from 'pg'
import { asClient } from './client.ts'

export type FakeClock = Clock & {
  /** Moves dates and durations together, as real time does. */
  advance(ms: number): void
  /** Sets only the date, as a time server does; durations do not change. */
  setDate(date: Date): void
}

export const fakeClock = (start: Date = new Date('2030-01-01T00:00:00Z')): FakeClock => {
  let dateMs = start.getTime()
  let monotonicMs = 0
  return {
    now: () => new Date(dateMs),
    monotonicMs: () => monotonicMs,
    advance(ms) {
      dateMs += ms
      monotonicMs += ms
    },
    setDate(date) {
      dateMs = date.getTime()
    },
  }
}

/**
 * Moves the clock of a test database, `app_now()`, by `ms` milliseconds, forwards or backwards. Returns its offset from
 * real time. The table with the offset also marks a test database: a server starts on it only with ARS_TEST_STACK=true.
 * Streamed output is stored by the day of writing, so that day and the next get the partition that a worker would have made.
 */
export const moveDatabaseClock = (ownerUrl: string, ms: number): Promise<number> =>
  asClient(ownerUrl, async (client) => {
    await client.query('begin')
    // Not defined anew each time, because sessions then plan all their statements anew.
    const { rows: clocks } = await client.query(
      `select from pg_proc where oid = 'app_now()'::regprocedure and pg_get_functiondef(oid) like '% app_clock%'`,
    )
    if (clocks.length === 0) await makeMovable(client)
    const moved = 'update app_clock set offset_ms = offset_ms + $1 returning offset_ms::float8 as offset_ms'
    const { rows } = await client.query<{ offset_ms: number }>(moved, [ms])
    await client.query('commit')
    await client.query(`select make_partition('run_deltas', (app_now() at time zone 'utc')::date + day, 1)
      from generate_series(0, 1) as day`)
    return rows[0]?.offset_ms ?? ms
  })

const makeMovable = async (client: pg.Client): Promise<void> => {
  await client.query('create table if not exists app_clock (offset_ms bigint not null)')
  await client.query('lock table app_clock')
  await client.query('grant select on app_clock to public')
  await client.query('insert into app_clock (offset_ms) select 0 where not exists (select from app_clock)')
  await client.query(`create or replace function app_now() returns timestamptz language sql stable parallel safe
    return statement_timestamp() + (select offset_ms from app_clock) * interval '1 millisecond'`)
}
