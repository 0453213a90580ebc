-- Admits waiting runs, at most `most`: those of the organisations with the fewest admitted runs first. Answers one row for each,
-- and one without a run if another transaction admits now (`busy`) or if runs still wait (`left`). `first_org` is where it begins to
-- look; null: anywhere.
--
-- One transaction admits at a time. It takes the lock without waiting for it. Each statement of this function has its own snapshot:
-- the one that counts begins under the lock and sees all that was admitted before. Runs only end meanwhile, so that no limit is
-- exceeded. It reads all organisations, as the owner, because the gateway that accepts a run has no role for that.
--
-- Runs of batches wait in the line `batch_line` of their organisation. They start after all other runs of the cell, only if no other
-- line of the organisation waits, and never in the last fifth of its limit.
create or replace function admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer,
                           relay_after_ms integer, first_org uuid)
  returns table (what text, org uuid, run uuid, epoch integer, segment integer, step integer)
  language plpgsql security definer
  set search_path = public, pg_temp
  -- Plans that are made while the queue is empty would scan the table.
  set enable_seqscan = off
  set enable_mergejoin = off
  set enable_hashjoin = off
  set enable_bitmapscan = off
  as $$
#variable_conflict use_column
declare
  -- A queue of at most max_short runs is read completely, by run_heads_queue.
  max_short constant integer := 100;
  -- Of a longer queue one look reads at most max_lines lines and max_candidates runs. If there are more lines, each look
  -- begins at another line.
  max_lines constant integer := 200;
  max_candidates constant integer := 1000;
  -- The last line of each organisation, so that one lookup tells whether another one waits.
  batch_line constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- More runs of a batch line are read than may start, so that the runs of an agent at its limit do not hold up the others.
  max_passed constant integer := 20;
  first_number bigint;
  admitted_number bigint;
  admitted_ids uuid[];
  admitted_orgs uuid[];
  admitted_agents uuid[];
  admitted_keys uuid[];
  used integer;
  free integer;
  is_long boolean;
  waiting_ids uuid[];
  waiting_orgs uuid[];
  has_other_lines boolean;
begin
  select waiting_from, admitted_from, admitted_before into first_number, admitted_number, admitted_ids from cell;
  -- After a restore into another server the numbers begin again.
  if admitted_number > ended_transactions() then
    first_number := 0;
    admitted_number := 0;
  end if;
  if not exists (select from run_heads where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= first_number) then
    return;
  end if;
  if not pg_try_advisory_xact_lock(7305243) then
    what := 'busy';
    return next;
    return;
  end if;
  -- A caller that stops before its commit holds the lock no longer than this.
  perform set_config('idle_in_transaction_session_timeout', '500ms', true);

  select array_agg(h.org_id), array_agg(h.agent_id), array_agg(h.demo_key_id)
    into admitted_orgs, admitted_agents, admitted_keys
    from (select org_id, agent_id, demo_key_id from run_heads where is_admitted and moved_in >= admitted_number
          union all
          -- The cast keeps this a lookup of the ids.
          select org_id, agent_id, demo_key_id from run_heads
           where run_id = any (admitted_ids) and is_admitted::integer = 1 and moved_in < admitted_number) h;
  used := coalesce(cardinality(admitted_orgs), 0);
  free := least(most, cell_runs - used);

  if free > 0 then
    select array_agg(run_id), array_agg(org_id), bool_or(waits_for <> org_id) into waiting_ids, waiting_orgs, has_other_lines
      from (select run_id, org_id, waits_for from run_heads
             where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= first_number
             order by moved_in limit max_short + 1) w;
    is_long := cardinality(waiting_ids) > max_short;

    -- Most looks find a few runs that may all start: only the limits of the cell and of their organisations concern them, and there
    -- is room. The query below would choose the same runs, but its start alone takes longer than this one.
    -- array(select …): with a variable the planner may read another index from its beginning.
    if not has_other_lines and cardinality(waiting_ids) <= free and used + cardinality(waiting_ids) <= shared_runs and not exists (
         select from (select id, count(*) as runs from unnest(waiting_orgs) as id group by id) w
          where w.runs + coalesce(cardinality(array_positions(admitted_orgs, w.id)), 0)
                > coalesce((select concurrent_runs from organisations where id = w.id limit 1), 0)) then
      return query
      with chosen as materialized (
        select h.run_id from run_heads h
         where num_nulls(h.waits_for) = 0 and h.run_id = any (array(select unnest(waiting_ids)))
           for update skip locked
      ), admitted as (
        update run_heads h set waits_for = null, is_admitted = true, moved_in = this_transaction(), progress_at = app_now()
         where h.run_id = any (array(select run_id from chosen))
        returning h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step
      ), sent as (
        insert into outbox (run_id, epoch, segment, org_id, step, due_at)
        select run_id, epoch, segment, org_id, step, app_now() + make_interval(secs => relay_after_ms::double precision / 1000) from admitted
        on conflict (run_id, epoch, segment) do nothing
      )
      select 'admitted', org_id, run_id, epoch, segment, step from admitted;
      -- The query below has nothing left to choose.
      free := 0;
    end if;
  end if;

  if free > 0 then
    if is_long and first_org is null then
      select org_id into first_org from run_heads
       where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000'
         and moved_in >= first_number + (this_transaction() % 1000003) * 7919 % (this_transaction() - first_number + 1)
       order by moved_in limit 1;
    end if;

    return query
    -- Who uses how much, as one value each: a join would compare every line with every organisation.
    with recursive used_by_org as materialized (
      select jsonb_object_agg(id, runs) as runs, coalesce(sum(runs) filter (where runs <= light_runs), 0) as of_light
        from (select id, count(*) as runs from unnest(admitted_orgs) as id group by id) u
    ), used_by_agent as materialized (
      select jsonb_object_agg(id, runs) as runs from (select id, count(*) as runs from unnest(admitted_agents) as id group by id) u
    ), used_by_key as materialized (
      select jsonb_object_agg(id, runs) as runs
        from (select id, count(*) as runs from unnest(admitted_keys) as id where id is not null group by id) u

    ), short_queue as materialized (
      select org_id, waits_for, run_id, agent_id from run_heads
       where not is_long and waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= first_number
       order by moved_in limit max_short

    -- The lines of a long queue, from one to the next through the index: from the first organisation to the end, then from the
    -- beginning. While somebody reads an old snapshot, this reads the entries of ended runs too.
    ), ahead as (
      select f.org_id, f.waits_for, 1 as number from (
        select org_id, waits_for from run_heads
         where is_long and waits_for is not null and created_at < 'infinity' and moved_in >= first_number
           and org_id >= coalesce(first_org, '00000000-0000-0000-0000-000000000000')
         order by org_id, waits_for limit 1) f
      union all
      select n.org_id, n.waits_for, a.number + 1 from ahead a cross join lateral (
        select org_id, waits_for from run_heads
         where waits_for is not null and created_at < 'infinity' and moved_in >= first_number and (org_id, waits_for) > (a.org_id, a.waits_for)
         order by org_id, waits_for limit 1) n
       where a.number < max_lines
    ), behind as (
      select f.org_id, f.waits_for, 1 as number from (
        select org_id, waits_for from run_heads
         where is_long and waits_for is not null and created_at < 'infinity' and moved_in >= first_number and org_id < first_org
           and (select count(*) from ahead) < max_lines
         order by org_id, waits_for limit 1) f
      union all
      select n.org_id, n.waits_for, b.number + 1 from behind b cross join lateral (
        select org_id, waits_for from run_heads
         where waits_for is not null and created_at < 'infinity' and moved_in >= first_number and (org_id, waits_for) > (b.org_id, b.waits_for) and org_id < first_org
         order by org_id, waits_for limit 1) n
       where b.number < max_lines - (select count(*) from ahead)

    -- own_free: how many more runs the organisation may have. Batches leave a fifth free, rounded up. agent_allows: the limit of the
    -- agent of the line.
    ), lines as (
      select l.org_id, l.waits_for, u.runs, o.allowed - u.runs as own_free,
             case when l.waits_for <> l.org_id then concurrency_of_agent(l.org_id, l.waits_for) end as agent_allows
        from (select distinct org_id, waits_for from short_queue
              union all select org_id, waits_for from ahead union all select org_id, waits_for from behind) l
        cross join lateral (select coalesce(((select runs from used_by_org) ->> l.org_id::text)::integer, 0) as runs) u
        cross join lateral (
          select concurrent_runs - case when l.waits_for = batch_line and concurrent_runs > 1 then (concurrent_runs + 4) / 5 else 0 end as allowed
            from organisations where id = l.org_id limit 1) o
       where o.allowed > u.runs
         and case when l.waits_for = batch_line then not exists (
               select from run_heads
                where org_id = l.org_id and waits_for < batch_line and waits_for is not null and created_at < 'infinity'
                  and moved_in >= first_number) else true end

    -- The first runs of each line, as many as may start and not more than its part of what a look reads.
    ), queue as materialized (
      select l.org_id, l.waits_for, l.runs, l.own_free, l.agent_allows, w.run_id, w.agent_id, w.number,
             max(case when w.number > 1 then null
                 when l.waits_for = l.org_id then l.own_free
                 when l.waits_for = batch_line then l.reads
                 when l.waits_for = w.agent_id then coalesce(l.agent_allows
                   - coalesce(((select runs from used_by_agent) ->> w.agent_id::text)::integer, 0), l.own_free)
                 else demo_key_runs - coalesce(((select runs from used_by_key) ->> l.waits_for::text)::integer, 0) end)
               over (partition by l.org_id, l.waits_for) as line_free
        from (select org_id, waits_for, runs, own_free, agent_allows, greatest(1, max_candidates / count(*) over ()) as most,
                     least(free, own_free) + case when waits_for = batch_line then max_passed else 0 end as reads from lines) l
        cross join lateral (
          select run_id, agent_id, row_number() over (order by run_id) as number from (
            (select run_id, agent_id from short_queue where org_id = l.org_id and waits_for = l.waits_for
              order by run_id limit l.reads)
            union all
            (select run_id, agent_id from run_heads
              where is_long and org_id = l.org_id and waits_for = l.waits_for and created_at < 'infinity' and moved_in >= first_number
              order by run_id limit least(l.reads, l.most))) r) w

    -- A run of a demo key and of an agent with a limit needs room in both.
    ), candidates as (
      select org_id, run_id, agent_id, runs, own_free, waits_for = batch_line as is_batch, row_number() over (partition by org_id, agent_id order by run_id) as of_agent,
             case when waits_for = org_id or waits_for = agent_id then agent_allows
                  else concurrency_of_agent(org_id, agent_id) end as agent_allows
        from queue where number <= line_free

    -- share: the number of runs that the organisation has if this one is admitted. Runs of batches come after all others.
    ), ordered as (
      select org_id, run_id, runs, share, is_batch, row_number() over (order by is_batch, share, run_id) as place from (
        select org_id, run_id, runs, own_free, is_batch, runs + row_number() over (partition by org_id order by run_id) as share
          from candidates
         where agent_allows is null
            or of_agent <= agent_allows - coalesce(((select runs from used_by_agent) ->> agent_id::text)::integer, 0)) c
       where share <= runs + own_free

    -- The part of the cell that is not shared is kept for organisations with few runs. The runs of such organisations stand in it.
    -- num_nulls: a partial index would be read from its beginning.
    ), chosen as materialized (
      select h.run_id from run_heads h
       where num_nulls(h.waits_for) = 0 and h.run_id = any (array(
         select run_id from ordered
          where place <= free
            and used + place <= case when share <= light_runs and not is_batch then cell_runs else shared_runs + least(cell_runs - shared_runs,
                  (select of_light from used_by_org)
                    - (select coalesce(sum(runs), 0) from ordered where share = runs + 1 and runs <= light_runs)) end))
         for update skip locked
    ), admitted as (
      update run_heads h set waits_for = null, is_admitted = true, moved_in = this_transaction(), progress_at = app_now()
       where h.run_id = any (array(select run_id from chosen))
      returning h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step
    ), sent as (
      insert into outbox (run_id, epoch, segment, org_id, step, due_at)
      select run_id, epoch, segment, org_id, step, app_now() + make_interval(secs => relay_after_ms::double precision / 1000) from admitted
      on conflict (run_id, epoch, segment) do nothing
    )
    select 'admitted', org_id, run_id, epoch, segment, step from admitted;
  end if;

  if exists (select from run_heads where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= first_number) then
    what := 'left';
    return next;
  end if;
end $$;
revoke all on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) from public;
grant execute on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) to ars_system, ars_batch, ars_app;
