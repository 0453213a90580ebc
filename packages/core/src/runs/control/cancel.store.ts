import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { afterEnd, endedColumns, endedFacts } from '../run/end.store.ts'
import { type EndedFacts, type RunEnd, toRunEnd } from '../run/run-end.ts'

/** `not_cancelled`: the run has ended, is being cancelled already, or changed between the two statements. */
export type CancelVerdict =
  | { kind: 'ended'; seq: number; ended: RunEnd }
  | { kind: 'stopping'; seq: number }
  | { kind: 'not_cancelled' }

/**
 * Cancels an active run. A run that no worker holds ends at once. A run in progress is stopping: it ends when its worker
 * confirms it, or when the grace period is over.
 */
export const cancelRun = async (
  db: Database,
  org: string,
  cancel: { run: string; eventId: string; graceMs: number },
): Promise<CancelVerdict> => {
  const [ended] = await db.once(org, endIdle({ org, runId: cancel.run, eventId: cancel.eventId }))
  if (ended) return { kind: 'ended', seq: ended.seq, ended: toRunEnd(cancel.run, org, ended) }
  const [stopping] = await db.once(org, stop({ org, runId: cancel.run, graceMs: cancel.graceMs }))
  return stopping ? { kind: 'stopping', seq: stopping.seq } : { kind: 'not_cancelled' }
}

// A run that was resumed and waits to be admitted has the status 'running', but no worker holds it.
const endIdle = statement<{ org: Uuid; runId: Uuid; eventId: Uuid }, EndedFacts & { seq: number }>(
  'runs.cancel_idle',
  sql`with head as (
    delete from run_heads h
     where h.org_id = :org and h.run_id = :runId and (h.status in ('queued', 'requires_action') or h.waits_for is not null)
    returning ${endedColumns}, 'cancelled' as end_status, null::json as end_error, :eventId::uuid as event_id
  ), forgotten as (
    -- What a policy held back goes with the question that nobody answered.
    update run_actions a set held = null
     where a.org_id = :org and a.run_id = any (array(select h.run_id from head h)) and a.held is not null
  ), ${afterEnd}
  select seq, ${endedFacts} from head`,
)

const stop = statement<{ org: Uuid; runId: Uuid; graceMs: number }, { seq: number }>(
  'runs.cancel',
  sql`with head as (
    update run_heads
       set status = 'cancelling', seq = seq + 1, progress_at = app_now(),
           deadline_at = app_now() + make_interval(secs => :graceMs::double precision / 1000)
     where org_id = :org and run_id = :runId and status = 'running'
    returning seq
  ), event as (
    insert into run_events (run_id, seq, org_id, type) select :runId, seq, :org, 'run.cancelling' from head
  )
  select seq from head`,
)
