-- Gives the four roles of the processes a second login with a new password, so that passwords change without an outage:
--
--   psql -v suffix=_b -v password=... -f db/second-logins.sql postgres://admin@host/postgres
--
-- `ars_app_b` is a member of `ars_app`: it has its rights, its policies and its settings. docs/operate/README.md says when the first
-- login can go. Running it again sets the password anew. Without -v, `password` is taken from ARS_DATABASE_PASSWORD. The owner has no
-- second login: only `migrate` uses it, so its password can change at any time.

\set ON_ERROR_STOP on
\if :{?password}
\else
  \getenv password ARS_DATABASE_PASSWORD
\endif

-- The server must not log the password. Only a superuser can set it.
do $$ begin
  perform set_config('log_statement', 'none', false), set_config('log_min_duration_statement', '-1', false),
          set_config('log_min_error_statement', 'panic', false);
exception when insufficient_privilege then
  raise warning 'The server may log the password that follows, because this role cannot switch its log off';
end $$;
set password_encryption = 'scram-sha-256';

select format('create role %I in role %I', name || :'suffix', name)
  from unnest(array['ars_app', 'ars_auth', 'ars_feed', 'ars_system']) as name
 where not exists (select from pg_roles where rolname = name || :'suffix')
\gexec

select format('alter role %I login inherit password %L', name || :'suffix', :'password')
  from unnest(array['ars_app', 'ars_auth', 'ars_feed', 'ars_system']) as name
\gexec

-- Settings belong to a login and are not inherited.
select format('alter role %I set %I = %L', rolname || :'suffix', split_part(setting, '=', 1), split_part(setting, '=', 2))
  from pg_db_role_setting join pg_roles on oid = setrole, unnest(setconfig) as setting
 where setdatabase = 0 and rolname in ('ars_app', 'ars_auth', 'ars_feed', 'ars_system')
\gexec
