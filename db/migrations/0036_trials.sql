-- A policy is tried on past runs before it is switched on. An earlier release neither writes nor reads this table.
create table policy_trials (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  policy_id uuid not null,
  policy_version integer not null,
  since timestamptz not null,
  until timestamptz not null,
  agent_id uuid,
  -- The most runs that it looks at.
  sample integer not null,
  -- What remote checks may cost. Null: none is made.
  max_cost_usd numeric,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  -- The fence: a worker with an older number cannot write.
  revision integer not null default 0,
  -- Claims since the last slice that was stored.
  tries integer not null default 0,
  -- When a worker may take it. A worker that holds it moves this ahead. Null: it has ended.
  due_at timestamptz default app_now(),
  -- How many runs there are, and how many are deleted already. Null: not counted yet.
  total integer,
  expired integer,
  -- The last run that was looked at. Null: none yet.
  cursor uuid,
  result json not null,
  samples json not null,
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  created_at timestamptz not null default app_now(),
  ended_at timestamptz,
  check ((status in ('queued', 'running')) = (ended_at is null)),
  check ((ended_at is null) = (due_at is not null))
);
create index policy_trials_by_policy on policy_trials (org_id, policy_id, id);
create index policy_trials_due on policy_trials (due_at) where due_at is not null;

alter table policy_trials enable row level security;
alter table policy_trials force row level security;
create policy own_organisation on policy_trials using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on policy_trials to ars_system using (true) with check (true);
grant select, insert, update, delete on policy_trials to ars_app;
grant select, update, delete on policy_trials to ars_system;
