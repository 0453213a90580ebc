import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'

/** `costUsd` is null while the run is active, and if the cost is unknown. */
export type RunState = { id: string; isActive: boolean; costUsd: number | null }

/** Of the runs that are kept, in no order. */
export const readRunStates = async (db: Database, org: string, ids: readonly string[]): Promise<RunState[]> =>
  ids.length === 0 ? [] : db.once(org, states({ org, ids, ...idBounds(ids) }))

const states = statement<{ org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null }, RunState>(
  'runs.states',
  sql`select u.id, e.run_id is null as "isActive", e.cost_usd::float8 as "costUsd"
     from unnest(:ids::uuid[]) as u (id)
     left join lateral (
       select e.run_id, e.cost_usd from run_results e
        where e.org_id = :org and e.run_id = u.id and e.run_id between :firstId and :lastId limit 1) e on true
     left join lateral (select h.run_id from run_heads h where h.org_id = :org and h.run_id = u.id limit 1) h on true
    where e.run_id is not null or h.run_id is not null`,
)
