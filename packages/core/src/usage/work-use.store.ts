import type { Database } from '@ars/platform/db/database'
import { dynamicSql, toStatement } from '@ars/platform/db/dynamic-sql'
import { type Json, type Statement, sql, statement } from '@ars/platform/db/statement'
import { listWorkTables } from '../work-rows.store.ts'

/** Time that a process worked for an organisation, in one queue. */
export type WorkUse = { org: string; queue: string; turns: number; turnMs: number }

/** What an organisation has of a queue. */
export type WorkShare = {
  org_id: string
  queue: string
  /** Rows that workers hold. */
  places: number
  /** Rows that are due and wait for a place. */
  due: number
  oldest_due_seconds: number | null
  /** In the last hour. */
  turns: number
  turn_seconds: number
}

// crosses organisations: a process adds what it did for all of them.
export const addWorkUses = async (db: Database, uses: readonly WorkUse[]): Promise<void> => {
  await db.once(null, add({ uses: JSON.stringify(uses) }))
}

/** The organisations with the most turn time first. `org`: this one alone. */
// crosses organisations: the operator compares them.
export const readWork = (
  db: Database,
  { org = null, limit }: { org?: string | null; limit: number },
): Promise<WorkShare[]> => db.once(null, shares(org, limit))

const add = statement<{ uses: Json }>(
  'usage.add_work',
  // In one order, so that two processes do not wait for each other in a circle.
  sql`insert into work_uses as w (org_id, queue, slot, since, turns, turn_ms)
    select u.org, u.queue, extract(minute from app_now())::integer / 5, date_bin('5 minutes', app_now(), 'epoch'), u.turns, u."turnMs"
      from json_to_recordset(:uses::json) as u (org uuid, queue text, turns integer, "turnMs" bigint)
     where exists (select from organisations where id = u.org)
     order by u.org, u.queue
    on conflict (org_id, queue, slot) do update
       set since = excluded.since,
           turns = case when w.since = excluded.since then w.turns else 0 end + excluded.turns,
           turn_ms = case when w.since = excluded.since then w.turn_ms else 0 end + excluded.turn_ms`,
)

/** Its text names the tables of all queues, which are known when all slices are loaded. */
const shares = (org: string | null, limit: number): Statement<WorkShare> => {
  const standing = listWorkTables().map(({ queue, table, where, held }) => {
    const isHeld = `${held} > app_now()`
    const waits = `(${held} is null or ${held} <= app_now()) and due_at <= app_now()`
    return sql`select org_id, '${queue}' as queue, count(*) filter (where ${isHeld}) as places,
            count(*) filter (where ${waits}) as due, min(due_at) filter (where ${waits}) as oldest
       from ${table} where ${where} and (due_at <= app_now() or ${isHeld}) group by org_id`
  })
  return toStatement(dynamicSql`with standing as (${dynamicSql.raw(standing.join(' union all '))}), used as (
       select org_id, queue, sum(turns) as turns, sum(turn_ms) as turn_ms from work_uses
        where since > app_now() - interval '1 hour' group by org_id, queue
     )
     select org_id, queue, coalesce(places, 0)::integer as places, coalesce(due, 0)::integer as due,
            extract(epoch from app_now() - oldest)::double precision as oldest_due_seconds,
            coalesce(turns, 0)::integer as turns, coalesce(turn_ms, 0)::double precision / 1000 as turn_seconds
       from standing full join used using (org_id, queue)
      where ${org}::uuid is null or org_id = ${org}::uuid
      order by turn_ms desc nulls last, due desc nulls last, org_id, queue limit ${limit}`)
}
