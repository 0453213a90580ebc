import type { RunStatus } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { StoredFrame } from './frame.ts'

export type Head = { run_id: string; seq: number; status: RunStatus }

// crosses organisations: the heads of the runs that this process follows. A run without a head has ended.
export const listHeads = (db: Database, runIds: readonly string[]): Promise<Head[]> => db.once(null, heads({ runIds }))

export type FramePage = {
  /** The last number of the run so far. `ended`: no other follows. */
  seq: number
  ended: boolean
  /** The time of this state; for a run that has ended, the time of its end. */
  at: Date
  rows: StoredFrame[]
  /** Nothing is stored beyond these rows. */
  complete: boolean
}

/**
 * The frames after a number, as many as fit the page. Null: the organisation has no such run. Numbers are assigned under
 * the lock of the head and commit in order, so a number that is missing before a visible one was deleted.
 */
export const findFrames = async (
  db: Database,
  org: string,
  { run, after, maxFrames, maxBytes }: { run: string; after: number; maxFrames: number; maxBytes: number },
): Promise<FramePage | null> => {
  // The state is read first: the second statement sees everything that belongs to it, and may see more.
  const [states, rows] = await db.batch(org, [
    findState({ org, runId: run }),
    listFrames({ org, runId: run, after, maxFrames, maxBytes }),
  ])
  const [state] = states
  if (!state) return null
  const found = rows[0]?.found ?? 0
  return {
    seq: Math.max(state.seq, rows.at(-1)?.seq ?? 0),
    ended: state.ended,
    at: state.at,
    rows: rows.map(({ seq, type, data, created_at }) => ({ seq, type, data, created_at })),
    complete: found < maxFrames && rows.length === found,
  }
}

const heads = statement<{ runIds: readonly Uuid[] }, Head>(
  'feed.heads',
  sql`select run_id, seq, status from run_heads where run_id = any (:runIds::uuid[])`,
)

const findState = statement<{ org: Uuid; runId: Uuid }, { seq: number; ended: boolean; at: Date }>(
  'feed.state',
  sql`select e.run_id is not null as ended, coalesce(e.finished_at, app_now()) as at,
          coalesce(h.seq, e.last_seq, 1) as seq
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id
    where r.org_id = :org and r.id = :runId`,
)

// The size is that of the stored value, which is known without reading it. It keeps a page of large deltas small.
const listFrames = statement<
  { org: Uuid; runId: Uuid; after: number; maxFrames: number; maxBytes: number },
  StoredFrame & { found: number }
>(
  'feed.frames',
  sql`select seq, type, data, created_at, found
     from (
       select seq, type, data, created_at, (count(*) over ())::integer as found,
              coalesce(sum(pg_column_size(data)) over (order by seq rows between unbounded preceding and 1 preceding), 0) as before
         from (
           (select seq, type, data, created_at from run_events
             where org_id = :org and run_id = :runId and seq > :after order by seq limit :maxFrames)
           union all
           -- Partitions of deltas are days of writing. A gateway's clock may be a little ahead.
           (select seq, 'run.output.delta', data, created_at from run_deltas
             where org_id = :org and run_id = :runId and created_at > uuid_time(:runId) - interval '1 hour'
               and created_at < app_now() + interval '1 day' and seq > :after order by seq limit :maxFrames)
           order by seq limit :maxFrames
         ) stored
     ) page
    where before < :maxBytes
    order by seq`,
)
