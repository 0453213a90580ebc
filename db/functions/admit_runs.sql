-- Admits waiting runs, at most `most`: they may execute from now on. Answers a row for each of them, and one without a run if another
-- transaction admits now (`busy`) or if runs still wait (`left`). `first_org` is where it begins to look; null: anywhere.
--
-- One transaction of the cell admits at a time. It takes the lock without waiting, and a caller that finds it taken looks again soon.
-- Each statement of this function has a separate snapshot: the one that counts begins under the lock and sees all that was admitted
-- before. Runs only end meanwhile, so no limit is exceeded.
--
-- Its parts are functions that only this one calls: runs_wait, admitted_runs, fit_limits, choose_runs with waiting_lines, and
-- start_waiting_runs. They run as the owner, who reads all organisations, because a gateway that accepts a run has no role for that.
create or replace function admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer,
                           relay_after_ms integer, first_org uuid)
  returns table (what text, org uuid, run uuid, epoch integer, segment integer, step integer)
  language plpgsql security definer
  set search_path = public, pg_temp
  -- For this function and all of its parts. A connection keeps its plans, and those that it made while the queue was empty scan the
  -- table. Measured with plans from a queue of 3 runs and then 30,000 runs of 3,000 organisations: 43 ms, and without these settings
  -- 0.3 s to 5.7 s. They cost 5 to 9 µs a call.
  set enable_seqscan = off
  set enable_mergejoin = off
  set enable_hashjoin = off
  set enable_bitmapscan = off
  as $$
#variable_conflict use_column
declare
  -- A queue of at most this many runs is read completely.
  short_queue constant integer := 100;
  admission_lock constant bigint := 7305243;
  waiting_from bigint;
  admitted_from bigint;
  admitted_before uuid[];
  admitted record;
  used integer;
  places integer;
  waiting record;
  chosen uuid[];
begin
  select c.waiting_from, c.admitted_from, c.admitted_before into waiting_from, admitted_from, admitted_before from cell c;
  -- After a restore into another server the numbers of transactions begin again.
  if admitted_from > ended_transactions() then
    waiting_from := 0;
    admitted_from := 0;
  end if;
  if not runs_wait(waiting_from) then
    return;
  end if;
  if not pg_try_advisory_xact_lock(admission_lock) then
    what := 'busy';
    return next;
    return;
  end if;
  -- A caller that stops before its commit holds the lock no longer than this.
  perform set_config('idle_in_transaction_session_timeout', '500ms', true);

  select orgs, agents, demo_keys into admitted from admitted_runs(admitted_from, admitted_before);
  used := cardinality(admitted.orgs);
  places := least(most, cell_runs - used);
  if places > 0 then
    select array_agg(run_id) as ids, array_agg(org_id) as orgs, count(*) as runs, bool_and(waits_for = org_id) as is_plain into waiting
      from (select run_id, org_id, waits_for from run_heads
             where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= waiting_from
             order by moved_in limit short_queue + 1) w;

    -- Most looks find a few runs that may all start: only the limits of the cell and of their organisations concern them, and there is
    -- room. choose_runs() would choose the same runs, but its start alone takes longer than this.
    if waiting.is_plain and waiting.runs <= least(places, shared_runs - used) and fit_limits(waiting.orgs, admitted.orgs) then
      chosen := waiting.ids;
    else
      if waiting.runs > short_queue and first_org is null then
        -- Anywhere in the queue: another place in each transaction, spread over all numbers from waiting_from to this one.
        select org_id into first_org from run_heads
         where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000'
           and moved_in >= waiting_from + (this_transaction() % 1000003) * 7919 % (this_transaction() - waiting_from + 1)
         order by moved_in limit 1;
      end if;
      chosen := choose_runs(places, cell_runs, shared_runs, light_runs, demo_key_runs, admitted.orgs, admitted.agents, admitted.demo_keys,
                            waiting_from, short_queue, waiting.runs > short_queue,
                            coalesce(first_org, '00000000-0000-0000-0000-000000000000'));
    end if;
    return query select 'admitted', s.org, s.run, s.epoch, s.segment, s.step from start_waiting_runs(chosen, relay_after_ms) s;
  end if;

  if runs_wait(waiting_from) then
    what := 'left';
    return next;
  end if;
end $$;
revoke all on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) from public;
grant execute on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) to ars_system, ars_batch, ars_app;
