-- Links that let anyone who has them read one run. Of the token only the SHA-256 is kept. A share ends with the key that made
-- it, or with the membership of the person who made it: a removed member who is invited again has another membership.
create table run_shares (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  run_id uuid not null,
  key_id uuid references api_keys (id),
  member_id uuid references members (id) on delete cascade,
  -- The key or the person, for the list.
  created_by uuid not null,
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  check (num_nonnulls(key_id, member_id) = 1)
);
create index run_shares_by_run on run_shares (org_id, run_id, id);
create index run_shares_by_expiry on run_shares (expires_at);
create index run_shares_by_member on run_shares (member_id) where member_id is not null;

alter table run_shares enable row level security;
alter table run_shares force row level security;
create policy own_organisation on run_shares using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on run_shares to ars_system using (true) with check (true);
-- A token is looked for before its organisation is known.
create policy find_before on run_shares for select to ars_auth using (true);
grant select on run_shares to ars_auth;
grant select, insert, delete on run_shares to ars_app;
grant select, update, delete on run_shares to ars_system;

-- A role can be given only by a credential with all scopes of the role, so keys that hold every scope get the new one as well.
-- The owner is held to row-level security too; for this one statement it must see all organisations.
alter table api_keys no force row level security;
update api_keys set scopes = array_append(scopes, 'runs:share')
 where kind = 'live' and not 'runs:share' = any (scopes)
   and scopes @> array['runs:read', 'runs:write', 'runs:approve', 'runs:erase', 'agents:read', 'agents:write', 'webhooks:read',
     'webhooks:write', 'keys:read', 'keys:write', 'usage:read', 'analytics:read', 'pipelines:read', 'pipelines:write',
     'policies:read', 'policies:write', 'connectors:read', 'connectors:write', 'alerts:read', 'alerts:write', 'events:read',
     'audit:read', 'members:write'];
alter table api_keys force row level security;
