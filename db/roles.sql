-- Makes the seven roles of the service and its empty database. Run once before `ars-server migrate`, as a superuser or as a role with
-- `createrole createdb`, which managed Postgres services give:
--
--   psql -v password=... -f db/roles.sql postgres://admin@host/postgres
--
-- Running it again is harmless: it sets passwords and limits anew and leaves all data alone.
--
-- `password` is the password of the five roles that log in; `owner_password`, `app_password`, `auth_password`, `feed_password` and
-- `system_password` give a role its own, which production should do. Without -v, `password` is taken from the environment variable
-- ARS_DATABASE_PASSWORD, which keeps it out of the process list. `backup_password` lets ars_backup log in and copy the cluster: only a
-- superuser can give that right. `database` names the database, `ars` unless told.

\set ON_ERROR_STOP on
\if :{?password}
\else
  \getenv password ARS_DATABASE_PASSWORD
\endif
\if :{?password}
\else
  do $$ begin raise exception 'No password: call psql with -v password=..., or set ARS_DATABASE_PASSWORD'; end $$;
\endif
\if :{?owner_password}
\else
  \set owner_password :password
\endif
\if :{?app_password}
\else
  \set app_password :password
\endif
\if :{?auth_password}
\else
  \set auth_password :password
\endif
\if :{?feed_password}
\else
  \set feed_password :password
\endif
\if :{?system_password}
\else
  \set system_password :password
\endif
\if :{?database}
\else
  \set database ars
\endif

-- Nothing of this belongs into the server's log, least of all the passwords. Only a superuser can set it.
do $$ begin
  perform set_config('log_statement', 'none', false), set_config('log_min_duration_statement', '-1', false),
          set_config('log_min_error_statement', 'panic', false);
exception when insufficient_privilege then
  raise warning 'The server may log the passwords that follow, because this role cannot switch its log off';
end $$;
set password_encryption = 'scram-sha-256';

select format('create role %I nologin', name)
  from unnest(array['ars_owner', 'ars_app', 'ars_auth', 'ars_batch', 'ars_feed', 'ars_system', 'ars_backup']) as name
 where not exists (select from pg_roles where rolname = name)
\gexec

-- Owns every table and runs the migrations. No process that serves customers connects as this role.
alter role ars_owner login nocreatedb nocreaterole password :'owner_password';

-- Serves customers' requests and executes their runs. Row-level security confines it to one organisation per transaction.
-- `noinherit`: it has the rights of ars_batch only in transactions that change to that role.
alter role ars_app login noinherit nocreatedb nocreaterole password :'app_password';

-- Writes the runs of several organisations with one statement (docs/adr/0021-batches-hold-rows-of-several-organisations.md). Row-level
-- security confines it to the organisations of the batch. Nobody logs in as this role: a transaction of ars_app changes to it.
alter role ars_batch nologin noinherit nocreatedb nocreaterole;
select 'grant ars_batch to ars_app'
 where not exists (select from pg_auth_members where roleid = 'ars_batch'::regrole and member = 'ars_app'::regrole)
\gexec

-- Finds API keys and sessions by their hash, before it is known whose they are; it sees nothing else.
alter role ars_auth login nocreatedb nocreaterole password :'auth_password';

-- Follows runs and events of all organisations: it reads their numbers and states, and nothing of their content.
alter role ars_feed login nocreatedb nocreaterole password :'feed_password';

-- Sweepers, relay and deliveries: work that crosses organisations. Each table has a policy that opens it to this role, and only
-- workers and admin commands connect as this role.
alter role ars_system login nocreatedb nocreaterole password :'system_password';

-- Copies the cluster for `ars-server backup`, and notes when it did. Without `backup_password` it cannot log in.
\if :{?backup_password}
alter role ars_backup login replication nocreatedb nocreaterole password :'backup_password';
\endif

-- Hot statements are prepared once and run for ever: one generic plan, instead of planning again at each call.
alter role ars_app set plan_cache_mode = 'force_generic_plan';
alter role ars_auth set plan_cache_mode = 'force_generic_plan';
alter role ars_feed set plan_cache_mode = 'force_generic_plan';
alter role ars_system set plan_cache_mode = 'force_generic_plan';

-- Our statements are short: compiling one costs more than it saves, up to 1.5 s for the fan-out of events.
alter role ars_app set jit = off;
alter role ars_auth set jit = off;
alter role ars_feed set jit = off;
alter role ars_system set jit = off;

-- A statement or a transaction that takes longer than this is a fault, and must not hold its locks any longer.
alter role ars_app set statement_timeout = '5s';
alter role ars_auth set statement_timeout = '5s';
alter role ars_feed set statement_timeout = '5s';
alter role ars_system set statement_timeout = '5s';
alter role ars_app set idle_in_transaction_session_timeout = '10s';
alter role ars_auth set idle_in_transaction_session_timeout = '10s';
alter role ars_feed set idle_in_transaction_session_timeout = '10s';
alter role ars_system set idle_in_transaction_session_timeout = '10s';

-- Only a member of a role can give it a database. A superuser is a member of every role.
select format('grant ars_owner to %I', current_user)
  from pg_roles where rolname = current_user and not rolsuper
\gexec

select format('create database %I owner ars_owner', :'database')
 where not exists (select from pg_database where datname = :'database')
\gexec

-- Being a role of this server is no reason to enter this database.
revoke all on database :"database" from public;
grant connect on database :"database" to ars_owner, ars_app, ars_auth, ars_feed, ars_system, ars_backup;
