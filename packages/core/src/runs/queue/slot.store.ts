import type { Database } from '@ars/platform/db/database'
import { type NoParameters, sql, statement } from '@ars/platform/db/statement'
import type { Segment } from '../run/segment.ts'
import { admitStatement } from './admit.sql.ts'
import { sharesOf } from './queue.ts'

/** `contended`: a run lacks only a slot of the cell. `gated`: a run waits at the gate of an agent. */
export type Admission = { admitted: Segment[]; contended: boolean; gated: boolean }

// crosses organisations: the free slots of the cell are shared by all organisations whose runs wait.
export const admitRuns = async (
  db: Database,
  { limit, cellSlots }: { limit: number; cellSlots: number },
): Promise<Admission> => {
  const rows = await db.once(null, admitStatement({ limit, ...sharesOf(cellSlots) }))
  return {
    admitted: rows.flatMap(({ what, ...segment }) => (what === 'admitted' ? [segment] : [])),
    contended: rows.some(({ what }) => what === 'contended'),
    gated: rows.some(({ what }) => what === 'gated'),
  }
}

// crosses organisations: the slots of a cell are for all organisations together.
export const ensureCellSlots = async (db: Database, cellSlots: number): Promise<void> => {
  await db.once(null, ensure({ cellSlots }))
}

// crosses organisations: frees slots of all organisations whose run no longer exists. No commit leaves such a slot; this
// repairs changes that an operator made by hand.
export const freeLostSlots = async (db: Database): Promise<number> => {
  const [own] = await db.once(null, freeOwn())
  const [cell] = await db.once(null, freeCell())
  return (own?.freed ?? 0) + (cell?.freed ?? 0)
}

const ensure = statement<{ cellSlots: number }>(
  'slots.ensure',
  sql`insert into cell_slots (number) select generate_series(1, :cellSlots::integer) on conflict do nothing`,
)

// The run is compared again when the slot is freed, because another run may have taken the slot meanwhile.
const freeOwn = statement<NoParameters, { freed: number }>(
  'slots.free_own',
  sql`with lost as (
    select org_id, number, run_id from org_slots s
     where s.run_id is not null
       and not exists (select from run_heads h where h.run_id = s.run_id and h.slot = s.number)
  ), freed as (
    update org_slots s set run_id = null from lost
     where s.org_id = lost.org_id and s.number = lost.number and s.run_id = lost.run_id
    returning 1
  ) select count(*)::integer as freed from freed`,
)

const freeCell = statement<NoParameters, { freed: number }>(
  'slots.free_cell',
  sql`with lost as (
    select number, run_id from cell_slots s
     where s.run_id is not null
       and not exists (select from run_heads h where h.run_id = s.run_id and h.cell_slot = s.number)
  ), freed as (
    update cell_slots s set run_id = null from lost where s.number = lost.number and s.run_id = lost.run_id
    returning 1
  ) select count(*)::integer as freed from freed`,
)
