import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'

/** `costUsd`: of its runs that are kept. Null while it is active. */
export type PipelineRunState = { id: string; isActive: boolean; costUsd: number | null }

/** Of the pipeline runs that are kept, in no order. */
export const readPipelineStates = async (
  db: Database,
  org: string,
  ids: readonly string[],
): Promise<PipelineRunState[]> => (ids.length === 0 ? [] : db.once(org, states({ org, ids, ...idBounds(ids) })))

// A run of a step is younger than its pipeline run.
const states = statement<
  { org: Uuid; ids: readonly Uuid[]; firstId: Uuid | null; lastId: Uuid | null },
  PipelineRunState
>(
  'pipelines.run_states',
  sql`select r.id, h.is_active as "isActive",
          case when not h.is_active then (
            select sum(e.cost_usd)::float8 from pipeline_items i
              join run_results e on e.org_id = :org and e.run_id = i.run_id and e.run_id >= :firstId
             where i.org_id = :org and i.pipeline_run_id = r.id) end as "costUsd"
     from pipeline_runs r
     cross join lateral (
       select exists (select from pipeline_heads h where h.org_id = :org and h.pipeline_run_id = r.id) as is_active) h
    where r.org_id = :org and r.id = any (:ids::uuid[]) and r.id between :firstId and :lastId`,
)
