import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import type { JsonValue } from '../definition.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'

/** What a settled step gave: the outputs of its completed items, by their numbers. */
export type SettledResult = {
  status: PipelineStepOutcome
  items: number
  outputs: ReadonlyMap<number, JsonValue>
}

/** The results of those of these steps that are settled. Outputs are not copied: they are those of the runs. */
export const readStepResults = async (
  db: Database,
  org: string,
  { id, keys }: { id: string; keys: readonly string[] },
): Promise<Map<string, SettledResult>> => {
  const found = new Map<string, SettledResult & { outputs: Map<number, JsonValue> }>()
  if (keys.length === 0) return found
  for (const { key, outcome, items, item, output } of await db.once(org, results({ org, id, keys }))) {
    const step = found.get(key) ?? { status: outcome, items, outputs: new Map() }
    if (item !== null) step.outputs.set(item, output)
    found.set(key, step)
  }
  return found
}

/** Elements of the list of a step with `for_each`. */
export const readListItems = async (
  db: Database,
  org: string,
  { id, step, items }: { id: string; step: string; items: readonly number[] },
): Promise<Map<number, JsonValue>> => {
  const rows = await db.once(org, listItems({ org, id, step, items }))
  return new Map(rows.map(({ item, value }) => [item, value]))
}

const results = statement<
  { org: Uuid; id: Uuid; keys: readonly string[] },
  { key: string; outcome: PipelineStepOutcome; items: number; item: number | null; output: JsonValue }
>(
  'pipelines.step_results',
  sql`select s.key, s.outcome, s.items, i.item,
             case when i.run_id is null then json_build_object('payload', i.payload, 'comment', i.comment) else r.output end as output
        from pipeline_steps s
        left join pipeline_items i on i.org_id = :org and i.pipeline_run_id = :id and i.step = s.key and i.outcome = 'completed'
        left join lateral (
          select output from run_results where org_id = :org and run_id = i.run_id
          offset 0 -- Keeps this a lookup for each item.
        ) r on true
       where s.org_id = :org and s.pipeline_run_id = :id and s.key = any (:keys::text[]) and s.outcome is not null`,
)

const listItems = statement<
  { org: Uuid; id: Uuid; step: string; items: readonly number[] },
  { item: number; value: JsonValue }
>(
  'pipelines.list_items',
  sql`select n.item, s.list -> n.item as value
        from pipeline_steps s cross join unnest(:items::integer[]) as n (item)
       where s.org_id = :org and s.pipeline_run_id = :id and s.key = :step`,
)
