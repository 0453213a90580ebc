import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { PipelineItemRow } from './item.ts'

export type ItemPage = { id: string; step: string; after: number | null; before: number | null; limit: number }

/** In the order of the items. With `before` the order is reversed, and the caller reverses it again. */
export const listItemRows = (db: Database, org: string, page: ItemPage): Promise<PipelineItemRow[]> => {
  const { id, step, after, before, limit } = page
  return db.once(
    org,
    before === null ? itemsAfter({ org, id, step, after, limit }) : itemsBefore({ org, id, step, before, limit }),
  )
}

type Step = { org: Uuid; id: Uuid; step: string; limit: number }

const columns = `i.item, i.attempt, i.state, i.code, i.message, i.due_at, i.run_id, i.outcome, i.closed_at, r.status as run_status,
             coalesce(r.error_code, r.error ->> 'code') as run_code, r.error ->> 'message' as run_message, r.finished_at`

const resultOfRun = `left join lateral (
          select status, error_code, error, finished_at from run_results where org_id = :org and run_id = i.run_id
          offset 0 -- Keeps this a lookup for each item.
        ) r on true`

const itemsAfter = statement<Step & { after: number | null }, PipelineItemRow>(
  'pipelines.items_after',
  sql`select ${columns}
        from (select distinct on (item) item, attempt, state, code, message, due_at, run_id, outcome, closed_at
                from pipeline_items
               where org_id = :org and pipeline_run_id = :id and step = :step and item > coalesce(:after::integer, -1)
               order by item, attempt desc limit :limit) i
        ${resultOfRun} order by i.item`,
)

const itemsBefore = statement<Step & { before: number }, PipelineItemRow>(
  'pipelines.items_before',
  sql`select ${columns}
        from (select distinct on (item) item, attempt, state, code, message, due_at, run_id, outcome, closed_at
                from pipeline_items
               where org_id = :org and pipeline_run_id = :id and step = :step and item < :before::integer
               order by item desc, attempt desc limit :limit) i
        ${resultOfRun} order by i.item desc`,
)
