-- Schedules (docs/adr/0019-pipelines-advance-by-rows.md). An earlier release neither writes nor reads these tables.
create table schedules (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  -- One of three kinds of timing: cron with its zone, interval with its anchor, one date.
  cron text,
  time_zone text,
  interval_seconds integer check (interval_seconds >= 60),
  anchor_at timestamptz,
  once_at timestamptz,
  -- One of two kinds of target.
  agent_id uuid,
  pipeline_id uuid,
  input json not null default '{}',
  metadata jsonb not null default '{}',
  missed text not null default 'skip' check (missed in ('skip', 'once')),
  overlap text not null default 'skip' check (overlap in ('skip', 'queue', 'allow')),
  monthly_budget_usd numeric check (monthly_budget_usd >= 0),
  -- The cost of its runs that ended in this month. It is kept here because firings are deleted earlier.
  spent_month date,
  spent_usd numeric not null default 0,
  status text not null default 'active' check (status in ('active', 'paused')),
  pause_code text,
  paused_at timestamptz,
  -- Whose right is checked at every firing.
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  -- All dates up to this one have a row or were skipped.
  handled_until timestamptz not null,
  -- When a worker may take it. Null: it is paused or archived, or has no further date. A worker that holds it moves this ahead.
  due_at timestamptz,
  -- The fence: a worker with an older number cannot write. Every change of the schedule also takes the next number.
  claim integer not null default 0,
  -- The number of the newest firing.
  firings integer not null default 0,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  archived_at timestamptz,
  check (num_nonnulls(cron, interval_seconds, once_at) = 1),
  check ((cron is null) = (time_zone is null)),
  check ((interval_seconds is null) = (anchor_at is null)),
  check (num_nonnulls(agent_id, pipeline_id) = 1),
  check ((status = 'paused') = (paused_at is not null)),
  check ((status = 'paused') = (pause_code is not null)),
  check (due_at is null or (status = 'active' and archived_at is null))
) with (fillfactor = 70);
create index schedules_by_organisation on schedules (org_id, id) where archived_at is null;
create index schedules_due on schedules (due_at) where due_at is not null;
create index schedules_archived on schedules (archived_at) where archived_at is not null;

-- A date that was due, or a request to start the target at once. The row exists before anything starts.
create table schedule_firings (
  id uuid primary key,
  org_id uuid not null,
  schedule_id uuid not null,
  -- Counts the firings of a schedule, under the lock of its row: a firing sees every earlier one.
  number integer not null,
  kind text not null check (kind in ('date', 'request')),
  date timestamptz not null,
  -- The firing stands for all dates from this one on, which were missed. Null: for its own date only.
  missed_from timestamptz,
  status text not null check (status in ('due', 'queued', 'started', 'skipped', 'failed')),
  code text,
  run_id uuid,
  pipeline_run_id uuid,
  -- When a worker may take it: to start it, or to see whether its run has ended. A worker that holds it moves this ahead.
  due_at timestamptz,
  claim integer not null default 0,
  -- After this time a refusal is final. Null: it waits for an earlier firing.
  start_by timestamptz,
  created_at timestamptz not null default app_now(),
  started_at timestamptz,
  -- When it was skipped or failed, or when its run was found to have ended.
  ended_at timestamptz,
  unique (schedule_id, kind, date),
  unique (schedule_id, number),
  check ((status = 'started') = (num_nonnulls(run_id, pipeline_run_id) = 1)),
  check ((status = 'started') = (started_at is not null)),
  check (status not in ('skipped', 'failed') or (ended_at is not null and code is not null)),
  check (status not in ('due', 'queued') or ended_at is null),
  check ((due_at is null) = (ended_at is not null))
) with (fillfactor = 70);
create index schedule_firings_to_start on schedule_firings (due_at) where status in ('due', 'queued');
create index schedule_firings_to_end on schedule_firings (due_at) where status = 'started' and due_at is not null;
create index schedule_firings_open on schedule_firings (schedule_id, number) where ended_at is null;
create index schedule_firings_by_schedule on schedule_firings (org_id, schedule_id, id);
create index schedule_firings_ended on schedule_firings (ended_at) where ended_at is not null;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['schedules', 'schedule_firings'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', tenant_table);
  end loop;
end
$$;
grant select, insert, update on schedules to ars_app;
grant select, insert, update, delete on schedule_firings to ars_app;
grant select, update, delete on schedules to ars_system;
grant select, insert, update, delete on schedule_firings to ars_system;
