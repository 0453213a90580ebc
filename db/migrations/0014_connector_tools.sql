-- The tools of connectors, pinned: an agent gets a tool only as a person has approved it.

-- `tools_fresh_until`: until then the stored list is used and the server is not asked. `tools_error`: why the list could not
-- be read when the connector was added or its address was changed. Tools of existing connectors are unknown, hence off.
alter table connectors
  add column tools_listed_at timestamptz,
  add column tools_fresh_until timestamptz,
  add column tools_error text;

create table connector_tools (
  connector_id uuid not null references connectors (id) on delete cascade,
  org_id uuid not null references organisations (id),
  name text not null,
  -- As the server listed it last. Null: it does not list the tool.
  listed_hash bytea,
  listed_manifest json,
  -- As a person approved it. Null: nobody has.
  approved_hash bytea,
  approved_manifest json,
  approved_by uuid,
  approved_by_type text check (approved_by_type in ('key', 'user')),
  approved_at timestamptz,
  changed_at timestamptz not null default app_now(),
  -- Follows from the hashes, so that no statement can switch a tool on without an approved hash.
  state text not null generated always as (
    case
      when listed_hash is null then 'gone'
      when approved_hash is null then 'pending'
      when listed_hash = approved_hash then 'approved'
      else 'changed'
    end) stored,
  primary key (connector_id, name),
  check (listed_hash is not null or approved_hash is not null),
  check ((listed_hash is null) = (listed_manifest is null)),
  check ((approved_hash is null) = (approved_manifest is null)),
  check ((approved_hash is null) = (approved_by is null)),
  check ((approved_hash is null) = (approved_by_type is null)),
  check ((approved_hash is null) = (approved_at is null))
);
-- For the gauge of tools that wait for a person.
create index connector_tools_off on connector_tools (state) where state <> 'approved';

alter table connector_tools enable row level security;
alter table connector_tools force row level security;
create policy own_organisation on connector_tools
  using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);

grant select, insert, update, delete on connector_tools to ars_app, ars_system;
grant update (name, url, auth_type, auth_header, credential, credential_hint, tools_listed_at, tools_fresh_until, tools_error)
  on connectors to ars_app;
