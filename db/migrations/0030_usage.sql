-- Figures of ended runs and deliveries, counted once by a sweep that follows the positions of events.

-- The position of the last end that is counted.
create table usage_cursor (
  is_single boolean primary key default true check (is_single),
  position bigint not null
);
insert into usage_cursor (position) values (0);
grant select, update on usage_cursor to ars_system;
-- `as_of` in answers to customers.
grant select on usage_cursor to ars_app;

-- Figures that are not those of an ended run. The sweep adds them to their buckets and deletes them.
create table usage_notes (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  at timestamptz not null default app_now(),
  deliveries_succeeded integer not null default 0,
  deliveries_failed integer not null default 0,
  guardrail_blocks integer not null default 0
);
create index usage_notes_by_time on usage_notes (at);

-- The bucket of an end is that of `finished_at`. A scope `total` has the figures of the organisation; `agent`, `key` and
-- `detail` (agent, version and API key) have their own rows. A zero id stands for "all" or, as a key, for "no key".
create table usage_buckets (
  org_id uuid not null,
  width text not null check (width in ('minute', 'quarter', 'hour', 'day')),
  scope text not null check (scope in ('total', 'agent', 'key', 'detail')),
  bucket timestamptz not null,
  agent_id uuid not null,
  agent_version integer not null,
  api_key_id uuid not null,
  completed bigint not null default 0,
  failed bigint not null default 0,
  cancelled bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cost_usd numeric not null default 0,
  unpriced_runs bigint not null default 0,
  latency_ms numeric not null default 0,
  guardrail_blocks bigint not null default 0,
  deliveries_succeeded bigint not null default 0,
  deliveries_failed bigint not null default 0,
  -- Runs by error code, and by the index of their latency and of their time in the queue (`histogram.ts`).
  errors jsonb not null default '{}',
  latency jsonb not null default '{}',
  queue jsonb not null default '{}',
  primary key (org_id, width, scope, bucket, agent_id, agent_version, api_key_id)
) with (fillfactor = 70);
create index usage_buckets_by_age on usage_buckets (width, bucket);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['usage_notes', 'usage_buckets'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', tenant_table);
  end loop;
end $$;
grant select on usage_buckets to ars_app;
grant select, insert on usage_notes to ars_app;
grant select, insert, update, delete on usage_notes, usage_buckets to ars_system;

-- How often each value occurs.
create function counts_of(given text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(value, n), '{}')
    from (select value, count(*) as n from unnest(given) as value where value is not null group by value) counted
$$;

create function add_counts(one jsonb, other jsonb) returns jsonb language sql immutable strict parallel safe as $$
  select case when one = '{}' then other when other = '{}' then one else (
    select jsonb_object_agg(key, n) from (
      select key, sum(value::bigint) as n
        from (select key, value from jsonb_each_text(one) union all select key, value from jsonb_each_text(other)) parts
       group by key
    ) sums) end
$$;
