import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { thisMonth } from './accept.sql.ts'
import { type ShardRoom, shardCount, shareOfShard } from './monthly-quota.ts'

/** The calls that are left this month, by shard, and the seconds until the month ends. */
export const findCallRoom = async (db: Database, org: string): Promise<{ rooms: ShardRoom[]; secondsLeft: number }> => {
  const rows = await db.once(org, room({ org }))
  return {
    rooms: rows.map((row) => ({ shard: row.slot, room: Number(row.room) })),
    secondsLeft: rows[0]?.seconds_left ?? 1,
  }
}

// A quota that was lowered during the month may leave shards above their share. The others get that much less.
const room = statement<{ org: Uuid }, { slot: number; room: string; seconds_left: number }>(
  'calls.room',
  sql`with counted as (
    select slot, calls from call_counts where org_id = :org and month = ${thisMonth}
  )
  select s.slot,
         greatest(0, least(${shareOfShard('s.slot')} - coalesce(c.calls, 0),
           o.calls_per_month - (select coalesce(sum(calls), 0) from counted)))::bigint as room,
         ceil(extract(epoch from (${thisMonth} + interval '1 month') at time zone 'utc' - app_now()))::integer as seconds_left
    from organisations o
    cross join generate_series(0, ${shardCount - 1}) as s (slot)
    left join counted c on c.slot = s.slot
   where o.id = :org order by s.slot`,
)
