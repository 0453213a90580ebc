import { waitFor } from '../../lab/condition.ts'
import type { Sql } from '../../lab/stack/sql.ts'

const maxCountMs = 60_000

/**
 * C8: the figures of usage are those of the ended runs, whatever was killed. They are compared for each agent, version and
 * API key by quarter of an hour, and for each organisation by day.
 */
export const checkFigures = async ({ query }: Pick<Sql, 'query'>): Promise<string[]> => {
  let lines = ['not every end was counted within a minute']
  // A customer of another scenario may end a run between the two questions, so a difference counts if it stays.
  const isEqual = async (): Promise<boolean> => {
    const [row] = await query<{ is_counted: boolean }>(counted)
    if (!row?.is_counted) return false
    lines = (await query<{ line: string }>(differences)).map(({ line }) => line)
    return lines.length === 0
  }
  await waitFor('the figures to be those of the runs', isEqual, { timeoutMs: maxCountMs }).catch(() => undefined)
  return lines
}

const ends = `('run.completed', 'run.failed', 'run.cancelled')`

const counted = `select not exists (
    select from events, usage_cursor c where webhook_id is null and type in ${ends} and (events.position is null or events.position > c.position)
  ) as is_counted`

const sums = (from: string): string => `count(*) filter (where ${from}.status = 'completed') as completed,
    count(*) filter (where ${from}.status = 'failed') as failed, count(*) filter (where ${from}.status = 'cancelled') as cancelled,
    sum(${from}.input_tokens)::bigint as input_tokens, sum(${from}.output_tokens)::bigint as output_tokens,
    coalesce(sum(${from}.cost_usd), 0) as cost_usd, count(*) filter (where ${from}.status <> 'cancelled') as timed`

const stored = `completed, failed, cancelled, input_tokens, output_tokens, cost_usd,
    (select coalesce(sum(value::bigint), 0)::bigint from jsonb_each_text(latency)) as timed`

const differences = `with ended as (
    select x.org_id, x.status, x.input_tokens, x.output_tokens, x.cost_usd, x.finished_at, r.agent_id, r.agent_version,
           coalesce(k.bucket_id, k.id, '00000000-0000-0000-0000-000000000000') as api_key_id
      from run_results x join runs r on r.id = x.run_id
      left join api_keys k on r.created_by_type = 'key' and k.id = r.created_by
  ), truth as (
    select 'quarter' as width, org_id, date_bin('15 minutes', finished_at, 'epoch') as bucket, agent_id, agent_version, api_key_id,
           ${sums('ended')} from ended group by 2, 3, 4, 5, 6
    union all
    select 'day', org_id, date_trunc('day', finished_at, 'utc'), null, null, null, ${sums('ended')} from ended group by 2, 3
  ), figures as (
    select 'quarter' as width, org_id, bucket, agent_id, agent_version, api_key_id, ${stored}
      from usage_buckets where width = 'quarter' and scope = 'detail'
    union all
    select 'day', org_id, bucket, null, null, null, ${stored}
      from usage_buckets where width = 'day' and scope = 'total' and completed + failed + cancelled > 0
  ), wrong as (
    (select 'a count of the runs has' as has, t.* from (table truth except table figures) t)
    union all
    (select 'the figures have', f.* from (table figures except table truth) f)
  )
  select row_to_json(wrong)::text as line from wrong order by line limit 20`
