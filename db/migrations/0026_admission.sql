-- Stop all processes before this migration.
-- One admitter instead of slots, gates and the contended flag (docs/adr/0015-one-admitter-counts-admitted-runs.md).

-- The number of this transaction. Numbers only grow, also over a change of the clock.
create function this_transaction() returns bigint language sql as $$ select pg_current_xact_id()::text::bigint $$;
-- Every transaction with a lower number has ended, so that all that it wrote is visible.
create function ended_transactions() returns bigint language sql as $$ select pg_snapshot_xmin(pg_current_snapshot())::text::bigint $$;

alter table run_heads
  -- The line in which a run waits: that of its organisation, of its agent if the agent has a limit, or of the demo key that
  -- created it. Null: the run does not wait.
  add column waits_for uuid,
  -- It counts against the limits. A run that waits for a person neither waits here nor counts.
  add column is_admitted boolean not null default false,
  -- The transaction that put it into the queue, or admitted it.
  add column moved_in bigint not null default this_transaction(),
  add column demo_key_id uuid;

-- For these statements the owner must see all organisations.
alter table run_heads no force row level security;
update run_heads set waits_for = case when rank is not null then org_id end, is_admitted = cell_slot is not null;
alter table run_heads force row level security;

drop index run_heads_by_rank, run_heads_at_gate, run_heads_with_place;
alter table run_heads drop column slot, drop column cell_slot, drop column rank, drop column has_place;
drop trigger organisations_have_slots on organisations;
drop function make_org_slots();
drop table org_slots;
drop table cell_slots;

-- Whether anybody waits; how many of an organisation wait; and each line, in order. A second condition, which is always true, keeps an
-- index to the statements that name it. The numbers of transactions grow beyond all statistics, so that the planner believes that
-- `moved_in >= …` finds nothing, and would take the first index for everything.
create index run_heads_waiting on run_heads (moved_in) where waits_for is not null and progress_at > '-infinity';
create index run_heads_waiting_by_org on run_heads (org_id, moved_in) where waits_for is not null and deadline_at > '-infinity';
create index run_heads_in_line on run_heads (org_id, waits_for, run_id, moved_in) where waits_for is not null and created_at < 'infinity';
-- At most as many as the cell executes.
create index run_heads_admitted on run_heads (moved_in) where is_admitted;
-- For the metric of runs that wait for a person.
create index run_heads_parked on run_heads (run_id) where waits_for is null and not is_admitted;

-- Where to begin to look. While somebody reads an old snapshot (a backup), Postgres keeps the index entries of all runs that
-- ended meanwhile. They lie before these numbers, so that nobody reads them. A worker moves the numbers on every few seconds.
alter table cell
  drop column contended,
  add column settled_at timestamptz not null default '-infinity',
  -- No run that waits has a lower number.
  add column waiting_from bigint not null default 0,
  -- Runs with a lower number that are admitted.
  add column admitted_from bigint not null default 0,
  add column admitted_before uuid[] not null default '{}';

-- Admits waiting runs, at most `most`: those of the organisations with the fewest admitted runs first. Answers one row for each,
-- and one without a run if another transaction admits now (`busy`) or if runs still wait (`left`). `first_org` is where it begins to
-- look; null: anywhere.
--
-- One transaction admits at a time. It takes the lock without waiting for it. Each statement of this function has its own snapshot:
-- the one that counts begins under the lock and sees all that was admitted before. Runs only end meanwhile, so that no limit is
-- exceeded. It reads all organisations, as the owner, because the gateway that accepts a run has no role for that.
create function admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer,
  relay_after_ms integer, first_org uuid)
  returns table (what text, org uuid, run uuid, epoch integer, segment integer, step integer)
  language plpgsql security definer set search_path = public, pg_temp
  -- Planned on a small table, a statement would read the whole table for ever.
  set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off as $$
#variable_conflict use_column
declare
  -- A queue of at most max_short runs is read completely, by run_heads_waiting.
  max_short constant integer := 100;
  -- Of a longer queue one look reads at most max_lines lines and max_candidates runs. If there are more lines, each look
  -- begins at another line.
  max_lines constant integer := 200;
  max_candidates constant integer := 1000;
  first_number bigint;
  admitted_number bigint;
  admitted_ids uuid[];
  admitted_orgs uuid[];
  admitted_agents uuid[];
  admitted_keys uuid[];
  used integer;
  free integer;
  is_long boolean;
begin
  select waiting_from, admitted_from, admitted_before into first_number, admitted_number, admitted_ids from cell;
  -- After a restore into another server the numbers begin again.
  if admitted_number > ended_transactions() then
    first_number := 0;
    admitted_number := 0;
  end if;
  if not exists (select from run_heads where waits_for is not null and progress_at > '-infinity' and moved_in >= first_number) then
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
    is_long := exists (select from run_heads where waits_for is not null and progress_at > '-infinity' and moved_in >= first_number
      order by moved_in offset max_short limit 1);
    if is_long and first_org is null then
      select org_id into first_org from run_heads
       where waits_for is not null and progress_at > '-infinity'
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
       where not is_long and waits_for is not null and progress_at > '-infinity' and moved_in >= first_number
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

    -- own_free: how many more runs the organisation may have. agent_allows: the limit of the agent of the line.
    ), lines as (
      select l.org_id, l.waits_for, u.runs, o.concurrent_runs - u.runs as own_free,
             case when l.waits_for <> l.org_id then concurrency_of_agent(l.org_id, l.waits_for) end as agent_allows
        from (select distinct org_id, waits_for from short_queue
              union all select org_id, waits_for from ahead union all select org_id, waits_for from behind) l
        cross join lateral (select coalesce(((select runs from used_by_org) ->> l.org_id::text)::integer, 0) as runs) u
        cross join lateral (select concurrent_runs from organisations where id = l.org_id limit 1) o
       where o.concurrent_runs > u.runs

    -- The first runs of each line, as many as may start and not more than its part of what a look reads.
    ), queue as materialized (
      select l.org_id, l.waits_for, l.runs, l.own_free, l.agent_allows, w.run_id, w.agent_id, w.number,
             max(case when w.number > 1 then null
                 when l.waits_for = l.org_id then l.own_free
                 when l.waits_for = w.agent_id then coalesce(l.agent_allows
                   - coalesce(((select runs from used_by_agent) ->> w.agent_id::text)::integer, 0), l.own_free)
                 else demo_key_runs - coalesce(((select runs from used_by_key) ->> l.waits_for::text)::integer, 0) end)
               over (partition by l.org_id, l.waits_for) as line_free
        from (select org_id, waits_for, runs, own_free, agent_allows, greatest(1, max_candidates / count(*) over ()) as most from lines) l
        cross join lateral (
          select run_id, agent_id, row_number() over (order by run_id) as number from (
            (select run_id, agent_id from short_queue where org_id = l.org_id and waits_for = l.waits_for
              order by run_id limit least(free, l.own_free))
            union all
            (select run_id, agent_id from run_heads
              where is_long and org_id = l.org_id and waits_for = l.waits_for and created_at < 'infinity' and moved_in >= first_number
              order by run_id limit least(free, l.own_free, l.most))) r) w

    -- A run of a demo key and of an agent with a limit needs room in both.
    ), candidates as (
      select org_id, run_id, agent_id, runs, own_free, row_number() over (partition by org_id, agent_id order by run_id) as of_agent,
             case when waits_for = org_id or waits_for = agent_id then agent_allows
                  else concurrency_of_agent(org_id, agent_id) end as agent_allows
        from queue where number <= line_free

    -- share: the number of runs that the organisation has if this one is admitted.
    ), ordered as (
      select org_id, run_id, runs, share, row_number() over (order by share, run_id) as place from (
        select org_id, run_id, runs, own_free, runs + row_number() over (partition by org_id order by run_id) as share
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
            and used + place <= case when share <= light_runs then cell_runs else shared_runs + least(cell_runs - shared_runs,
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

  if exists (select from run_heads where waits_for is not null and progress_at > '-infinity' and moved_in >= first_number) then
    what := 'left';
    return next;
  end if;
end $$;

-- How many runs an agent may have in progress; null: only the organisation limits it. The live version sets the limit, for the runs
-- of a canary too: it protects what stands behind the agent.
create function concurrency_of_agent(org uuid, agent uuid) returns integer language sql stable as $$
  select (v.limits ->> 'max_concurrent_runs')::integer
    from agents a join agent_versions v
      on v.org_id = a.org_id and v.agent_id = a.id and v.version = coalesce(a.live_version, a.version)
   where a.org_id = org and a.id = agent
$$;

revoke all on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) from public;
grant execute on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) to ars_app, ars_system;
create policy admit on run_heads to ars_owner using (true) with check (true);
create policy admit on outbox to ars_owner using (true) with check (true);
create policy admit on organisations for select to ars_owner using (true);
create policy admit on agents for select to ars_owner using (true);
create policy admit on agent_versions for select to ars_owner using (true);

-- The calls of a demo key in a month. Each demo key has a separate limit within that of the organisation.
create table demo_key_calls (
  org_id uuid not null,
  key_id uuid not null,
  month date not null,
  calls integer not null,
  primary key (org_id, key_id, month)
);
alter table demo_key_calls enable row level security;
alter table demo_key_calls force row level security;
create policy own_organisation on demo_key_calls
  using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on demo_key_calls to ars_system using (true) with check (true);
grant select, insert, update on demo_key_calls to ars_app;
