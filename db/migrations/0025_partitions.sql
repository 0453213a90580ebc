-- Stop all processes before this migration. The previous release calls a function that is dropped here.
-- Partitions are created and dropped one per transaction, so that no statement of the service waits for thirteen tables.

-- Bounds of partitions are ids, except where they are times.
alter table partition_parents add column is_by_time boolean not null default false;
update partition_parents set is_by_time = true where name = 'run_deltas';

-- The moment of an id: a UUIDv7 begins with its milliseconds.
create function uuid_time(id uuid) returns timestamptz language sql immutable parallel safe
  return to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);

-- The days of a partition are in its name: `runs_p20261116` has one day, `runs_p20261116_7d` has seven.
create function partition_days() returns table (parent text, name text, first_day date, end_day date)
  language sql stable set search_path = public, pg_temp as $$
  select p.relname::text, c.relname::text, d.first_day,
         d.first_day + coalesce(substring(c.relname from '_([2-7])d$')::integer, 1)
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join pg_class p on p.oid = i.inhparent
   cross join lateral (
     select to_date(substring(c.relname from '_p([0-9]{8})(?:_[2-7]d)?$'), 'YYYYMMDD') as first_day) d
   where p.relkind = 'p' and p.relnamespace = 'public'::regnamespace and d.first_day is not null
$$;

-- Creates the table first and attaches it then: attaching lets reads and writes of the parent continue, which
-- `create table … partition of` does not. The result is the same.
create function make_partition(parent text, first_day date, days integer) returns boolean
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

drop function ensure_partitions(integer);

-- The caller decides which days are old. This function only makes sure that the partition is one of the past. Detaching
-- waits for the readers of the parent, and everybody else waits behind it; so it gives up soon, and is tried again.
drop function drop_partition(text, date);
create function drop_partition(parent text, first_day date) returns boolean
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

grant select on partition_parents to ars_system;

-- Deltas are partitioned by the time of writing, so that a run that waits for days keeps none of them from being dropped.
-- The number of a delta is unique in its run, because it is taken under the lock of the run's head.
alter table run_deltas no force row level security;
create temporary table recent_deltas on commit drop as
  select run_id, seq, org_id, data, created_at from run_deltas
   where created_at >= (date_trunc('day', app_now() at time zone 'utc') - interval '1 day') at time zone 'utc';
drop table run_deltas;
create table run_deltas (
  run_id uuid not null,
  seq integer not null,
  org_id uuid not null,
  data json not null,
  created_at timestamptz not null default app_now(),
  primary key (run_id, seq, created_at)
) partition by range (created_at);
do $$
begin
  for day in -1 .. 14 loop
    perform make_partition('run_deltas', (app_now() at time zone 'utc')::date + day, 1);
  end loop;
end $$;
insert into run_deltas (run_id, seq, org_id, data, created_at)
  select run_id, seq, org_id, data, created_at from recent_deltas;
alter table run_deltas enable row level security;
alter table run_deltas force row level security;
create policy own_organisation on run_deltas
  using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on run_deltas to ars_system using (true) with check (true);
grant select, insert, delete on run_deltas to ars_app;
grant select, insert, update, delete on run_deltas to ars_system;
