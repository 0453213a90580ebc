-- The lines in which runs wait, at most `most`: from those of `first_org` to the end, then from the beginning. It goes from one line to
-- the next through the index run_heads_in_line, so that it costs one look-up for each line, however many runs wait in it. While a
-- transaction holds an old snapshot, it also reads the entries of runs that have ended since.
--
-- The condition on created_at is always true and names the index, as the one on org_id in runs_wait().
create or replace function waiting_lines(first_org uuid, numbers_from bigint, most integer)
  returns table (org_id uuid, waits_for uuid) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with recursive ahead as (
    select f.org_id, f.waits_for, 1 as number from (
      select org_id, waits_for from run_heads
       where waits_for is not null and created_at < 'infinity' and moved_in >= numbers_from and org_id >= first_org
       order by org_id, waits_for limit 1) f
    union all
    select n.org_id, n.waits_for, a.number + 1 from ahead a cross join lateral (
      select org_id, waits_for from run_heads
       where waits_for is not null and created_at < 'infinity' and moved_in >= numbers_from and (org_id, waits_for) > (a.org_id, a.waits_for)
       order by org_id, waits_for limit 1) n
     where a.number < most
  ), behind as (
    select f.org_id, f.waits_for, 1 as number from (
      select org_id, waits_for from run_heads
       where waits_for is not null and created_at < 'infinity' and moved_in >= numbers_from and org_id < first_org
         and (select count(*) from ahead) < most
       order by org_id, waits_for limit 1) f
    union all
    select n.org_id, n.waits_for, b.number + 1 from behind b cross join lateral (
      select org_id, waits_for from run_heads
       where waits_for is not null and created_at < 'infinity' and moved_in >= numbers_from and (org_id, waits_for) > (b.org_id, b.waits_for)
         and org_id < first_org
       order by org_id, waits_for limit 1) n
     where b.number < most - (select count(*) from ahead)
  )
  select org_id, waits_for from ahead union all select org_id, waits_for from behind;
end $$;
revoke all on function waiting_lines(uuid, bigint, integer) from public;
