-- The runs of the cell that are admitted: their organisations, agents and demo keys, an element for each run. They are the runs with
-- a number from `numbers_from` on, through the index run_heads_admitted, and of `earlier` those that are still admitted: a long run
-- would otherwise keep every look at the entries of all runs that ended after it began.
create or replace function admitted_runs(numbers_from bigint, earlier uuid[],
                                         out orgs uuid[], out agents uuid[], out demo_keys uuid[]) language plpgsql as $$
begin
  select coalesce(array_agg(h.org_id), '{}'), coalesce(array_agg(h.agent_id), '{}'), coalesce(array_agg(h.demo_key_id), '{}')
    into orgs, agents, demo_keys
    from (select org_id, agent_id, demo_key_id from run_heads where is_admitted and moved_in >= numbers_from
          union all
          -- The cast keeps this a look-up of the ids: `is_admitted` alone would let Postgres read run_heads_admitted from its beginning.
          select org_id, agent_id, demo_key_id from run_heads
           where run_id = any (earlier) and is_admitted::integer = 1 and moved_in < numbers_from) h;
end $$;
revoke all on function admitted_runs(bigint, uuid[]) from public;
