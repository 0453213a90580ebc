-- The house: one clock, organisations with their keys and agents, runs and their feed, and the locks that keep
-- organisations apart. Roles come from db/roles.sql, which a superuser runs once.

-- SQL knows one clock. It is the statement's own time, so it is the same wherever one statement asks, and an index on
-- a due time can use it. A test stack replaces this function by one with an offset; the server refuses to boot on such
-- a database unless it is told that it belongs to a test.
create function app_now() returns timestamptz language sql stable parallel safe
  return statement_timestamp();

create table organisations (
  id uuid primary key,
  name text not null,
  plan text not null default 'free' check (plan in ('demo', 'free', 'developer', 'business', 'enterprise')),
  created_at timestamptz not null default app_now()
);

create table api_keys (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  -- Only the SHA-256 is kept: whoever steals the database cannot call the API.
  hash bytea not null unique check (length(hash) = 32),
  prefix text not null,
  hint text not null,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default app_now()
);
create index api_keys_by_org on api_keys (org_id, id);

create table agents (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  description text,
  status text not null default 'active' check (status in ('active', 'archived')),
  kind text not null check (kind in ('llm', 'remote')),
  source text not null check (source in ('catalog', 'custom')),
  catalog_key text,
  version integer not null default 1,
  config jsonb not null,
  input_schema jsonb,
  output_schema jsonb,
  limits jsonb not null default '{}',
  policies text[] not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  archived_at timestamptz
);
create index agents_by_org on agents (org_id, id);

-- A run is three rows, so that nothing wide is ever updated: what was asked (runs, written once when accepted), what
-- moves (run_heads, narrow, there only while the run is active) and what came of it (run_results, written once at the
-- end). Deleting the head is the compare-and-set that ends a run: it can happen once.
-- Payloads are json, not jsonb: they come back as they were sent, to the last digit.
create table runs (
  id uuid primary key,
  org_id uuid not null,
  agent_id uuid not null,
  agent_version integer not null,
  input json not null,
  metadata jsonb not null default '{}',
  timeout_seconds integer not null,
  created_at timestamptz not null default app_now()
) partition by range (id);
create index runs_by_org on runs (org_id, id);

create table run_heads (
  run_id uuid primary key,
  org_id uuid not null,
  status text not null check (status in ('queued', 'running', 'requires_action', 'cancelling')),
  -- The fence: a re-submission raises the epoch, a claim raises the attempt, and whoever holds an older pair cannot write.
  epoch integer not null default 1,
  segment integer not null default 1,
  attempt integer not null default 0,
  -- Steps stored so far, and how often the next one was claimed without a result.
  step integer not null default 0,
  claims integer not null default 0,
  -- The last number of the run's feed. It is taken under this row's lock, which is why the feed has no gaps.
  seq integer not null default 1,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  progress_at timestamptz not null,
  deadline_at timestamptz not null
) with (fillfactor = 60);
create index run_heads_by_deadline on run_heads (deadline_at);

create table run_results (
  run_id uuid primary key,
  org_id uuid not null,
  status text not null check (status in ('completed', 'failed', 'cancelled')),
  output json,
  error json,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd numeric,
  started_at timestamptz,
  finished_at timestamptz not null,
  check ((status = 'failed') = (error is not null))
) partition by range (run_id);

create table run_steps (
  run_id uuid not null,
  step integer not null,
  org_id uuid not null,
  epoch integer not null,
  attempt integer not null,
  output json,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz not null default app_now(),
  primary key (run_id, step)
) partition by range (run_id);

create table run_events (
  run_id uuid not null,
  seq integer not null,
  org_id uuid not null,
  type text not null,
  data json,
  created_at timestamptz not null default app_now(),
  primary key (run_id, seq)
) partition by range (run_id);

-- What the outside is told of: committed with its cause. The payload is the subject itself, which no longer changes.
create table events (
  id uuid primary key,
  org_id uuid not null,
  type text not null,
  subject_id uuid not null,
  created_at timestamptz not null default app_now()
) partition by range (id);
create index events_by_org on events (org_id, id);

-- A segment that the engine must be told of. The segment's first claim deletes the row, not its sender.
create table outbox (
  run_id uuid not null,
  epoch integer not null,
  segment integer not null,
  org_id uuid not null,
  step integer not null,
  created_at timestamptz not null default app_now(),
  due_at timestamptz not null,
  sends integer not null default 0,
  primary key (run_id, epoch, segment)
);
create index outbox_by_due on outbox (due_at);

create table idempotency_keys (
  org_id uuid not null,
  thing text not null,
  key text not null,
  fingerprint bytea not null,
  subject_id uuid not null,
  expires_at timestamptz not null,
  primary key (org_id, thing, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Calls of a month, cut into slots, so that the callers of one organisation do not stand in line for one row.
create table call_counts (
  org_id uuid not null,
  month date not null,
  slot smallint not null,
  calls bigint not null,
  primary key (org_id, month, slot)
) with (fillfactor = 50);

-- The first id of a moment: a UUIDv7 begins with its milliseconds.
create function uuid_floor(moment timestamptz) returns uuid language sql immutable parallel safe
  return (rpad(lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0'), 32, '0'))::uuid;

-- Day partitions, made ahead of time. It belongs to the owner and runs with the owner's rights, because the roles that
-- the service runs as may create nothing; it takes no text from its caller.
create function ensure_partitions(ahead integer) returns integer language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  parent text;
  day timestamptz;
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7305242);
  foreach parent in array array['runs', 'run_results', 'run_steps', 'run_events', 'events'] loop
    for offset_days in -1 .. least(ahead, 60) loop
      day := (date_trunc('day', app_now() at time zone 'utc') + make_interval(days => offset_days)) at time zone 'utc';
      partition := format('%s_p%s', parent, to_char(day at time zone 'utc', 'YYYYMMDD'));
      if to_regclass(partition) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          partition, parent, uuid_floor(day), uuid_floor(day + interval '1 day'));
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;
revoke all on function ensure_partitions(integer) from public;
grant execute on function ensure_partitions(integer) to ars_system;

-- Second lock: whatever a query forgets, a row of another organisation is not there. FORCE holds the owner to it too.
do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['api_keys', 'agents', 'runs', 'run_heads', 'run_results', 'run_steps',
      'run_events', 'events', 'outbox', 'idempotency_keys', 'call_counts'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

alter table organisations enable row level security;
alter table organisations force row level security;
create policy own_organisation on organisations
  using (id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (id = nullif(current_setting('app.org_id', true), '')::uuid);

-- A key is looked for before its organisation is known.
create policy find_by_hash on api_keys for select to ars_auth using (true);
create policy find_by_key on organisations for select to ars_auth using (true);

-- Grants are on the parents only: a partition that is read directly would pass by its parent's policy.
grant usage on schema public to ars_app, ars_auth, ars_system;
grant select on organisations, api_keys to ars_auth;
grant select, insert, update on organisations, api_keys, agents to ars_app;
grant select, insert on runs, run_results, run_steps, run_events, events to ars_app;
grant select, insert, update, delete on run_heads, outbox, idempotency_keys, call_counts to ars_app;
grant select, insert, update, delete on organisations, api_keys, agents, runs, run_heads, run_results, run_steps,
  run_events, events, outbox, idempotency_keys, call_counts to ars_system;
grant select on migrations to ars_app, ars_auth, ars_system;

select ensure_partitions(14);
