-- Policies judge everything that enters and leaves a run. An earlier release neither writes nor reads these tables; runs that it
-- accepts have no policies.
create table policies (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  description text not null,
  -- The template that it was adopted from, with the parameters of that day.
  template_key text,
  template_params json,
  mode text not null check (mode in ('enforce', 'shadow')),
  -- When a policy in shadow mode ends. Null in the mode `enforce`, and when the shadow has ended.
  shadow_until timestamptz,
  version integer not null,
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  archived_at timestamptz
);
create index policies_by_organisation on policies (org_id, id);
create index policies_in_shadow on policies (shadow_until) where shadow_until is not null;

-- The rules of a policy do not change: a change makes a new version.
create table policy_versions (
  org_id uuid not null,
  policy_id uuid not null,
  version integer not null,
  rules json not null,
  -- The sealed credentials of remote checks, as a JSON object by the id of the rule. Null: none.
  secrets bytea,
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  created_at timestamptz not null default app_now(),
  primary key (org_id, policy_id, version)
);

create table policy_attachments (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  policy_id uuid not null,
  subject_type text not null check (subject_type in ('organisation', 'agent', 'api_key')),
  -- Of a key, the first key that it was rotated from: all rotations of a key are one.
  subject_id uuid not null,
  -- Runs that were accepted before the attachment are not affected by it.
  new_runs_only boolean not null,
  created_at timestamptz not null default app_now(),
  unique (org_id, subject_id, policy_id)
);
create index policy_attachments_by_policy on policy_attachments (org_id, policy_id, id);

-- Everything that is in force in an organisation at one time: versions, modes and attachments. Never changed. A change makes a new
-- set and points the organisation at it. Runs keep the set with which they were accepted.
create table policy_sets (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  entries json not null,
  created_at timestamptz not null default app_now()
);
create index policy_sets_by_organisation on policy_sets (org_id, id);

-- Null: no policy is in force.
alter table organisations add column policy_set_id uuid;
grant update (policy_set_id) on organisations to ars_app;
-- `policy_key_id`: of rotated keys the first one; null without a set, or when a person created the run.
alter table runs add column policy_set_id uuid, add column policy_key_id uuid;

-- The numbers of redacted values within a run. A keyed hash stands for the value, which is stored nowhere.
create table run_redactions (
  run_id uuid not null,
  kind text not null,
  hash bytea not null,
  org_id uuid not null,
  number integer not null,
  primary key (run_id, kind, hash)
) partition by range (run_id);
insert into partition_parents (name, position) values ('run_redactions', 14);

-- Text that a policy holds until a person has decided: sealed, and erased with the decision.
alter table run_actions add column held bytea, add column policy json;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['policies', 'policy_versions', 'policy_attachments', 'policy_sets', 'run_redactions'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', tenant_table);
  end loop;
end
$$;
grant select, insert, update on policies to ars_app;
grant select, insert on policy_versions, policy_sets to ars_app;
grant select, insert, delete on policy_attachments, run_redactions to ars_app;
grant select, update on policies to ars_system;
grant select, insert on policy_sets to ars_system;
grant select on policy_versions, policy_attachments to ars_system;
grant select, insert, delete on run_redactions to ars_system;
grant update (policy_set_id) on organisations to ars_system;

select make_partition('run_redactions', ((app_now() at time zone 'utc')::date + days)::date, 1) from generate_series(-1, 14) as days;
