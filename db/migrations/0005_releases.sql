-- Agents that change: versions, deployments with canary and rollback, hired from the catalog; events with what they tell.
-- All of it is added beside what the previous release knows: `agents` still shows the newest version whole.

alter table agents
  -- What runs: the version in full release, and a newer one for a share of the runs. Null until the first deployment.
  add column live_version integer,
  add column live_deployment_id uuid,
  add column canary_version integer,
  add column canary_deployment_id uuid,
  add column canary_percent smallint check (canary_percent between 1 and 99),
  -- The highest number that was given; `version` may be lower after a rollback.
  add column latest_version integer not null default 1,
  -- What was hired: the version of the catalog's agent, and what it said then. Null for custom agents.
  add column catalog_version integer,
  add column catalog_base json,
  -- Who made the version that is shown.
  add column changed_by uuid,
  add column changed_by_type text not null default 'operator' check (changed_by_type in ('key', 'user', 'operator')),
  add check ((canary_version is null) = (canary_deployment_id is null)),
  add check ((canary_version is null) = (canary_percent is null));

-- What an agent was, number by number. Nobody may change or delete a row.
create table agent_versions (
  agent_id uuid not null references agents (id),
  version integer not null,
  org_id uuid not null,
  name text not null,
  description text,
  -- Never changes; here, so that a step of a run finds all that it needs in one row.
  kind text not null,
  config jsonb not null,
  input_schema jsonb,
  output_schema jsonb,
  limits jsonb not null,
  policies text[] not null,
  metadata jsonb not null,
  -- Sealed, as in `agents`.
  secrets bytea,
  -- What of the catalog it was made from, as in `agents`: whoever goes back to this version goes back to that too.
  catalog_version integer,
  catalog_base json,
  created_by uuid,
  created_by_type text not null check (created_by_type in ('key', 'user', 'operator')),
  created_at timestamptz not null default app_now(),
  primary key (agent_id, version)
);

create table deployments (
  id uuid primary key,
  org_id uuid not null,
  agent_id uuid not null references agents (id),
  version integer not null,
  status text not null check (status in ('active', 'canary', 'superseded', 'rolled_back')),
  traffic_percent smallint not null check (traffic_percent between 1 and 100),
  rollback_rules json not null default '[]',
  previous_deployment_id uuid,
  source text not null check (source in ('hire', 'create', 'update', 'rollback')),
  created_by uuid,
  created_by_type text not null check (created_by_type in ('key', 'user', 'operator', 'service')),
  created_at timestamptz not null default app_now(),
  -- When it got all runs. Null: it never did.
  activated_at timestamptz,
  rolled_back_at timestamptz,
  rollback_reason text,
  -- When its rules are looked at next. Null: there is nothing to look at.
  check_at timestamptz,
  check ((status = 'rolled_back') = (rolled_back_at is not null)),
  check ((status = 'canary') = (activated_at is null) or status in ('superseded', 'rolled_back'))
);
create index deployments_by_org on deployments (org_id, id);
create index deployments_by_agent on deployments (org_id, agent_id, id);
create unique index deployments_active on deployments (agent_id) where status = 'active';
create unique index deployments_canary on deployments (agent_id) where status = 'canary';
create index deployments_by_check on deployments (check_at) where check_at is not null;

-- Agents that were there before have one version and one deployment. The owner is held to row-level security too; for
-- these statements it must see all organisations.
alter table agents no force row level security;
insert into agent_versions (agent_id, version, org_id, name, description, kind, config, input_schema, output_schema, limits,
  policies, metadata, secrets, created_by_type, created_at)
select id, version, org_id, name, description, kind, config, input_schema, output_schema, limits, policies, metadata, secrets,
       'operator', created_at from agents;
insert into deployments (id, org_id, agent_id, version, status, traffic_percent, source, created_by_type, created_at,
  activated_at)
select (left(uuid_floor(created_at)::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, org_id, id, version,
       'active', 100, case source when 'catalog' then 'hire' else 'create' end, 'operator', created_at, created_at
  from agents;
update agents a set live_version = d.version, live_deployment_id = d.id, latest_version = d.version
  from deployments d where d.agent_id = a.id;
alter table agents force row level security;

-- No version is lost, whoever writes to `agents`: the row itself writes down what it was.
create function keep_agent_version() returns trigger language plpgsql as $$
begin
  insert into agent_versions (agent_id, version, org_id, name, description, kind, config, input_schema, output_schema, limits,
    policies, metadata, secrets, catalog_version, catalog_base, created_by, created_by_type)
  values (new.id, new.version, new.org_id, new.name, new.description, new.kind, new.config, new.input_schema, new.output_schema,
    new.limits, new.policies, new.metadata, new.secrets, new.catalog_version, new.catalog_base, new.changed_by,
    new.changed_by_type)
  on conflict do nothing;
  return null;
end $$;
create trigger keep_first_version after insert on agents for each row execute function keep_agent_version();
create trigger keep_version after update on agents for each row when (new.version > old.latest_version)
  execute function keep_agent_version();

-- Runs that a canary is judged by: those of both sides while it is out.
alter table runs add column is_watched boolean not null default false;
create index runs_watched on runs (deployment_id, id) where is_watched;

-- What an event tells that its subject does not keep, such as the old and the new of what was changed.
alter table events add column data json;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['agent_versions', 'deployments'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

grant select, insert on agent_versions to ars_app;
grant select, insert, update on deployments to ars_app;
grant select, insert on agent_versions to ars_system;
grant select, insert, update, delete on deployments to ars_system;
