import { sql, statement, type Uuid } from '@ars/platform/db/statement'

/** With the wait that has ended, and with the trace of the run. */
export type Resumed = { seq: number; waiting_since: Date; resumed_at: Date; trace_context: string | null }

/** The run joins the line that limits it. It stands before younger ones there, because lines are in the order of the ids. */
export const resumeStatement = statement<{ org: Uuid; runId: Uuid }, Resumed>(
  'actions.resume',
  sql`with limited as (
    select from run_heads h join agents a on a.org_id = :org and a.id = h.agent_id
      join agent_versions v on v.org_id = :org and v.agent_id = a.id
       and v.version in (coalesce(a.live_version, a.version), a.canary_version)
     where h.org_id = :org and h.run_id = :runId and v.limits ->> 'max_concurrent_runs' is not null

  -- The timeout goes on with the time that was left when the run was parked.
  ), head as (
    update run_heads h
       set status = 'running', segment = h.segment + 1, seq = h.seq + 1, progress_at = app_now(), moved_in = this_transaction(),
           waits_for = coalesce(h.demo_key_id, case when exists (select from limited) then h.agent_id else h.org_id end),
           deadline_at = app_now() + make_interval(secs => h.remaining_ms::double precision / 1000), remaining_ms = null,
           waiting_ms = h.waiting_ms + (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint,
           waiting_since = null
     where h.org_id = :org and h.run_id = :runId and h.status = 'requires_action'
       and not exists (select from run_actions a where a.org_id = :org and a.run_id = :runId and a.resolution is null)
    returning h.run_id, h.seq
  ), event as (
    insert into run_events (run_id, seq, org_id, type) select run_id, seq, :org, 'run.resumed' from head
  )
  -- The head as it was before this statement.
  select head.seq, h.waiting_since, app_now() as resumed_at,
         (select r.trace_context from runs r where r.org_id = :org and r.id = :runId) as trace_context
    from head join run_heads h on h.org_id = :org and h.run_id = :runId`,
)
