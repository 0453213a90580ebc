-- Chooses which waiting runs start when not all of them may. A run starts if its organisation, its agent, its demo key and the cell have
-- room; the organisations with the fewest admitted runs come first.
--
-- A line is the queue of an organisation, of one of its agents with a limit, or of one of its demo keys, in the order of the ids. A run
-- of a batch waits in `batch_line`: it comes after all others of the cell, only if no other line of its organisation waits, and never
-- in the last fifth of the limit.
--
--   places        how many may start
--   cell_runs     how many the cell executes; shared_runs of them are for everybody, the rest is kept for organisations with at most
--                 light_runs runs, so that one that fills the cell with long runs does not keep the others from starting
--   orgs, agents, demo_keys   of the admitted runs, an element for each run
--   is_long       the queue has more than short_queue runs: then one look reads some lines of it, from those of `first_org` on
create or replace function choose_runs(places integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer,
                                       orgs uuid[], agents uuid[], demo_keys uuid[],
                                       numbers_from bigint, short_queue integer, is_long boolean, first_org uuid)
  returns uuid[] language plpgsql as $$
#variable_conflict use_column
declare
  -- Of a long queue one look reads at most this many lines and runs. If there are more lines, each look begins at another line.
  max_lines constant integer := 200;
  max_candidates constant integer := 1000;
  -- The last line of each organisation, so that one look-up tells whether another one waits.
  batch_line constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- More runs of a batch line are read than may start, so that the runs of an agent at its limit do not hold up the others.
  max_passed constant integer := 20;
  used constant integer := cardinality(orgs);
  used_by_org constant jsonb := count_each(orgs);
  used_by_agent constant jsonb := count_each(agents);
  used_by_key constant jsonb := count_each(demo_keys);
  -- Runs of the organisations with few runs: they stand in the kept part first.
  used_by_light constant integer :=
    (select coalesce(sum(n::integer), 0) from jsonb_each_text(used_by_org) as each (id, n) where n::integer <= light_runs);
begin
  return array(
    with queued as materialized (
      select org_id, waits_for, run_id, agent_id from run_heads
       where not is_long and waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= numbers_from
       order by moved_in limit short_queue

    -- Lines with room. own_free: how many more runs the organisation may have in this line. agent_allows: the limit of the agent, if
    -- the line is that of an agent.
    ), lines as (
      select l.org_id, l.waits_for, u.runs, o.allowed - u.runs as own_free,
             case when l.waits_for <> l.org_id then concurrency_of_agent(l.org_id, l.waits_for) end as agent_allows
        from (select distinct org_id, waits_for from queued
              union all
              select org_id, waits_for from waiting_lines(first_org, numbers_from, max_lines) where is_long) l
        cross join lateral (select count_of(used_by_org, l.org_id) as runs) u
        cross join lateral (
          select concurrent_runs - case when l.waits_for = batch_line and concurrent_runs > 1 then (concurrent_runs + 4) / 5 else 0 end as allowed
            from organisations where id = l.org_id limit 1) o
       where o.allowed > u.runs
         and case when l.waits_for = batch_line then not exists (
               select from run_heads
                where org_id = l.org_id and waits_for < batch_line and waits_for is not null and created_at < 'infinity'
                  and moved_in >= numbers_from) else true end

    -- The first runs of each line: as many as may start, and not more than the line's part of what a look reads.
    ), fronts as materialized (
      select l.org_id, l.waits_for, l.runs, l.own_free, l.agent_allows, w.run_id, w.agent_id, w.number,
             -- How many may start because of the line itself; it is the same for all runs of a line, so the first one computes it.
             max(case when w.number > 1 then null
                 when l.waits_for = l.org_id then l.own_free
                 when l.waits_for = batch_line then l.reads
                 when l.waits_for = w.agent_id then coalesce(l.agent_allows - count_of(used_by_agent, w.agent_id), l.own_free)
                 else demo_key_runs - count_of(used_by_key, l.waits_for) end)
               over (partition by l.org_id, l.waits_for) as line_free
        from (select org_id, waits_for, runs, own_free, agent_allows, greatest(1, max_candidates / count(*) over ()) as most,
                     least(places, own_free) + case when waits_for = batch_line then max_passed else 0 end as reads from lines) l
        cross join lateral (
          select run_id, agent_id, row_number() over (order by run_id) as number from (
            (select run_id, agent_id from queued where org_id = l.org_id and waits_for = l.waits_for
              order by run_id limit l.reads)
            union all
            (select run_id, agent_id from run_heads
              where is_long and org_id = l.org_id and waits_for = l.waits_for and created_at < 'infinity' and moved_in >= numbers_from
              order by run_id limit least(l.reads, l.most))) r) w

    -- A run of a demo key and of an agent with a limit needs room in both.
    ), candidates as (
      select org_id, run_id, agent_id, runs, own_free, waits_for = batch_line as is_batch,
             row_number() over (partition by org_id, agent_id order by run_id) as of_agent,
             case when waits_for = org_id or waits_for = agent_id then agent_allows
                  else concurrency_of_agent(org_id, agent_id) end as agent_allows
        from fronts where number <= line_free

    -- share: how many runs the organisation has once this one is admitted. place: the order of the cell.
    ), ordered as (
      select org_id, run_id, runs, share, is_batch, row_number() over (order by is_batch, share, run_id) as place from (
        select org_id, run_id, runs, own_free, is_batch, runs + row_number() over (partition by org_id order by run_id) as share
          from candidates
         where agent_allows is null or of_agent <= agent_allows - count_of(used_by_agent, agent_id)) c
       where share <= runs + own_free
    )
    select run_id from ordered
     where place <= places
       and used + place <= case
             when share <= light_runs and not is_batch then cell_runs
             -- The runs of organisations with few runs stand in the kept part, so the others have what these leave of it. An organisation
             -- that has few runs and gets its next one now takes its runs out of the kept part.
             else shared_runs + least(cell_runs - shared_runs,
                    used_by_light - (select coalesce(sum(runs), 0) from ordered where share = runs + 1 and runs <= light_runs)) end);
end $$;
revoke all on function choose_runs(integer, integer, integer, integer, integer, uuid[], uuid[], uuid[], bigint, integer, boolean, uuid)
  from public;
