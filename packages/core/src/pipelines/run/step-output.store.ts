import type { Database } from '@ars/platform/db/database'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { pipelineLimits } from '../definition.ts'
import type { PipelineStepOutcome } from '../pipeline-state.ts'
import type { SettledResult } from './step-scope.ts'

/** The results of those of these steps that are settled. Outputs are not copied: they are those of the runs. */
export const readStepResults = async (
  db: Database,
  org: string,
  { id, keys }: { id: string; keys: readonly string[] },
): Promise<Map<string, SettledResult>> => {
  const found = new Map<string, SettledResult>()
  if (keys.length === 0) return found
  const maxBytes = pipelineLimits.scopeBytes
  for (const { key, outcome, items, item, output } of await db.once(org, results({ org, id, keys, maxBytes }))) {
    const step = found.get(key) ?? { status: outcome, items, outputs: new Map<number, string>() }
    const { outputs } = step
    if (item !== null && output === null) found.set(key, { ...step, outputs: 'too_large' })
    else {
      if (item !== null && outputs instanceof Map) outputs.set(item, output)
      found.set(key, step)
    }
  }
  return found
}

/** Elements of the list of a step with `for_each`, as JSON. */
export const readListItems = async (
  db: Database,
  org: string,
  { id, step, items }: { id: string; step: string; items: readonly number[] },
): Promise<Map<number, string>> => {
  const rows = await db.once(org, listItems({ org, id, step, items }))
  return new Map(rows.map(({ item, value }) => [item, value]))
}

const results = statement<
  { org: Uuid; id: Uuid; keys: readonly string[]; maxBytes: number },
  { key: string; outcome: PipelineStepOutcome; items: number; item: number | null; output: string | null }
>(
  'pipelines.step_results',
  sql`select key, outcome, items, item, case when sum(bytes) over (partition by key) <= :maxBytes::integer then output::text end as output
        from (
          select s.key, s.outcome, s.items, i.item, coalesce(r.output, p.output) as output, coalesce(r.bytes, p.bytes) as bytes
            from pipeline_steps s
            left join pipeline_items i on i.org_id = :org and i.pipeline_run_id = :id and i.step = s.key and i.outcome = 'completed'
            left join lateral (
              select coalesce(output, 'null') as output, coalesce(output_bytes, octet_length(output::text), 4) as bytes
                from run_results where org_id = :org and run_id = i.run_id
              offset 0 -- Keeps this a lookup for each item.
            ) r on true
            left join lateral (
              select json_build_object('payload', i.payload, 'comment', i.comment) as output,
                     coalesce(octet_length(i.payload::text), 4) + coalesce(octet_length(i.comment), 4) + 32 as bytes
            ) p on i.run_id is null
           where s.org_id = :org and s.pipeline_run_id = :id and s.key = any (:keys::text[]) and s.outcome is not null
        ) found`,
)

const listItems = statement<
  { org: Uuid; id: Uuid; step: string; items: readonly number[] },
  { item: number; value: string }
>(
  'pipelines.list_items',
  sql`select (e.at - 1)::integer as item, e.value::text as value
        from pipeline_steps s cross join json_array_elements(s.list) with ordinality as e (value, at)
       where s.org_id = :org and s.pipeline_run_id = :id and s.key = :step and e.at - 1 = any (:items::integer[])`,
)
