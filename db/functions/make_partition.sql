-- Creates the table first and attaches it then: attaching lets reads and writes of the parent continue, which
-- `create table … partition of` does not. The result is the same.
create or replace function make_partition(parent text, first_day date, days integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  partition text := parent || '_p' || to_char(first_day, 'YYYYMMDD') || case when days > 1 then format('_%sd', days) else '' end;
  today date := (app_now() at time zone 'utc')::date;
  starts timestamptz := first_day::timestamp at time zone 'utc';
  ends timestamptz := (first_day + days)::timestamp at time zone 'utc';
  is_by_time boolean;
begin
  select p.is_by_time into is_by_time from partition_parents p where p.name = make_partition.parent;
  if not found then raise exception 'this table has no partitions'; end if;
  if days not between 1 and 7 or first_day not between today - 60 and today + 60 then
    raise exception 'these days need no partition';
  end if;
  perform pg_advisory_xact_lock(7305242);
  if exists (
    select from partition_days() d
     where d.parent = make_partition.parent and d.first_day < make_partition.first_day + days
       and d.end_day > make_partition.first_day
  ) then return false; end if;
  execute format('create table %I (like %I including all excluding comments excluding statistics)', partition, parent);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition,
    case when is_by_time then starts::text else uuid_floor(starts)::text end,
    case when is_by_time then ends::text else uuid_floor(ends)::text end);
  return true;
end $$;
revoke all on function make_partition(text, date, integer) from public;
grant execute on function make_partition(text, date, integer) to ars_system;
