import { noId } from './bucket-key.ts'

/**
 * The index of a time in a histogram (`histogram.ts`). A time below one millisecond counts as one. The logarithm of a numeric
 * takes a hundred times as long as that of a double.
 */
const indexOfMs = (ms: string): string =>
  `ceil(ln(greatest(${ms}, 1)::double precision) / ln(1.02::double precision))::integer::text`

/** Events of runs that ended. The test of an endpoint has such a type too, and no run. */
export const isEnd = `webhook_id is null and type in ('run.completed', 'run.failed', 'run.cancelled')`

const nobody = `'${noId}'::uuid`

/** Which rows a run is added to. Only minutes and quarters tell versions and API keys apart. */
const places = `(values ('minute', 'total'), ('minute', 'agent'), ('minute', 'detail'),
       ('quarter', 'total'), ('quarter', 'agent'), ('quarter', 'detail'),
       ('hour', 'total'), ('hour', 'agent'), ('day', 'total'), ('day', 'agent'), ('day', 'key')) as place (width, scope)`

const bucketOf = (at: string): string => `case place.width when 'quarter' then date_bin('15 minutes', ${at}, 'epoch')
         else date_trunc(place.width, ${at}, 'utc') end`

const keyColumns = 'org_id, width, scope, bucket, agent_id, agent_version, api_key_id'

/** Of many organisations most rows get one run at a time, and a call of a function takes longer than the rest of the row. */
const countsOf = (value: string, condition: string): string =>
  `case count(*) filter (where ${condition}) when 0 then '{}' when 1 then jsonb_build_object(min(${value}) filter (where ${condition}), 1)
             else counts_of(array_agg(${value}) filter (where ${condition})) end`

/**
 * Adds the runs of a CTE `ended` (subject_id, org_id) to their buckets. The API key is the first key of a rotated pair; a
 * person has none. The latency leaves out the time that people were waited for. It is materialized, because each run is added to
 * eleven rows, and its indexes are computed once. `is true` keeps the organisation
 * out of the choice of an index: on a new day another index than that of the id looks as good, and passes all runs of the day.
 */
export const addEndedRuns = `counted as materialized (
    select org_id, agent_id, agent_version, api_key_id, status, error_code, input_tokens, output_tokens, cached_tokens, cost_usd,
           finished_at, latency_ms, queue_ms, ${indexOfMs('latency_ms')} as latency_index, ${indexOfMs('queue_ms')} as queue_index from (
    select e.org_id, r.agent_id, r.agent_version, coalesce(k.bucket_id, k.id, ${nobody}) as api_key_id, x.status, x.error_code,
           x.input_tokens, x.output_tokens, x.cached_tokens, x.cost_usd, x.finished_at,
           greatest(0, extract(epoch from x.finished_at - r.created_at) * 1000 - x.waiting_ms) as latency_ms,
           -- A run that ended in the queue has no value: greatest() would return 0 for null.
           case when x.started_at is not null then greatest(0, extract(epoch from x.started_at - r.created_at) * 1000) end as queue_ms
      from ended e
     cross join lateral (
       select r.agent_id, r.agent_version, r.created_by, r.created_by_type, r.created_at
         from runs r where r.id = e.subject_id and (r.org_id = e.org_id) is true limit 1
     ) r
     cross join lateral (
       select x.status, x.error_code, x.input_tokens, x.output_tokens, x.cached_tokens, x.cost_usd, x.waiting_ms, x.started_at,
              x.finished_at
         from run_results x where x.run_id = e.subject_id and (x.org_id = e.org_id) is true limit 1
     ) x
      left join api_keys k on r.created_by_type = 'key' and k.id = r.created_by and k.org_id = e.org_id
    ) found
  ), added as (
    insert into usage_buckets as u (${keyColumns}, completed, failed, cancelled, input_tokens, output_tokens, cached_tokens,
           cost_usd, unpriced_runs, latency_ms, guardrail_blocks, errors, latency, queue)
    select c.org_id, place.width, place.scope, ${bucketOf('c.finished_at')} as bucket,
           case when place.scope in ('agent', 'detail') then c.agent_id else ${nobody} end,
           case when place.scope = 'detail' then c.agent_version else 0 end,
           case when place.scope in ('key', 'detail') then c.api_key_id else ${nobody} end,
           count(*) filter (where c.status = 'completed'), count(*) filter (where c.status = 'failed'),
           count(*) filter (where c.status = 'cancelled'), sum(c.input_tokens), sum(c.output_tokens), sum(c.cached_tokens),
           coalesce(sum(c.cost_usd), 0), count(*) filter (where c.cost_usd is null),
           round(coalesce(sum(c.latency_ms) filter (where c.status <> 'cancelled'), 0), 3),
           count(*) filter (where c.error_code = 'guardrail_blocked'), ${countsOf('c.error_code', 'c.error_code is not null')},
           ${countsOf('c.latency_index', "c.status <> 'cancelled'")}, ${countsOf('c.queue_index', 'c.queue_ms is not null')}
      from counted c cross join ${places}
     group by 1, 2, 3, 4, 5, 6, 7
    on conflict (${keyColumns}) do update
       set completed = u.completed + excluded.completed, failed = u.failed + excluded.failed,
           cancelled = u.cancelled + excluded.cancelled, input_tokens = u.input_tokens + excluded.input_tokens,
           output_tokens = u.output_tokens + excluded.output_tokens, cached_tokens = u.cached_tokens + excluded.cached_tokens,
           cost_usd = u.cost_usd + excluded.cost_usd, unpriced_runs = u.unpriced_runs + excluded.unpriced_runs,
           latency_ms = u.latency_ms + excluded.latency_ms, guardrail_blocks = u.guardrail_blocks + excluded.guardrail_blocks,
           errors = case when excluded.errors = '{}' then u.errors else add_counts(u.errors, excluded.errors) end, latency = add_counts(u.latency, excluded.latency),
           queue = add_counts(u.queue, excluded.queue)
  )`

/** Adds the notes of a CTE `noted` to the rows of their organisations. */
export const addNotes = `added as (
    insert into usage_buckets as u (${keyColumns}, deliveries_succeeded, deliveries_failed, guardrail_blocks)
    select n.org_id, place.width, place.scope, ${bucketOf('n.at')} as bucket, ${nobody}, 0, ${nobody},
           sum(n.deliveries_succeeded), sum(n.deliveries_failed), sum(n.guardrail_blocks)
      from noted n cross join ${places}
     where place.scope = 'total' group by 1, 2, 3, 4
    on conflict (${keyColumns}) do update
       set deliveries_succeeded = u.deliveries_succeeded + excluded.deliveries_succeeded,
           deliveries_failed = u.deliveries_failed + excluded.deliveries_failed,
           guardrail_blocks = u.guardrail_blocks + excluded.guardrail_blocks
  )`
