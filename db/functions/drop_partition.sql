-- Drops one day of one table. Which days may go is decided by whoever asks, because the owner sees no tenant's rows;
-- here it is only made sure that nothing but a past day partition can be named. Whoever reads the table holds it up;
-- it gives up soon, so that those who come meanwhile do not stand in line behind it, and is tried again.
create or replace function drop_partition(parent text, first_day date) returns boolean
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
declare
  old record;
begin
  select d.name, d.end_day into old from partition_days() d
   where d.parent = drop_partition.parent and d.first_day = drop_partition.first_day;
  if not found then return false; end if;
  if old.end_day >= (app_now() at time zone 'utc')::date then
    raise exception 'this partition is too young to be dropped';
  end if;
  execute format('alter table %I detach partition %I', parent, old.name);
  execute format('drop table %I', old.name);
  return true;
end $$;
revoke all on function drop_partition(text, date) from public;
grant execute on function drop_partition(text, date) to ars_system;
