import type { RunStatus } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import type { StoredFrame } from './frame.ts'

export type Head = { run_id: string; seq: number; status: RunStatus }

// crosses organisations: where the runs stand that this process follows, whoever they belong to; a run without a head has ended.
export const listHeads = (db: Database, ids: readonly string[]): Promise<Head[]> => db.once(null, heads(ids))

export type FramePage = {
  /** The last number of the run so far, and whether it is its last at all. */
  seq: number
  ended: boolean
  /** When it was so: for a run that has ended, the time of its end. */
  at: Date
  rows: StoredFrame[]
  /** Nothing is stored beyond these rows. */
  complete: boolean
}

/**
 * The frames after a number, as many as fit the page. Null: this organisation has no such run. Numbers are given under
 * the lock of the run's head and commit in their order, so a number that is missing before one that is seen is gone.
 */
export const findFrames = async (
  db: Database,
  org: string,
  { run, after, most, bytesMost }: { run: string; after: number; most: number; bytesMost: number },
): Promise<FramePage | null> => {
  // The state is read first: whatever it tells of is there for the second statement, which may see more.
  const [states, rows] = (await db.batch(org, [findState(org, run), listFrames(org, run, after, most, bytesMost)])) as [
    { seq: number; ended: boolean; at: Date }[],
    (StoredFrame & { found: number })[],
  ]
  const [state] = states
  if (!state) return null
  const found = rows[0]?.found ?? 0
  return {
    seq: Math.max(state.seq, rows.at(-1)?.seq ?? 0),
    ended: state.ended,
    at: state.at,
    rows: rows.map(({ seq, type, data, created_at }) => ({ seq, type, data, created_at })),
    complete: found < most && rows.length === found,
  }
}

const heads = statement('feed.heads', 'select run_id, seq, status from run_heads where run_id = any ($1::uuid[])')

// A result that an older release wrote does not know its last number.
const findState = statement(
  'feed.state',
  `select e.run_id is not null as ended, coalesce(e.finished_at, app_now()) as at,
          coalesce(h.seq, e.last_seq, (select max(v.seq) from run_events v where v.org_id = $1 and v.run_id = $2), 1) as seq
     from runs r
     left join run_heads h on h.run_id = r.id
     left join run_results e on e.run_id = r.id
    where r.org_id = $1 and r.id = $2`,
)

// The size is the stored one, which is known without reading the value: it keeps a page of large deltas small.
const listFrames = statement(
  'feed.frames',
  `select seq, type, data, created_at, found
     from (
       select seq, type, data, created_at, (count(*) over ())::integer as found,
              coalesce(sum(pg_column_size(data)) over (order by seq rows between unbounded preceding and 1 preceding), 0) as before
         from (
           (select seq, type, data, created_at from run_events
             where org_id = $1 and run_id = $2 and seq > $3 order by seq limit $4)
           union all
           (select seq, 'run.output.delta', data, created_at from run_deltas
             where org_id = $1 and run_id = $2 and seq > $3 order by seq limit $4)
           order by seq limit $4
         ) stored
     ) page
    where before < $5
    order by seq`,
)
