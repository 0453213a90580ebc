-- Nobody proves an e-mail address yet, so an account counts only where it was invited: the same address may belong to several
-- accounts, of which at most one is proven.
alter table users add column email_proven_at timestamptz;
alter table users drop constraint users_email_key;
create index users_by_email on users (email);
create unique index users_by_proven_email on users (email) where email_proven_at is not null;

-- Browsers in which the password of an account was correct once. They are no credentials.
create table login_devices (
  hash bytea primary key check (octet_length(hash) = 32),
  user_id uuid not null references users (id),
  used_at timestamptz not null
);
create index login_devices_by_user on login_devices (user_id, used_at);
create index login_devices_by_use on login_devices (used_at);
grant select, insert, update, delete on login_devices to ars_auth;
grant select, update, delete on login_devices to ars_system;
