-- Runs in full: slots and a fair queue, waiting for a person, messages, tool calls, streamed output, lists with filters.
-- All of it is added beside what the previous release knows.

-- How many runs of an organisation may be under way at once. The plan says it; an operator may set another number.
alter table organisations add column concurrent_runs integer not null default 5
  check (concurrent_runs between 1 and 10000);

-- A run starts only with a slot of its organisation and one of the cell. Slots are rows, so that they are taken with
-- `skip locked` and nobody stands in line for one counter; the run that holds one is written into it by the same
-- commit that moves the run, so no crash can leak it. A head remembers the numbers of its two slots.
create table org_slots (
  org_id uuid not null,
  number integer not null,
  run_id uuid,
  primary key (org_id, number)
) with (fillfactor = 50);

create table cell_slots (
  number integer primary key,
  run_id uuid
) with (fillfactor = 50);

-- While runs wait for a slot of the cell, newcomers join the queue instead of passing by it.
create table cell (
  only_row boolean primary key default true check (only_row),
  contended boolean not null default false
);
insert into cell default values;

create function make_org_slots() returns trigger language plpgsql as $$
begin
  insert into org_slots (org_id, number) select new.id, generate_series(1, new.concurrent_runs) on conflict do nothing;
  return null;
end $$;
create trigger organisations_have_slots after insert or update of concurrent_runs on organisations
  for each row execute function make_org_slots();

-- The owner is held to row-level security too; for this one statement it must see all organisations. The trigger makes
-- their slots.
alter table organisations no force row level security;
update organisations set concurrent_runs = case plan
  when 'demo' then 2 when 'free' then 5 when 'developer' then 50 else 500 end;
alter table organisations force row level security;

-- A remote agent's signing secret and the credential that it is called with, sealed with the organisation's data key and
-- bound to the agent and its address. Null for agents of other kinds.
alter table agents add column secrets bytea;

alter table runs
  add column deployment_id uuid,
  add column parent_run_id uuid,
  add column pipeline_run_id uuid,
  add column erased_at timestamptz;
create index runs_by_agent on runs (org_id, agent_id, id);
create index runs_by_pipeline_run on runs (org_id, pipeline_run_id, id) where pipeline_run_id is not null;

alter table run_heads
  add column agent_id uuid,
  add column slot integer,
  add column cell_slot integer,
  -- The place in the queue for a slot: 0 for a run that was resumed, 1 for a new one, null for one that does not wait.
  add column rank smallint,
  add column cost_usd numeric default 0,
  add column messages integer not null default 0,
  add column actions integer not null default 0,
  add column waiting_ms bigint not null default 0,
  -- While a person is asked the run's own clock stands still: since when, and how much of it was left.
  add column waiting_since timestamptz,
  add column remaining_ms bigint,
  -- For the diagnosis: a worker that waits before it tries a provider again says until when, and why.
  add column retry_at timestamptz,
  add column note text;
-- For lists, and for them alone: the condition, which is always true, keeps it out of the statements of the run path. They
-- name their runs, and must not walk through all that a busy organisation has under way.
create index run_heads_by_org on run_heads (org_id, run_id) where created_at > '-infinity';
create index run_heads_by_rank on run_heads (org_id, rank, run_id) where rank is not null;

alter table run_results
  add column agent_id uuid,
  add column waiting_ms bigint not null default 0,
  add column last_seq integer;
-- With the agent in it, a list by status and agent reads the index alone.
create index run_results_by_status on run_results (org_id, status, run_id) include (agent_id);

-- What a filter on metadata looks into: text can be compared by an index below row-level security, jsonb cannot.
create table run_labels (
  org_id uuid not null,
  key text not null,
  value text not null,
  run_id uuid not null,
  primary key (org_id, key, value, run_id)
) partition by range (run_id);

alter table run_steps
  add column kind text not null default 'model' check (kind in ('model', 'tools', 'remote')),
  add column cost_usd numeric,
  -- How many of the run's messages the step had read.
  add column messages_read integer not null default 0;

create table run_tool_calls (
  run_id uuid not null,
  step integer not null,
  ordinal integer not null,
  org_id uuid not null,
  name text not null,
  connector_id uuid,
  arguments json not null,
  -- A call that was sent and has no result after a crash is sent again only when this is true.
  repeatable boolean not null,
  status text not null default 'started' check (status in ('started', 'completed', 'failed')),
  result json,
  started_at timestamptz not null default app_now(),
  finished_at timestamptz,
  primary key (run_id, step, ordinal)
) partition by range (run_id);

create table run_actions (
  run_id uuid not null,
  id uuid not null,
  org_id uuid not null,
  type text not null check (type in ('approval', 'input', 'reconcile')),
  step integer not null,
  ordinal integer not null,
  message text not null,
  tool_call json,
  response_schema json,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  resolution text check (resolution in ('approve', 'reject', 'respond')),
  payload json,
  comment text,
  resolved_by uuid,
  resolved_at timestamptz,
  primary key (run_id, id),
  check ((resolution is null) = (resolved_at is null))
) partition by range (run_id);

create table run_messages (
  run_id uuid not null,
  number integer not null,
  org_id uuid not null,
  message json not null,
  sent_by uuid not null,
  created_at timestamptz not null default app_now(),
  primary key (run_id, number)
) partition by range (run_id);

-- The streamed output, beside the other events and numbered with them. It is kept for a day after the end; then its
-- partition goes, and a snapshot stands in.
create table run_deltas (
  run_id uuid not null,
  seq integer not null,
  org_id uuid not null,
  data json not null,
  created_at timestamptz not null default app_now(),
  primary key (run_id, seq)
) partition by range (run_id);

create or replace function ensure_partitions(ahead integer) returns integer language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  parent text;
  day timestamptz;
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7305242);
  foreach parent in array array['runs', 'run_results', 'run_steps', 'run_events', 'events', 'run_labels',
      'run_tool_calls', 'run_actions', 'run_messages', 'run_deltas'] loop
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

-- Drops one day of one table. Which days may go is decided by whoever asks, because the owner sees no tenant's rows;
-- here it is only made sure that nothing but a past day partition can be named. Whoever reads the table holds it up;
-- it gives up soon, so that those who come meanwhile do not stand in line behind it, and is tried again.
create function drop_partition(parent text, day date) returns boolean language plpgsql security definer
  set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  partition text := format('%s_p%s', parent, to_char(day, 'YYYYMMDD'));
begin
  if day >= (app_now() at time zone 'utc')::date - 1 then raise exception 'this day is too young to be dropped'; end if;
  if not exists (
    select from pg_inherits i
     where i.inhrelid = to_regclass(partition) and i.inhparent = to_regclass(parent)
  ) then return false; end if;
  execute format('drop table %I', partition);
  return true;
end $$;
revoke all on function drop_partition(text, date) from public;
grant execute on function drop_partition(text, date) to ars_system;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['org_slots', 'run_labels', 'run_tool_calls', 'run_actions', 'run_messages', 'run_deltas'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

grant select, insert, update on org_slots, run_tool_calls, run_actions to ars_app;
grant select, insert on run_labels, run_messages, run_deltas to ars_app;
grant select, update on cell_slots to ars_app;
grant select on cell to ars_app;
-- Erasing the data of an ended run, and nothing else, changes what was written once.
grant update (input, erased_at) on runs to ars_app;
grant update (output) on run_results to ars_app;
grant delete on run_steps, run_events, run_tool_calls, run_actions, run_messages, run_deltas to ars_app;
grant select, insert, update, delete on org_slots, cell_slots, cell, run_labels, run_tool_calls, run_actions,
  run_messages, run_deltas to ars_system;

select ensure_partitions(14);
