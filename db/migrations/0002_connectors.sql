-- Tool servers that an organisation names, and the key that its secrets are sealed with.

-- An organisation's data key, wrapped by a key-encryption key that the database never sees.
create table org_keys (
  org_id uuid primary key references organisations (id),
  wrapped bytea not null,
  kek_id text not null,
  created_at timestamptz not null default app_now()
);
create index org_keys_by_kek on org_keys (kek_id);

create table connectors (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  url text not null,
  auth_type text not null check (auth_type in ('none', 'bearer', 'header')),
  auth_header text,
  -- Sealed with the organisation's data key and bound to this row and its address.
  credential bytea,
  credential_hint text,
  created_by uuid not null,
  created_at timestamptz not null default app_now(),
  check ((auth_type = 'none') = (credential is null)),
  check ((auth_type = 'header') = (auth_header is not null))
);
create index connectors_by_org on connectors (org_id, id);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['org_keys', 'connectors'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

-- A data key is written once: whoever could change it could make every secret of the organisation unreadable.
grant select, insert on org_keys to ars_app;
grant select, insert, delete on connectors to ars_app;
grant select, insert, update, delete on org_keys, connectors to ars_system;
