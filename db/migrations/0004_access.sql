-- Access: people and their sessions, keys in full, limits of an organisation, the audit log.
-- All of it is added beside what the previous release knows.

-- What the organisation may do. The plan says it when the organisation is made; an operator may set other numbers.
alter table organisations
  add column requests_per_minute integer not null default 100 check (requests_per_minute between 1 and 10000000),
  add column burst integer not null default 150 check (burst between 1 and 10000000),
  add column calls_per_month bigint not null default 10000 check (calls_per_month >= 0),
  add column run_timeout_max_seconds integer not null default 600 check (run_timeout_max_seconds between 1 and 86400);

-- The owner is held to row-level security too; for this one statement it must see all organisations.
alter table organisations no force row level security;
update organisations set
  requests_per_minute = case plan when 'demo' then 10 when 'free' then 100 when 'developer' then 1000 else 10000 end,
  burst = case plan when 'demo' then 15 when 'free' then 150 when 'developer' then 1500 else 15000 end,
  calls_per_month = case plan when 'demo' then 1000 when 'free' then 10000 when 'developer' then 250000 else 5000000 end,
  run_timeout_max_seconds = case plan when 'demo' then 120 when 'free' then 600 when 'developer' then 3600 else 86400 end;
alter table organisations force row level security;

-- A statement that would count more calls than its slot of the month has left must leave no trace: it calls this, and is
-- rolled back as a whole. The code is for the program that sent it, which then looks for a slot with room.
create function refuse_calls() returns boolean language plpgsql as $$
begin
  raise exception 'the slot of the month is full' using errcode = 'ARQ01';
end $$;

alter table api_keys
  add column kind text not null default 'live' check (kind in ('live', 'demo')),
  -- Null: every agent of the organisation.
  add column agent_ids uuid[],
  -- A rotated pair shares one bucket: that of the first key. Null: the key's own id.
  add column bucket_id uuid,
  add column rotated_at timestamptz,
  add column rotated_to uuid,
  -- A rotated key works until then.
  add column grace_until timestamptz,
  add column last_used_at timestamptz,
  -- When the key was seen on plain HTTP.
  add column exposed_at timestamptz,
  add column created_by uuid,
  add column created_by_type text not null default 'operator' check (created_by_type in ('key', 'user', 'operator')),
  add check ((rotated_at is null) = (rotated_to is null)),
  add check ((rotated_at is null) = (grace_until is null));

-- Who decided, said or made something: a key or a person.
alter table run_actions add column resolved_by_type text not null default 'key' check (resolved_by_type in ('key', 'user'));
alter table run_messages add column sent_by_type text not null default 'key' check (sent_by_type in ('key', 'user'));
alter table connectors add column created_by_type text not null default 'key' check (created_by_type in ('key', 'user'));

-- A person. One may belong to several organisations, so the row belongs to none of them.
create table users (
  id uuid primary key,
  -- As it is compared: trimmed, lower case, NFC.
  email text not null unique,
  name text not null default '',
  -- Argon2id in its own encoding; null until a password was set.
  password_hash text,
  password_changed_at timestamptz,
  created_at timestamptz not null default app_now()
);

create table members (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  created_at timestamptz not null default app_now(),
  unique (org_id, user_id)
);
create index members_by_org on members (org_id, id);
create index members_by_user on members (user_id);

-- Of a link only the SHA-256 is kept, as of a key.
create table invitations (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  hash bytea not null unique check (length(hash) = 32),
  invited_by uuid,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create index invitations_by_org on invitations (org_id, id);

create table password_resets (
  id uuid primary key,
  user_id uuid not null references users (id),
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id);

-- A browser's session speaks for one person in one organisation.
create table sessions (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  user_id uuid not null references users (id),
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default app_now(),
  seen_at timestamptz not null default app_now(),
  -- The absolute end; it ends earlier when it is not used.
  expires_at timestamptz not null,
  ended_at timestamptz,
  address text,
  user_agent text
);
create index sessions_by_user on sessions (user_id, id);

-- A token for a browser that may do a little for a short time. It dies with its parent.
create table session_tokens (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  key_id uuid references api_keys (id),
  session_id uuid references sessions (id),
  hash bytea not null unique check (length(hash) = 32),
  scopes text[] not null,
  run_id uuid,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  check (num_nonnulls(key_id, session_id) = 1)
);
create index session_tokens_by_expiry on session_tokens (expires_at);

-- How often somebody has tried to log in of late: by account and by address, each as a SHA-256.
create table login_attempts (
  subject bytea primary key,
  window_at timestamptz not null,
  attempts integer not null
);
create index login_attempts_by_window on login_attempts (window_at);

-- Which gateways live, so that each knows its share of a limit while Redis is away.
create table gateways (
  id uuid primary key,
  seen_at timestamptz not null default app_now()
);

-- Administrative acts. Each row carries the hash of the one before, so that a row that was changed or taken out is noticed.
create table audit_log (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  number bigint not null,
  actor_type text not null check (actor_type in ('key', 'user', 'operator', 'service')),
  actor_id text,
  action text not null,
  subject text,
  address text,
  request_id text,
  before json,
  after json,
  created_at timestamptz not null default app_now(),
  hash bytea not null,
  unique (org_id, number)
);
create index audit_log_by_org on audit_log (org_id, id);
create index audit_log_by_actor on audit_log (org_id, actor_id, id);
create index audit_log_by_action on audit_log (org_id, action, id);
create index audit_log_by_subject on audit_log (org_id, subject, id);

-- The end of each organisation's chain. Its row is locked by whoever appends, which puts appends in order.
create table audit_heads (
  org_id uuid primary key references organisations (id),
  number bigint not null,
  hash bytea not null
);

-- The same text for the one who appends and for the one who checks.
create function audit_hash(previous bytea, entry audit_log) returns bytea language sql immutable
  return sha256(previous || convert_to(json_build_array(entry.id, entry.org_id, entry.number, entry.actor_type,
    entry.actor_id, entry.action, entry.subject, entry.address, entry.request_id, entry.before, entry.after,
    extract(epoch from entry.created_at)::text)::text, 'UTF8'));

-- Appends with the owner's rights, because the application may read the log and not write it. It is held to the
-- organisation of its transaction like everybody else.
create function append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text,
  address text, request_id text, before json, after json) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  last_number bigint;
  last_hash bytea;
  entry audit_log;
begin
  insert into audit_heads (org_id, number, hash) values (org, 0, '\x00') on conflict do nothing;
  select h.number, h.hash into strict last_number, last_hash from audit_heads h where h.org_id = org for update;
  entry := row(entry_id, org, last_number + 1, actor_type, actor_id, action, subject, address, request_id, before, after,
    app_now(), ''::bytea);
  entry.hash := audit_hash(last_hash, entry);
  insert into audit_log (id, org_id, number, actor_type, actor_id, action, subject, address, request_id, before, after,
      created_at, hash)
    values (entry.id, entry.org_id, entry.number, entry.actor_type, entry.actor_id, entry.action, entry.subject,
      entry.address, entry.request_id, entry.before, entry.after, entry.created_at, entry.hash);
  update audit_heads h set number = entry.number, hash = entry.hash where h.org_id = org;
end $$;
revoke all on function append_audit(uuid, uuid, text, text, text, text, text, text, json, json) from public;
grant execute on function append_audit(uuid, uuid, text, text, text, text, text, text, json, json)
  to ars_app, ars_auth, ars_system;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['members', 'invitations', 'sessions', 'session_tokens', 'audit_log', 'audit_heads'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

-- A person is seen by the organisations that he or she belongs to.
alter table users enable row level security;
alter table users force row level security;
create policy own_members on users for select to ars_app
  using (exists (select from members m where m.user_id = users.id));

-- Whoever logs in, follows a link or shows a token is looked for before the organisation is known.
create policy find_before on users to ars_auth using (true) with check (true);
create policy find_before on members for select to ars_auth using (true);
create policy find_before on invitations for select to ars_auth using (true);
create policy find_before on sessions to ars_auth using (true) with check (true);
create policy find_before on session_tokens for select to ars_auth using (true);
-- When a key was last used is noted in batches over all organisations.
create policy note_use on api_keys for update to ars_auth using (true) with check (true);

grant select, insert, update on users, sessions to ars_auth;
grant select, insert on members to ars_auth;
grant select, update (accepted_at) on invitations to ars_auth;
grant select, insert, update on password_resets, login_attempts to ars_auth;
grant delete on login_attempts to ars_auth;
grant select on session_tokens to ars_auth;
grant update (last_used_at, exposed_at, revoked_at) on api_keys to ars_auth;

grant select on users to ars_app;
grant select, insert, update, delete on members to ars_app;
grant select, insert, update on invitations to ars_app;
grant select, update (ended_at) on sessions to ars_app;
grant select, insert on session_tokens to ars_app;
grant select on audit_log to ars_app;
grant select, insert, update, delete on gateways to ars_system;
grant select, insert, update, delete on users, members, invitations, password_resets, sessions, session_tokens,
  login_attempts to ars_system;
grant select on audit_log, audit_heads to ars_system;
