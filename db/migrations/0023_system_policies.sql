-- The role of sweepers and deliveries crosses organisations by a policy on each table. BYPASSRLS, which did this before, can only
-- be given by a superuser, and managed Postgres services have none.
do $$
declare
  locked regclass;
begin
  for locked in
    select oid::regclass from pg_class
     where relrowsecurity and not relispartition and relnamespace = 'public'::regnamespace
  loop
    execute format('create policy every_organisation on %s to ars_system using (true) with check (true)', locked);
  end loop;
end $$;
