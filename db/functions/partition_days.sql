-- The days of a partition are in its name: `runs_p20261116` has one day, `runs_p20261116_7d` has seven.
create or replace function partition_days() returns table (parent text, name text, first_day date, end_day date)
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
