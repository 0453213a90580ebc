import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { afterEnd, endedColumns } from './end.store.ts'

/** What a cancel found: ended at once, told to its worker, or nothing to do. */
export type Cancelled = { seq: number; ended: boolean } | null

/**
 * Cancels an active run. One that no worker holds ends at once; one under way is told to stop and ends when its worker
 * says so, or when the grace is over. Null: it has ended, or is being cancelled already.
 */
export const cancelRun = async (
  db: Database,
  org: string,
  cancel: { run: string; eventId: string; graceMs: number },
): Promise<Cancelled> => {
  const [ended] = await db.once<{ seq: number }>(org, endIdle(org, cancel.run, cancel.eventId))
  if (ended) return { seq: ended.seq, ended: true }
  const [told] = await db.once<{ seq: number }>(org, stop(org, cancel.run, cancel.graceMs))
  return told ? { seq: told.seq, ended: false } : null
}

// A run that was resumed and waits for a slot is running by name only: no worker holds it.
const endIdle = statement(
  'runs.cancel_idle',
  `with head as (
    delete from run_heads h
     where h.org_id = $1 and h.run_id = $2 and (h.status in ('queued', 'requires_action') or h.rank is not null)
    returning ${endedColumns}, 'cancelled' as end_status, null::json as end_error, $3::uuid as event_id
  ), ${afterEnd}
  select seq from head`,
)

const stop = statement(
  'runs.cancel',
  `with head as (
    update run_heads
       set status = 'cancelling', seq = seq + 1, progress_at = app_now(),
           deadline_at = app_now() + make_interval(secs => $3::double precision / 1000)
     where org_id = $1 and run_id = $2 and status = 'running'
    returning seq
  ), told as (
    insert into run_events (run_id, seq, org_id, type) select $2, seq, $1, 'run.cancelling' from head
  )
  select seq from head`,
)
