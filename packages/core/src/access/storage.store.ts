import type { Database } from '@ars/platform/db/database'
import { sql, statement } from '@ars/platform/db/statement'

// crosses organisations: a day has runs of all organisations.
export const countStorageOfDay = async (
  db: Database,
  { daysAgo, notSinceMs }: { daysAgo: number; notSinceMs: number },
): Promise<void> => {
  await db.once(null, countDay({ daysAgo, notSinceMs }))
}

// crosses organisations: it writes the sum of each organisation to its row.
export const sumStorage = async (db: Database): Promise<void> => {
  await db.once(null, sum())
}

const countDay = statement<{ daysAgo: number; notSinceMs: number }>(
  'storage.count_day',
  sql`with asked as materialized (
    select day, uuid_floor(day::timestamp at time zone 'utc') as first_id,
           uuid_floor((day + 1)::timestamp at time zone 'utc') as end_id
      from (select (app_now() at time zone 'utc')::date - :daysAgo::integer as day) d
     -- Another worker has just counted this day.
     where not exists (select from storage_counts c where c.day = d.day
             and c.counted_at > app_now() - make_interval(secs => :notSinceMs::double precision / 1000))
  ), counted as (
    select day, org_id, sum(stored_bytes) as bytes from (
      select a.day, e.org_id, e.stored_bytes from asked a join run_results e on e.run_id >= a.first_id and e.run_id < a.end_id
      union all
      select a.day, p.org_id, p.stored_bytes from asked a join pipeline_runs p on p.id >= a.first_id and p.id < a.end_id
    ) stored where stored_bytes > 0 group by day, org_id
  ), kept as (
    insert into storage_counts (day, org_id, bytes, counted_at) select day, org_id, bytes, app_now() from counted
    on conflict (day, org_id) do update set bytes = excluded.bytes, counted_at = excluded.counted_at
  )
  -- Its runs were erased, or the whole day was.
  delete from storage_counts c using asked a
   where c.day = a.day and not exists (select from counted n where n.org_id = c.org_id)`,
)

const sum = statement(
  'storage.sum',
  sql`with stored as (
    select org_id, sum(bytes)::bigint as bytes from (
      select org_id, bytes from storage_counts
      union all
      select org_id, stored_bytes from run_heads
      union all
      select org_id, bytes from batches
      union all
      select org_id, pg_column_size(input) + pg_column_size(metadata) from schedules
    ) parts group by org_id
  )
  update organisations o set stored_bytes = n.bytes
    from (select o.id, coalesce(s.bytes, 0) as bytes from organisations o left join stored s on s.org_id = o.id) n
   where n.id = o.id and n.bytes <> o.stored_bytes`,
)
