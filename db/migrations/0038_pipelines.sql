-- Pipelines (docs/adr/0019-pipelines-advance-by-rows.md). An earlier release neither writes nor reads these tables.
create table pipelines (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  description text,
  status text not null default 'active' check (status in ('active', 'archived')),
  version integer not null default 1,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  archived_at timestamptz,
  check ((status = 'archived') = (archived_at is not null))
);
create index pipelines_by_organisation on pipelines (org_id, id);

-- Never changed.
create table pipeline_versions (
  pipeline_id uuid not null references pipelines (id),
  version integer not null,
  org_id uuid not null,
  name text not null,
  description text,
  definition json not null,
  created_by uuid,
  created_by_type text not null check (created_by_type in ('key', 'user', 'operator')),
  created_at timestamptz not null default app_now(),
  primary key (pipeline_id, version)
);

-- What was asked, and what came of it: written when it is accepted and once more when it ends. `status` is null while it has a head.
create table pipeline_runs (
  id uuid primary key,
  org_id uuid not null,
  pipeline_id uuid not null,
  pipeline_version integer not null,
  input json not null,
  metadata jsonb not null default '{}',
  timeout_seconds integer not null,
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  -- As of `runs`: the demo key or token that alone may see it.
  owner_id uuid,
  -- The pipeline run whose outputs it reuses, and the first step that runs again.
  rerun_of uuid,
  from_step text,
  created_at timestamptz not null default app_now(),
  status text check (status in ('completed', 'failed', 'cancelled')),
  output json,
  error json,
  tokens_used bigint,
  cost_usd numeric,
  finished_at timestamptz,
  erased_at timestamptz,
  check ((status is null) = (finished_at is null))
) partition by range (id);
create index pipeline_runs_by_organisation on pipeline_runs (org_id, id);
create index pipeline_runs_by_pipeline on pipeline_runs (org_id, pipeline_id, id);

-- What moves. Deleting the head ends the pipeline run, so it ends once.
create table pipeline_heads (
  pipeline_run_id uuid primary key,
  org_id uuid not null,
  pipeline_id uuid not null,
  status text not null default 'running' check (status in ('running', 'cancelling')),
  deadline_at timestamptz not null,
  -- Attempts that were accepted as runs or are about to be.
  runs integer not null default 0,
  failed_step text,
  failure_code text,
  -- When a worker may take it. A worker that holds it moves this ahead.
  due_at timestamptz not null default app_now(),
  -- The fence: a worker with an older number cannot write.
  claim bigint not null default 0,
  created_at timestamptz not null default app_now()
) with (fillfactor = 70);
create index pipeline_heads_due on pipeline_heads (due_at);
create index pipeline_heads_by_organisation on pipeline_heads (org_id, pipeline_id);

-- A step that was opened, or settled without.
create table pipeline_steps (
  pipeline_run_id uuid not null,
  key text not null,
  org_id uuid not null,
  verdict text not null check (verdict in ('run', 'skip', 'fault')),
  -- Of the verdict `fault`, or of a failed step.
  code text,
  items integer not null default 0,
  -- The items from this one on have no row yet.
  next_item integer not null default 0,
  -- No further item starts: `cancelled`, or the code with which the step fails.
  halt text,
  -- What `for_each` gave. All items see the same list.
  list json,
  outcome text check (outcome in ('completed', 'failed', 'skipped', 'cancelled')),
  opened_at timestamptz not null default app_now(),
  settled_at timestamptz,
  primary key (pipeline_run_id, key),
  check ((outcome is null) = (settled_at is null))
) partition by range (pipeline_run_id);

-- One attempt of one item, or the question of an approval step.
create table pipeline_items (
  pipeline_run_id uuid not null,
  step text not null,
  item integer not null,
  attempt integer not null,
  org_id uuid not null,
  -- `waiting`: no run was accepted yet. `started`: it has a run, or the question is put. The state of the run is in `run_results`.
  state text not null default 'waiting' check (state in ('waiting', 'refused', 'started', 'cancelling', 'failed', 'completed')),
  code text,
  -- When a refused or failed attempt may be tried again, and when a question expires.
  due_at timestamptz,
  run_id uuid,
  -- Of a question: message and response_schema; then the decision.
  question json,
  decision text check (decision in ('approve', 'reject')),
  payload json,
  comment text,
  decided_by uuid,
  decided_by_type text check (decided_by_type in ('key', 'user')),
  decided_at timestamptz,
  outcome text check (outcome in ('completed', 'failed', 'cancelled')),
  closed_at timestamptz,
  primary key (pipeline_run_id, step, item, attempt),
  check ((outcome is null) = (closed_at is null))
) partition by range (pipeline_run_id);
-- A call reads the open items only, however many are closed.
create index pipeline_items_open on pipeline_items (pipeline_run_id) where closed_at is null;

-- The runs of pipelines that have not ended. The end of one wakes its pipeline run.
create table pipeline_waits (
  run_id uuid primary key,
  org_id uuid not null,
  pipeline_run_id uuid not null
);

insert into partition_parents (name, position) values ('pipeline_runs', 15), ('pipeline_steps', 16), ('pipeline_items', 17);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['pipelines', 'pipeline_versions', 'pipeline_runs', 'pipeline_heads', 'pipeline_steps',
      'pipeline_items', 'pipeline_waits'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', tenant_table);
  end loop;
end
$$;
grant select, insert, update on pipelines, pipeline_runs, pipeline_steps, pipeline_items to ars_app;
grant select, insert on pipeline_versions, pipeline_waits to ars_app;
grant select, insert, update, delete on pipeline_heads to ars_app;
grant select on pipelines, pipeline_versions to ars_system;
grant select, update on pipeline_runs, pipeline_heads, pipeline_steps, pipeline_items to ars_system;
grant select, delete on pipeline_waits to ars_system;

select make_partition(parent, ((app_now() at time zone 'utc')::date + days)::date, 1)
  from unnest(array['pipeline_runs', 'pipeline_steps', 'pipeline_items']) as parent cross join generate_series(-1, 14) as days;
