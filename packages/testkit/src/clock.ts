import type { Clock } from '@ars/platform/clock'
import { asClient } from './client.ts'

export interface FakeClock extends Clock {
  /** Moves date and duration alike, as time does. */
  advance(ms: number): void
  /** Sets the date alone, as a person or a time server does; durations must not notice. */
  setDate(date: Date): void
}

export function fakeClock(start: Date = new Date('2030-01-01T00:00:00Z')): FakeClock {
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
 * Moves the clock of a test database, `app_now()`, by so many milliseconds from where it stands, forwards or backwards.
 * Answers how far it is then ahead of the real time. The table that holds the offset is also the mark by which a server
 * knows a test database: it boots there only with ARS_TEST_STACK=true.
 */
export function moveDatabaseClock(ownerUrl: string, ms: number): Promise<number> {
  return asClient(ownerUrl, async (client) => {
    await client.query('begin')
    await client.query('create table if not exists app_clock (offset_ms bigint not null)')
    await client.query('lock table app_clock')
    await client.query('grant select on app_clock to public')
    await client.query('insert into app_clock (offset_ms) select 0 where not exists (select from app_clock)')
    await client.query(`create or replace function app_now() returns timestamptz language sql stable parallel safe
      return statement_timestamp() + (select offset_ms from app_clock) * interval '1 millisecond'`)
    const moved = 'update app_clock set offset_ms = offset_ms + $1 returning offset_ms::float8 as offset_ms'
    const { rows } = await client.query<{ offset_ms: number }>(moved, [ms])
    await client.query('commit')
    return rows[0]?.offset_ms ?? ms
  })
}
