import type { Database } from '@ars/platform/db/database'
import { statement } from '@ars/platform/db/statement'
import { firstGateRank, sharesOf } from './queue.ts'
import type { Segment } from './segment.ts'

/** `contended`: somebody lacks nothing but a slot of the cell. `gated`: somebody waits at the gate of an agent. */
export type Admission = { admitted: Segment[]; contended: boolean; gated: boolean }

// crosses organisations: the cell's free slots go round over all organisations whose runs wait.
export const admitRuns = async (
  db: Database,
  { limit, cellSlots }: { limit: number; cellSlots: number },
): Promise<Admission> => {
  type Row = { what: 'admitted' | 'contended' | 'gated'; org: string; run: string } & Omit<Segment, 'org' | 'run'>
  const { all, common, light } = sharesOf(cellSlots)
  const rows = await db.once<Row>(null, admit(limit, all, common, light))
  return {
    admitted: rows.flatMap(({ what, ...segment }) => (what === 'admitted' ? [segment] : [])),
    contended: rows.some(({ what }) => what === 'contended'),
    gated: rows.some(({ what }) => what === 'gated'),
  }
}

// crosses organisations: a cell has so many slots for all of them together.
export const ensureCellSlots = async (db: Database, cellSlots: number): Promise<void> => {
  await db.once(null, ensure(cellSlots))
}

// crosses organisations: a slot whose run has gone is free, whoever it belonged to. No commit leaves one behind; this
// is for what an operator may have changed by hand.
export const freeLostSlots = async (db: Database): Promise<number> => {
  const [own] = await db.once<{ freed: number }>(null, freeOwn())
  const [cell] = await db.once<{ freed: number }>(null, freeCell())
  return (own?.freed ?? 0) + (cell?.freed ?? 0)
}

// Who has the fewest runs under way goes first: `share` is how many the organisation would then have. With few it may have
// any place of the cell and takes those that are kept for such first; the others get what is left of the rest. Waiting heads
// are locked with `skip locked`, so that two workers that admit at once take different ones; each such list is read once
// (materialized), because a second reading may skip others and number them anew. Organisations are found by
// the foremost of each, so that a long line at an agent's gate costs nothing here.
const admit = statement(
  'slots.admit',
  `with recursive foremost as (
    (select org_id, rank from run_heads where rank is not null order by org_id, rank limit 1)
    union all
    select next.org_id, next.rank
      from foremost f
      cross join lateral (
        select h.org_id, h.rank from run_heads h where h.rank is not null and h.org_id > f.org_id
         order by h.org_id, h.rank limit 1) next
  ), orgs as (
    select org_id from foremost where rank < ${firstGateRank}
  ), cell_places as (
    select number, number > $3 as is_kept, row_number() over (order by number desc) as n,
           row_number() over (partition by number > $3 order by number desc) as n_of_kind from (
      select number from cell_slots
       where run_id is null and number <= $2 and exists (select from orgs)
       order by number desc limit $1 for update skip locked) free
  ), waiting as materialized (
    select o.org_id, w.run_id, w.rank, row_number() over (partition by o.org_id order by w.rank, w.run_id) as n
      from orgs o
      cross join lateral (
        select h.run_id, h.rank from run_heads h where h.org_id = o.org_id and h.rank < ${firstGateRank}
         order by h.rank, h.run_id limit $1 for update skip locked) w
  ), free_own as materialized (
    select o.org_id, f.number, row_number() over (partition by o.org_id order by f.number) as n
      from orgs o
      cross join lateral (
        select s.number from org_slots s
         where s.org_id = o.org_id and s.run_id is null
           and s.number <= (select concurrent_runs from organisations where id = o.org_id)
         order by s.number limit $1 for update skip locked) f
  ), used as (
    select o.org_id, (select count(*) from org_slots u where u.org_id = o.org_id and u.run_id is not null) as runs
      from orgs o
  ), candidates as (
    select w.org_id, w.run_id, w.rank, f.number as slot, used.runs + w.n as share
      from waiting w
      join free_own f on f.org_id = w.org_id and f.n = w.n
      join used on used.org_id = w.org_id
  ), ranked as (
    select org_id, run_id, slot, share <= $4 as is_light,
           row_number() over (partition by share <= $4 order by share, rank, run_id) as n from candidates
  ), displaced as (
    select greatest(0, (select count(*) from ranked where is_light) - (select count(*) from cell_places where is_kept)) as places
  ), chosen as (
    select r.org_id, r.run_id, r.slot, p.number as cell_slot
      from ranked r join cell_places p on p.n = r.n where r.is_light
    union all
    select r.org_id, r.run_id, r.slot, p.number
      from ranked r join cell_places p on not p.is_kept and p.n_of_kind = r.n + (select places from displaced)
     where not r.is_light
  ), head as (
    update run_heads h set slot = c.slot, cell_slot = c.cell_slot, rank = null, progress_at = app_now()
      from chosen c where h.run_id = c.run_id
    returning h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step, h.slot, h.cell_slot
  ), own_taken as (
    update org_slots s set run_id = head.run_id from head where s.org_id = head.org_id and s.number = head.slot
  ), cell_taken as (
    update cell_slots s set run_id = head.run_id from head where s.number = head.cell_slot
  ), told as (
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

const ensure = statement(
  'slots.ensure',
  'insert into cell_slots (number) select generate_series(1, $1::integer) on conflict do nothing',
)

// The run is compared once more when the slot is freed: by then it may have been given to another.
const freeOwn = statement(
  'slots.free_own',
  `with lost as (
    select org_id, number, run_id from org_slots s
     where s.run_id is not null
       and not exists (select from run_heads h where h.run_id = s.run_id and h.slot = s.number)
  ), freed as (
    update org_slots s set run_id = null from lost
     where s.org_id = lost.org_id and s.number = lost.number and s.run_id = lost.run_id
    returning 1
  ) select count(*)::integer as freed from freed`,
)

const freeCell = statement(
  'slots.free_cell',
  `with lost as (
    select number, run_id from cell_slots s
     where s.run_id is not null
       and not exists (select from run_heads h where h.run_id = s.run_id and h.cell_slot = s.number)
  ), freed as (
    update cell_slots s set run_id = null from lost where s.number = lost.number and s.run_id = lost.run_id
    returning 1
  ) select count(*)::integer as freed from freed`,
)
