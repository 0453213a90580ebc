import { sql, statement } from '@ars/platform/db/statement'
import type { Segment } from '../run/segment.ts'
import { firstGateRank } from './queue.ts'

/** One row for each admitted run, and at most one for each of the other two; those have no segment. */
export type AdmissionRow = Segment & { what: 'admitted' | 'contended' | 'gated' }

export type AdmitParameters = { limit: number; cellSlots: number; sharedCellSlots: number; lightOrgRuns: number }

/**
 * Gives free slots to runs that wait, first to the organisation with the fewest runs in progress. Rows are locked with
 * `skip locked`, so that two workers that admit concurrently take different ones.
 */
export const admitStatement = statement<AdmitParameters, AdmissionRow>(
  'slots.admit',
  sql`with recursive foremost as (
    -- The organisations with waiting runs, found through the foremost run of each, so that a long line at the gate of an
    -- agent costs nothing here.
    (select org_id, rank from run_heads where rank is not null order by org_id, rank limit 1)
    union all
    select next.org_id, next.rank
      from foremost f
      cross join lateral (
        select h.org_id, h.rank from run_heads h where h.rank is not null and h.org_id > f.org_id
         order by h.org_id, h.rank limit 1) next
  ), orgs as (
    select org_id from foremost where rank < ${firstGateRank}
  ), free_cell_slots as (
    select number, number > :sharedCellSlots as is_reserved, row_number() over (order by number desc) as n,
           row_number() over (partition by number > :sharedCellSlots order by number desc) as n_of_kind from (
      select number from cell_slots
       where run_id is null and number <= :cellSlots and exists (select from orgs)
       order by number desc limit :limit for update skip locked) free

  -- Both lists are materialized: a second read could skip other locked rows and number the rest differently.
  ), waiting as materialized (
    select o.org_id, w.run_id, w.rank, row_number() over (partition by o.org_id order by w.rank, w.run_id) as n
      from orgs o
      cross join lateral (
        select h.run_id, h.rank from run_heads h where h.org_id = o.org_id and h.rank < ${firstGateRank}
         order by h.rank, h.run_id limit :limit for update skip locked) w
  ), free_own as materialized (
    select o.org_id, f.number, row_number() over (partition by o.org_id order by f.number) as n
      from orgs o
      cross join lateral (
        select s.number from org_slots s
         where s.org_id = o.org_id and s.run_id is null
           and s.number <= (select concurrent_runs from organisations where id = o.org_id)
         order by s.number limit :limit for update skip locked) f
  ), used as (
    select o.org_id, (select count(*) from org_slots u where u.org_id = o.org_id and u.run_id is not null) as runs
      from orgs o

  -- share is the number of runs that the organisation has in progress if this one is admitted.
  ), candidates as (
    select w.org_id, w.run_id, w.rank, f.number as slot, used.runs + w.n as share
      from waiting w
      join free_own f on f.org_id = w.org_id and f.n = w.n
      join used on used.org_id = w.org_id
  ), ranked as (
    select org_id, run_id, slot, share <= :lightOrgRuns as is_light,
           row_number() over (partition by share <= :lightOrgRuns order by share, rank, run_id) as n from candidates

  -- The shared slots that light runs take because the reserved ones do not suffice.
  ), displaced as (
    select greatest(0, (select count(*) from ranked where is_light)
             - (select count(*) from free_cell_slots where is_reserved)) as slots

  -- A light run may take any slot of the cell, reserved ones first. The others get the shared slots that are left.
  ), chosen as (
    select r.org_id, r.run_id, r.slot, p.number as cell_slot
      from ranked r join free_cell_slots p on p.n = r.n where r.is_light
    union all
    select r.org_id, r.run_id, r.slot, p.number
      from ranked r join free_cell_slots p on not p.is_reserved and p.n_of_kind = r.n + (select slots from displaced)
     where not r.is_light
  ), head as (
    update run_heads h set slot = c.slot, cell_slot = c.cell_slot, rank = null, progress_at = app_now()
      from chosen c where h.run_id = c.run_id
    returning h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step, h.slot, h.cell_slot
  ), own_taken as (
    update org_slots s set run_id = head.run_id from head where s.org_id = head.org_id and s.number = head.slot
  ), cell_taken as (
    update cell_slots s set run_id = head.run_id from head where s.number = head.cell_slot
  ), ordered as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, org_id, step, app_now() + interval '2 seconds' from head
    on conflict (run_id, epoch, segment) do nothing
  ), flagged as (
    update cell set contended = (select count(*) from candidates) > (select count(*) from chosen)
     where contended <> ((select count(*) from candidates) > (select count(*) from chosen))
  )
  select 'admitted' as what, org_id as org, run_id as run, epoch, segment, step from head
  union all
  select 'contended', null, null, 0, 0, 0 where (select count(*) from candidates) > (select count(*) from chosen)
  union all
  select 'gated', null, null, 0, 0, 0 where exists (select from run_heads where rank >= ${firstGateRank})`,
)
