import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'
import type { Interval } from './analytics-period.ts'

export type Bounds = {
  from: Date
  to: Date
  /** The begin of the period of the same length before. */
  previousFrom: Date
  /** The time zone differs from UTC by whole hours at both ends. */
  hasWholeHours: boolean
}

/** The period from the first interval that `from` touches to the last that `to` touches. Null: no such time zone. */
export const findBounds = async (
  db: Database,
  org: string,
  asked: { from: Date; to: Date; interval: Interval; timeZone: string },
): Promise<Bounds | null> => {
  try {
    const [row] = await db.once(org, bounds(asked))
    if (!row) throw new Error('The database has no time')
    return { from: row.starts, to: row.ends, previousFrom: row.previous_starts, hasWholeHours: row.has_whole_hours }
  } catch (error) {
    if ((error as { code?: unknown }).code === unknownTimeZone) return null
    throw error
  }
}

const unknownTimeZone = '22023'

const bounds = statement<
  { from: Date; to: Date; interval: Interval; timeZone: string },
  { starts: Date; ends: Date; previous_starts: Date; has_whole_hours: boolean }
>(
  'usage.bounds',
  sql`select starts, ends, date_trunc(:interval, starts - (ends - starts), :timeZone) as previous_starts,
          (select bool_and(extract(epoch from (at at time zone 'utc') - (at at time zone :timeZone))::integer % 3600 = 0)
             from unnest(array[starts, ends]) as at) as has_whole_hours
     from (
       select date_trunc(:interval, :from::timestamptz, :timeZone) as starts,
              date_trunc(:interval, :to::timestamptz - interval '1 microsecond' + ('1 ' || :interval::text)::interval, :timeZone) as ends
     ) b`,
)
