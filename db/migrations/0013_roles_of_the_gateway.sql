-- The gateway has no role that bypasses row-level security. What it reads across organisations has a role that sees the numbers
-- and states of runs and events, and nothing of their content. db/roles.sql creates the role: run it again before this migration.
do $$ begin
  if not exists (select from pg_roles where rolname = 'ars_feed') then
    raise exception 'The role ars_feed is missing: run db/roles.sql as a superuser, then migrate again';
  end if;
end $$;

grant usage on schema public to ars_feed;
grant select on migrations to ars_feed;
grant select (run_id, seq, status) on run_heads to ars_feed;
create policy follow on run_heads for select to ars_feed using (true);
grant select (id, org_id, position) on events to ars_feed;
create policy follow on events for select to ars_feed using (true);
grant select, insert, update, delete on gateways to ars_feed;

-- Only the operator creates organisations and changes what they may use.
revoke insert, update on organisations from ars_app;
