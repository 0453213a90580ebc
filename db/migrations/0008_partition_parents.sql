-- The tables that have one partition per day stand in a table. A migration that adds such a table adds a row here and
-- calls ensure_partitions(); it no longer replaces the function. The previous release calls the same function.

create table partition_parents (
  name text primary key,
  -- Parents are locked in this order, the same in every process.
  position smallint not null unique
);

insert into partition_parents (name, position) values
  ('runs', 1), ('run_results', 2), ('run_steps', 3), ('run_events', 4), ('events', 5), ('run_labels', 6),
  ('run_tool_calls', 7), ('run_actions', 8), ('run_messages', 9), ('run_deltas', 10), ('event_bodies', 11),
  ('deliveries', 12), ('delivery_attempts', 13);

create or replace function ensure_partitions(ahead integer) returns integer language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  parent text;
  day timestamptz;
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7305242);
  for parent in select p.name from partition_parents p order by p.position loop
    for offset_days in -1 .. least(ahead, 60) loop
      day := (date_trunc('day', app_now() at time zone 'utc') + make_interval(days => offset_days)) at time zone 'utc';
      partition := format('%s_p%s', parent, to_char(day at time zone 'utc', 'YYYYMMDD'));
      if to_regclass(partition) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          partition, parent, uuid_floor(day), uuid_floor(day + interval '1 day'));
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;
