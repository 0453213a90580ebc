import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { type CallRoom, callSlots, shareOf } from './call.ts'

/** The month that a call belongs to: that of the statement which counts it, in UTC. */
export const thisMonth = `date_trunc('month', app_now() at time zone 'utc')::date`

/** What is left of this month's calls, slot by slot, and how many seconds the month still has. */
export const findCallRoom = async (db: Database, org: string): Promise<{ rooms: CallRoom[]; secondsLeft: number }> => {
  const rows = await db.once<{ slot: number; room: string; seconds_left: number }>(org, room(org))
  return {
    rooms: rows.map((row) => ({ slot: row.slot, room: Number(row.room) })),
    secondsLeft: rows[0]?.seconds_left ?? 1,
  }
}

// A quota that was lowered in the course of the month may leave slots beyond their shares: what they have too much, the
// others do not get.
const room = statement(
  'calls.room',
  `with counted as (
    select slot, calls from call_counts where org_id = $1 and month = ${thisMonth}
  )
  select s.slot,
         greatest(0, least(${shareOf('s.slot')} - coalesce(c.calls, 0),
           o.calls_per_month - (select coalesce(sum(calls), 0) from counted)))::bigint as room,
         ceil(extract(epoch from (${thisMonth} + interval '1 month') at time zone 'utc' - app_now()))::integer as seconds_left
    from organisations o
    cross join generate_series(0, ${callSlots - 1}) as s (slot)
    left join counted c on c.slot = s.slot
   where o.id = $1 order by s.slot`,
)
