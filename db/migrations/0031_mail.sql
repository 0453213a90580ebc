-- Mail that waits for the operator's server, and for 7 days what became of it. A row is written in the transaction of its cause.
create table mails (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  kind text not null,
  -- A member, whose address is read when the mail is sent, or an address that nobody has proven yet. Both null: it has ended.
  user_id uuid,
  address text,
  -- The event that the mail is about, or the sealed link in it.
  event_id uuid,
  link bytea,
  -- A sender that takes the mail moves it behind its lease. Null: the mail has ended.
  due_at timestamptz,
  attempts integer not null default 0,
  outcome text check (outcome in ('sent', 'failed', 'dropped')),
  error text,
  created_at timestamptz not null default app_now(),
  ended_at timestamptz,
  check ((due_at is null) = (outcome is not null) and (outcome is null) = (ended_at is null))
);
create index mails_by_due on mails (due_at) where due_at is not null;
create index mails_by_organisation on mails (org_id, created_at);
create index mails_by_end on mails (ended_at) where ended_at is not null;

alter table mails enable row level security;
alter table mails force row level security;
create policy own_organisation on mails using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on mails to ars_system using (true) with check (true);
grant select, insert on mails to ars_app, ars_auth;
grant select, insert, update, delete on mails to ars_system;

-- The kinds of mail that a member wants. Without a row, the role decides.
create table notification_choices (
  member_id uuid primary key references members (id) on delete cascade,
  org_id uuid not null references organisations (id),
  kinds text[] not null,
  updated_at timestamptz not null default app_now()
);
alter table notification_choices enable row level security;
alter table notification_choices force row level security;
create policy own_organisation on notification_choices using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on notification_choices to ars_system using (true) with check (true);
grant select, insert, update on notification_choices to ars_app;
grant select, delete on notification_choices to ars_system;

-- The link in the mail has a second token, which the inviter does not see: a person who has it reads the mail of the address.
alter table invitations add column mail_hash bytea;

-- Links that prove an address. Of the token only the SHA-256 is kept.
create table email_proofs (
  id uuid primary key,
  user_id uuid not null references users (id),
  -- The address may change; the link proves this one.
  email text not null,
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index email_proofs_by_user on email_proofs (user_id, created_at);
create index email_proofs_by_expiry on email_proofs (expires_at);
grant select, insert, update on email_proofs to ars_auth;
grant select, update, delete on email_proofs to ars_system;
