import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { ranks } from '../queue/queue.ts'

export type ResumedRow = { epoch: number; segment: number; step: number; started: boolean; seq: number }

export type ResumeParameters = { org: Uuid; runId: Uuid; relayAfterMs: number; sharedCellSlots: number }

export const resumeStatement = statement<ResumeParameters, ResumedRow>(
  'actions.resume',
  sql`with gate as (
    select from run_heads h join agents a on a.org_id = :org and a.id = h.agent_id
      join agent_versions v on v.org_id = :org and v.agent_id = a.id
       and v.version in (coalesce(a.live_version, a.version), a.canary_version)
     where h.org_id = :org and h.run_id = :runId and v.limits ->> 'max_concurrent_runs' is not null

  -- The run takes free slots even if others wait: a resumed run goes before new ones. An agent with a gate comes first.
  ), own_slot as (
    select s.number from org_slots s
     where s.org_id = :org and s.run_id is null and s.number <= (select concurrent_runs from organisations where id = :org)
       and not exists (select from gate)
     order by s.number limit 1 for update skip locked
  ), cell_slot as (
    select number from cell_slots where run_id is null and number <= :sharedCellSlots order by number limit 1 for update skip locked
  ), pair as (
    select o.number as slot, c.number as cell_slot from own_slot o cross join cell_slot c

  -- The timeout goes on with the time that was left when the run was parked.
  ), head as (
    update run_heads h
       set status = 'running', segment = h.segment + 1, seq = h.seq + 1, progress_at = app_now(),
           slot = (select slot from pair), cell_slot = (select cell_slot from pair),
           rank = case when exists (select from gate) then ${ranks.resumedAtGate}
                       when not exists (select from pair) then ${ranks.resumed} end,
           deadline_at = app_now() + make_interval(secs => h.remaining_ms::double precision / 1000), remaining_ms = null,
           waiting_ms = h.waiting_ms + (extract(epoch from app_now() - h.waiting_since) * 1000)::bigint,
           waiting_since = null
     where h.org_id = :org and h.run_id = :runId and h.status = 'requires_action'
       and not exists (select from run_actions a where a.org_id = :org and a.run_id = :runId and a.resolution is null)
    returning h.run_id, h.epoch, h.segment, h.step + 1 as step, h.seq, h.slot, h.cell_slot
  ), own_taken as (
    update org_slots s set run_id = head.run_id from head where s.org_id = :org and s.number = head.slot
  ), cell_taken as (
    update cell_slots s set run_id = head.run_id from head where s.number = head.cell_slot
  ), event as (
    insert into run_events (run_id, seq, org_id, type) select run_id, seq, :org, 'run.resumed' from head
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, :org, step, app_now() + make_interval(secs => :relayAfterMs::double precision / 1000)
      from head where slot is not null
  )
  select epoch, segment, step, seq, slot is not null as started from head`,
)
