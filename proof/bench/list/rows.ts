import pg from 'pg'

/** Runs as an installation of some age has them: most have ended, some carry labels, and organisations share tables. */
export type ListRows = {
  /** The organisation that is looked at. It owns three runs of five; the rest is spread over a hundred others. */
  organisation: string
  /** Its agents: the first has one run of a thousand, the second the others. */
  agents: readonly [rare: string, busy: string]
  rows: number
  days: number
}

/** One run in this many has failed, is labelled with its customer, belongs to the customer with few runs, is still active. */
const shares = {
  failed: 47,
  labelled: 7,
  rareCustomer: 2003,
  rareAgent: 1009,
  active: 499,
  rare: 997,
  rareError: 7,
} as const

/** The labels that `GET /runs?metadata[customer]=…` is asked for. */
export const customers = { busy: 'busy', rare: 'rare' } as const

/** One run of a thousand has the rare creator, deployment and parent; one failed run of seven has the rare error code. */
export const creators = {
  busy: '44444444-4444-7444-8444-444444444441',
  rare: '44444444-4444-7444-8444-444444444442',
} as const
export const deployments = {
  busy: '55555555-5555-7555-8555-555555555551',
  rare: '55555555-5555-7555-8555-555555555552',
} as const
export const parentRun = '66666666-6666-7666-8666-666666666661'

/**
 * Writes runs straight into the tables, a day at a time, the last one today up to this moment. As superuser, because no
 * role of the service may write for several organisations, and because the partitions of the past must be made.
 */
export const fillRuns = async (
  superuserUrl: string,
  options: ListRows,
  tell: (words: string) => void,
): Promise<void> => {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    await client.query('set synchronous_commit = off')
    const perDay = Math.ceil(options.rows / options.days)
    for (let daysAgo = options.days - 1; daysAgo >= 0; daysAgo--) {
      await client.query(makePartitions(daysAgo))
      await client.query(fillDay, [options.organisation, options.agents[0], options.agents[1], perDay, daysAgo])
      if (daysAgo % 5 === 0) tell(`${((options.days - daysAgo) * perDay).toLocaleString('en')} runs written`)
    }
    // Also tells which pages hold nothing dead, as it would be found on a server that has been up for a while.
    for (const table of ['runs', 'run_results', 'run_labels', 'run_heads'])
      await client.query(`vacuum analyze ${table}`)
  } finally {
    await client.end()
  }
}

const makePartitions = (daysAgo: number): string => `do $$
  declare
    parent text;
    day timestamptz := (date_trunc('day', app_now() at time zone 'utc') - make_interval(days => ${daysAgo})) at time zone 'utc';
  begin
    set local role ars_owner;
    foreach parent in array array['runs', 'run_results', 'run_labels', 'run_actions'] loop
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        format('%s_p%s', parent, to_char(day at time zone 'utc', 'YYYYMMDD')), parent,
        uuid_floor(day), uuid_floor(day + interval '1 day'));
    end loop;
  end $$`

// Only runs of today can be active: those of older days have ended.
const fillDay = `with day as (
    select begins_at, least(begins_at + interval '1 day', app_now()) as ends_at
      from (select (date_trunc('day', app_now() at time zone 'utc') - make_interval(days => $5::integer))
                     at time zone 'utc' as begins_at) today
  ), made as materialized (
    select n, created_at,
           (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
             || '8' || substr(md5($5::text || '/' || n), 1, 15))::uuid as id,
           case when n % 5 < 3 then $1::uuid else md5('organisation ' || n % 100)::uuid end as org_id,
           case when n % ${shares.rareAgent} = 0 then $2::uuid else $3::uuid end as agent_id,
           case when n % ${shares.rareCustomer} = 0 then '${customers.rare}'
                when n % ${shares.labelled} = 0 then '${customers.busy}' end as customer,
           n % ${shares.rare} = 0 as is_rare,
           $5 = 0 and n % ${shares.active} = 0 as is_active
      from generate_series(1, $4::integer) n
      cross join lateral (select begins_at + (ends_at - begins_at) * ((n - 0.5) / $4) as created_at from day) at_time
  ), run as (
    insert into runs (input_bytes, id, org_id, agent_id, agent_version, input, metadata, timeout_seconds, created_at, created_by,
           created_by_type, deployment_id, parent_run_id)
    select 2, id, org_id, agent_id, 1, json_build_object('query', 'Which of our suppliers can deliver ' || n || ' units?'),
           case when customer is null then '{}' else jsonb_build_object('customer', customer) end, 600, created_at,
           case when is_rare then '${creators.rare}' else '${creators.busy}' end::uuid, 'key',
           case when is_rare then '${deployments.rare}' else '${deployments.busy}' end::uuid,
           case when is_rare then '${parentRun}'::uuid end
      from made
  ), head as (
    insert into run_heads (run_id, org_id, agent_id, status, created_at, started_at, progress_at, deadline_at)
    select id, org_id, agent_id, 'running', created_at, created_at, created_at, app_now() + interval '1 day'
      from made where is_active
  ), result as (
    insert into run_results (last_seq, stored_bytes, run_id, org_id, agent_id, status, output, error, input_tokens, output_tokens, cost_usd,
           started_at, finished_at)
    select 1, 0, id, org_id, agent_id, case when failed then 'failed' else 'completed' end,
           case when not failed then json_build_object('result', 'Three of them can deliver ' || n || ' units in time.') end,
           case when failed then json_build_object('message', 'The provider is away', 'retryable', true, 'details', null,
             'code', case when n % ${shares.rareError} = 0 then 'tool_error' else 'model_error' end) end,
           40, 12, 0.0001, created_at, created_at + interval '2 seconds'
      from (select id, org_id, agent_id, n, created_at, n % ${shares.failed} = 1 as failed from made where not is_active) ended
  )
  insert into run_labels (org_id, key, value, run_id)
  select org_id, 'customer', customer, id from made where customer is not null`
