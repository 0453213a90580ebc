-- Whether all these runs may start beside the admitted ones, as far as the limits of their organisations are concerned. Both lists have
-- the organisation of each run.
create or replace function fit_limits(waiting uuid[], admitted uuid[]) returns boolean language plpgsql as $$
begin
  return not exists (
    select from (select id, count(*) as runs from unnest(waiting) as id group by id) w
     where w.runs + cardinality(array_positions(admitted, w.id))
           -- An organisation without a row starts nothing. `limit 1` keeps it one look-up for each organisation.
           > coalesce((select concurrent_runs from organisations where id = w.id limit 1), 0));
end $$;
revoke all on function fit_limits(uuid[], uuid[]) from public;
