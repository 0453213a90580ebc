-- Made by `pnpm schema` from db/migrations; day partitions are left out.


CREATE FUNCTION public.add_counts(one jsonb, other jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
declare
  added text[];
  each_key text;
begin
  if one = '{}' then
    return other;
  end if;
  added := array(select jsonb_object_keys(other));
  if cardinality(added) > 8 then
    return (select jsonb_object_agg(key, n) from (
      select key, sum(value::bigint) as n
        from (select key, value from jsonb_each_text(one) union all select key, value from jsonb_each_text(other)) parts
       group by key) sums);
  end if;
  foreach each_key in array added loop
    one := one || jsonb_build_object(each_key, coalesce((one ->> each_key)::bigint, 0) + (other ->> each_key)::bigint);
  end loop;
  return one;
end $$;

CREATE FUNCTION public.admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer, relay_after_ms integer, first_org uuid) RETURNS TABLE(what text, org uuid, run uuid, epoch integer, segment integer, step integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
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

CREATE FUNCTION public.app_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN statement_timestamp();

CREATE FUNCTION public.append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text, address text, request_id text, before json, after json) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  last_number bigint;
  last_hash bytea;
  entry audit_log;
begin
  insert into audit_heads (org_id, number, hash) values (org, 0, '\x00') on conflict do nothing;
  select h.number, h.hash into strict last_number, last_hash from audit_heads h where h.org_id = org for update;
  entry := row(entry_id, org, last_number + 1, actor_type, actor_id, action, subject, address, request_id, before, after,
    app_now(), ''::bytea);
  entry.hash := audit_hash(last_hash, entry);
  insert into audit_log (id, org_id, number, actor_type, actor_id, action, subject, address, request_id, before, after,
      created_at, hash)
    values (entry.id, entry.org_id, entry.number, entry.actor_type, entry.actor_id, entry.action, entry.subject,
      entry.address, entry.request_id, entry.before, entry.after, entry.created_at, entry.hash);
  update audit_heads h set number = entry.number, hash = entry.hash where h.org_id = org;
end $$;

CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    number bigint NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    action text NOT NULL,
    subject text,
    address text,
    request_id text,
    before json,
    after json,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text, 'service'::text])))
);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.audit_hash(previous bytea, entry public.audit_log) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    RETURN sha256((previous || convert_to((json_build_array((entry).id, (entry).org_id, (entry).number, (entry).actor_type, (entry).actor_id, (entry).action, (entry).subject, (entry).address, (entry).request_id, (entry).before, (entry).after, (EXTRACT(epoch FROM (entry).created_at))::text))::text, 'UTF8'::name)));

CREATE FUNCTION public.concurrency_of_agent(org uuid, agent uuid) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  select (v.limits ->> 'max_concurrent_runs')::integer
    from agents a join agent_versions v
      on v.org_id = a.org_id and v.agent_id = a.id and v.version = coalesce(a.live_version, a.version)
   where a.org_id = org and a.id = agent
$$;

CREATE FUNCTION public.counts_of(given text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(jsonb_object_agg(value, n), '{}')
    from (select value, count(*) as n from unnest(given) as value where value is not null group by value) counted
$$;

CREATE FUNCTION public.drop_partition(parent text, first_day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '100ms'
    AS $$
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

CREATE FUNCTION public.ended_transactions() RETURNS bigint
    LANGUAGE sql
    AS $$ select pg_snapshot_xmin(pg_current_snapshot())::text::bigint $$;

CREATE FUNCTION public.keep_agent_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into agent_versions (agent_id, version, org_id, name, description, kind, config, input_schema, output_schema, limits,
    policies, metadata, secrets, catalog_version, catalog_base, created_by, created_by_type)
  values (new.id, new.version, new.org_id, new.name, new.description, new.kind, new.config, new.input_schema, new.output_schema,
    new.limits, new.policies, new.metadata, new.secrets, new.catalog_version, new.catalog_base, new.changed_by,
    new.changed_by_type)
  on conflict do nothing;
  return null;
end $$;

CREATE FUNCTION public.keep_error_code() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.error_code := new.error ->> 'code';
  return new;
end $$;

CREATE FUNCTION public.make_partition(parent text, first_day date, days integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
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

CREATE FUNCTION public.new_uuid() RETURNS uuid
    LANGUAGE sql
    AS $$ select (left(uuid_floor(app_now())::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid $$;

CREATE FUNCTION public.open_batches() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
declare
  used text;
  own text;
begin
  if not exists (select from pg_roles where rolname = 'ars_batch') then
    return false;
  end if;
  -- The rights of the four statements: accept, claim, store and finish.
  if not has_schema_privilege('ars_batch', 'public', 'usage') or not has_table_privilege('ars_batch', 'run_results', 'insert') then
    grant usage on schema public to ars_batch;
    grant select (id, plan, concurrent_runs, run_timeout_max_seconds, calls_per_month, policy_set_id, stored_bytes) on organisations to ars_batch;
    grant select (id, org_id, status, version, live_version, live_deployment_id, canary_version, canary_deployment_id, canary_percent)
      on agents to ars_batch;
    grant select (org_id, agent_id, version, kind, config, input_schema, output_schema, limits) on agent_versions to ars_batch;
    grant select (org_id, subject_id, action, monthly_usd) on budgets to ars_batch;
    grant select (org_id, subject_id, month, cost_usd) on budget_spend to ars_batch;
    grant select (admitted_from, waiting_from) on cell to ars_batch;
    grant select, insert, update, delete on run_heads to ars_batch;
    grant select, insert, update, delete on idempotency_keys to ars_batch;
    grant select, insert, update on call_counts to ars_batch;
    grant select, delete on outbox to ars_batch;
    grant select (id, org_id, agent_id, agent_version, deployment_id, parent_run_id, pipeline_run_id, input, metadata, created_at,
        created_by, created_by_type, trace_context, policy_set_id, policy_key_id), insert on runs to ars_batch;
    grant insert on run_steps, run_results, run_deltas, events to ars_batch;
    grant select (run_id, seq, org_id), insert on run_events to ars_batch;
    grant select (org_id, key, value, run_id), insert on run_labels to ars_batch;
    grant execute on function admit_runs(integer, integer, integer, integer, integer, integer, uuid) to ars_batch;
  end if;
  foreach used in array array['organisations', 'agents', 'agent_versions', 'budgets', 'budget_spend', 'run_heads', 'idempotency_keys',
      'call_counts', 'outbox', 'runs', 'run_steps', 'run_results', 'run_deltas', 'events', 'run_events', 'run_labels'] loop
    own := case used when 'organisations' then 'id' else 'org_id' end;
    -- A policy takes a lock on its table, so it is not made anew. The set is read once per statement, not once per row.
    if not exists (select from pg_policy where polrelid = used::regclass and polname = 'batch_organisations') then
      execute format('create policy batch_organisations on %1$I to ars_batch using (%2$I = any (%3$s)) with check (%2$I = any (%3$s))',
        used, own, '(select nullif(current_setting(''app.org_ids'', true), '''')::uuid[])::uuid[]');
    end if;
  end loop;
  return true;
end $_$;

CREATE FUNCTION public.partition_days() RETURNS TABLE(parent text, name text, first_day date, end_day date)
    LANGUAGE sql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $_$
  select p.relname::text, c.relname::text, d.first_day,
         d.first_day + coalesce(substring(c.relname from '_([2-7])d$')::integer, 1)
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join pg_class p on p.oid = i.inhparent
   cross join lateral (
     select to_date(substring(c.relname from '_p([0-9]{8})(?:_[2-7]d)?$'), 'YYYYMMDD') as first_day) d
   where p.relkind = 'p' and p.relnamespace = 'public'::regnamespace and d.first_day is not null
$_$;

CREATE FUNCTION public.refuse_batch_item() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the item of the batch was started or dropped before' using errcode = 'ARB01';
end $$;

CREATE FUNCTION public.refuse_calls() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the slot of the month is full' using errcode = 'ARQ01';
end $$;

CREATE FUNCTION public.refuse_closed() RETURNS text
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the organisation is closed in this cell, because it moves to another one' using errcode = 'ARM01';
end $$;

CREATE FUNCTION public.this_transaction() RETURNS bigint
    LANGUAGE sql
    AS $$ select pg_current_xact_id()::text::bigint $$;

CREATE FUNCTION public.uuid_floor(moment timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (rpad(lpad(to_hex(((EXTRACT(epoch FROM moment) * (1000)::numeric))::bigint), 12, '0'::text), 32, '0'::text))::uuid;

CREATE FUNCTION public.uuid_time(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_timestamp((((((('x'::text || "left"(replace((id)::text, '-'::text, ''::text), 12)))::bit(48))::bigint)::numeric / 1000.0))::double precision);

CREATE TABLE public.agent_versions (
    agent_id uuid NOT NULL,
    version integer NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    kind text NOT NULL,
    config jsonb NOT NULL,
    input_schema jsonb,
    output_schema jsonb,
    limits jsonb NOT NULL,
    policies text[] NOT NULL,
    metadata jsonb NOT NULL,
    secrets bytea,
    catalog_version integer,
    catalog_base json,
    created_by uuid,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT agent_versions_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text])))
);

ALTER TABLE ONLY public.agent_versions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.agents (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    status text DEFAULT 'active'::text NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    catalog_key text,
    version integer DEFAULT 1 NOT NULL,
    config jsonb NOT NULL,
    input_schema jsonb,
    output_schema jsonb,
    limits jsonb DEFAULT '{}'::jsonb NOT NULL,
    policies text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    archived_at timestamp with time zone,
    secrets bytea,
    live_version integer,
    live_deployment_id uuid,
    canary_version integer,
    canary_deployment_id uuid,
    canary_percent smallint,
    latest_version integer DEFAULT 1 NOT NULL,
    catalog_version integer,
    catalog_base json,
    changed_by uuid,
    changed_by_type text DEFAULT 'operator'::text NOT NULL,
    signing_secret bytea,
    old_signing_secret bytea,
    old_signing_secret_until timestamp with time zone,
    CONSTRAINT agents_canary_percent_check CHECK (((canary_percent >= 1) AND (canary_percent <= 99))),
    CONSTRAINT agents_changed_by_type_check CHECK ((changed_by_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text]))),
    CONSTRAINT agents_check CHECK (((canary_version IS NULL) = (canary_deployment_id IS NULL))),
    CONSTRAINT agents_check1 CHECK (((canary_version IS NULL) = (canary_percent IS NULL))),
    CONSTRAINT agents_kind_check CHECK ((kind = ANY (ARRAY['llm'::text, 'remote'::text]))),
    CONSTRAINT agents_source_check CHECK ((source = ANY (ARRAY['catalog'::text, 'custom'::text]))),
    CONSTRAINT agents_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text])))
);

ALTER TABLE ONLY public.agents FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alert_destinations (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    type text NOT NULL,
    url bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT alert_destinations_type_check CHECK ((type = 'slack'::text))
);

ALTER TABLE ONLY public.alert_destinations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alert_rules (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    metric text NOT NULL,
    error_code text,
    agent_id uuid,
    operator text NOT NULL,
    threshold double precision NOT NULL,
    window_seconds integer NOT NULL,
    for_seconds integer NOT NULL,
    min_sample_size integer NOT NULL,
    severity text NOT NULL,
    enabled boolean NOT NULL,
    state text DEFAULT 'ok'::text NOT NULL,
    pending_since timestamp with time zone,
    clear_since timestamp with time zone,
    alert_id uuid,
    revision integer DEFAULT 1 NOT NULL,
    due_at timestamp with time zone DEFAULT public.app_now(),
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT alert_rules_check CHECK (((state = 'pending'::text) = (pending_since IS NOT NULL))),
    CONSTRAINT alert_rules_check1 CHECK (((state = 'firing'::text) = (alert_id IS NOT NULL))),
    CONSTRAINT alert_rules_check2 CHECK ((enabled = (due_at IS NOT NULL))),
    CONSTRAINT alert_rules_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT alert_rules_operator_check CHECK ((operator = ANY (ARRAY['above'::text, 'below'::text]))),
    CONSTRAINT alert_rules_state_check CHECK ((state = ANY (ARRAY['ok'::text, 'pending'::text, 'firing'::text])))
)
WITH (fillfactor='60');

ALTER TABLE ONLY public.alert_rules FORCE ROW LEVEL SECURITY;

CREATE TABLE public.alerts (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    agent_id uuid,
    rule json NOT NULL,
    severity text NOT NULL,
    triggered_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    resolved_at timestamp with time zone,
    resolution text,
    snapshot json NOT NULL,
    CONSTRAINT alerts_check CHECK (((resolved_at IS NULL) = (resolution IS NULL))),
    CONSTRAINT alerts_resolution_check CHECK ((resolution = ANY (ARRAY['recovered'::text, 'rule_changed'::text, 'rule_deleted'::text])))
);

ALTER TABLE ONLY public.alerts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    kind text DEFAULT 'live'::text NOT NULL,
    agent_ids uuid[],
    bucket_id uuid,
    rotated_at timestamp with time zone,
    rotated_to uuid,
    grace_until timestamp with time zone,
    last_used_at timestamp with time zone,
    exposed_at timestamp with time zone,
    created_by uuid,
    created_by_type text DEFAULT 'operator'::text NOT NULL,
    expiring_noted_for timestamp with time zone,
    CONSTRAINT api_keys_check CHECK (((rotated_at IS NULL) = (rotated_to IS NULL))),
    CONSTRAINT api_keys_check1 CHECK (((rotated_at IS NULL) = (grace_until IS NULL))),
    CONSTRAINT api_keys_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text]))),
    CONSTRAINT api_keys_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT api_keys_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'demo'::text])))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_heads (
    org_id uuid NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE ONLY public.audit_heads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batch_items (
    batch_id uuid NOT NULL,
    number integer NOT NULL,
    org_id uuid NOT NULL,
    input json,
    state text DEFAULT 'waiting'::text NOT NULL,
    code text,
    message text,
    run_id uuid,
    CONSTRAINT batch_items_check CHECK (((state = 'started'::text) = (run_id IS NOT NULL))),
    CONSTRAINT batch_items_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'started'::text, 'refused'::text, 'dropped'::text])))
)
PARTITION BY RANGE (batch_id);

ALTER TABLE ONLY public.batch_items FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batch_waits (
    run_id uuid NOT NULL,
    org_id uuid NOT NULL,
    batch_id uuid NOT NULL,
    cancelled_at timestamp with time zone
);

ALTER TABLE ONLY public.batch_waits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.batches (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    timeout_seconds integer,
    items integer NOT NULL,
    bytes bigint NOT NULL,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    dropped integer DEFAULT 0 NOT NULL,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    cancelled integer DEFAULT 0 NOT NULL,
    cursor integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT public.app_now(),
    held_until timestamp with time zone,
    claim bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    finished_at timestamp with time zone,
    erase_asked_at timestamp with time zone,
    erased_at timestamp with time zone,
    CONSTRAINT batches_check CHECK (((status = ANY (ARRAY['completed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT batches_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT batches_status_check CHECK ((status = ANY (ARRAY['running'::text, 'cancelling'::text, 'completed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.batches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.budget_spend (
    org_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    month date NOT NULL,
    slot smallint NOT NULL,
    cost_usd numeric NOT NULL,
    is_seen boolean DEFAULT false NOT NULL
)
WITH (fillfactor='60');

ALTER TABLE ONLY public.budget_spend FORCE ROW LEVEL SECURITY;

CREATE TABLE public.budget_waits (
    org_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    run_id uuid NOT NULL
);

ALTER TABLE ONLY public.budget_waits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.budgets (
    org_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    kind text NOT NULL,
    monthly_usd numeric,
    action text NOT NULL,
    told_month date,
    told_percent smallint DEFAULT 0 NOT NULL,
    resume_at timestamp with time zone,
    CONSTRAINT budgets_action_check CHECK ((action = ANY (ARRAY['refuse'::text, 'park'::text, 'notify'::text]))),
    CONSTRAINT budgets_kind_check CHECK ((kind = ANY (ARRAY['organisation'::text, 'agent'::text, 'api_key'::text]))),
    CONSTRAINT budgets_monthly_usd_check CHECK ((monthly_usd >= (0)::numeric))
);

ALTER TABLE ONLY public.budgets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.call_counts (
    org_id uuid NOT NULL,
    month date NOT NULL,
    slot smallint NOT NULL,
    calls bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.call_counts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.cell (
    only_row boolean DEFAULT true NOT NULL,
    settled_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    waiting_from bigint DEFAULT 0 NOT NULL,
    admitted_from bigint DEFAULT 0 NOT NULL,
    admitted_before uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT cell_only_row_check CHECK (only_row)
);

CREATE TABLE public.closed_organisations (
    id uuid NOT NULL,
    state text NOT NULL,
    target text NOT NULL,
    closed_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT closed_organisations_state_check CHECK ((state = ANY (ARRAY['moving'::text, 'moved'::text])))
);

CREATE TABLE public.connector_tools (
    connector_id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    listed_hash bytea,
    listed_manifest json,
    approved_hash bytea,
    approved_manifest json,
    approved_by uuid,
    approved_by_type text,
    approved_at timestamp with time zone,
    changed_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    state text GENERATED ALWAYS AS (
CASE
    WHEN (listed_hash IS NULL) THEN 'gone'::text
    WHEN (approved_hash IS NULL) THEN 'pending'::text
    WHEN (listed_hash = approved_hash) THEN 'approved'::text
    ELSE 'changed'::text
END) STORED NOT NULL,
    CONSTRAINT connector_tools_approved_by_type_check CHECK ((approved_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT connector_tools_check CHECK (((listed_hash IS NOT NULL) OR (approved_hash IS NOT NULL))),
    CONSTRAINT connector_tools_check1 CHECK (((listed_hash IS NULL) = (listed_manifest IS NULL))),
    CONSTRAINT connector_tools_check2 CHECK (((approved_hash IS NULL) = (approved_manifest IS NULL))),
    CONSTRAINT connector_tools_check3 CHECK (((approved_hash IS NULL) = (approved_by IS NULL))),
    CONSTRAINT connector_tools_check4 CHECK (((approved_hash IS NULL) = (approved_by_type IS NULL))),
    CONSTRAINT connector_tools_check5 CHECK (((approved_hash IS NULL) = (approved_at IS NULL)))
);

ALTER TABLE ONLY public.connector_tools FORCE ROW LEVEL SECURITY;

CREATE TABLE public.connectors (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    auth_type text NOT NULL,
    auth_header text,
    credential bytea,
    credential_hint text,
    created_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    created_by_type text DEFAULT 'key'::text NOT NULL,
    tools_listed_at timestamp with time zone,
    tools_fresh_until timestamp with time zone,
    tools_error text,
    CONSTRAINT connectors_auth_type_check CHECK ((auth_type = ANY (ARRAY['none'::text, 'bearer'::text, 'header'::text]))),
    CONSTRAINT connectors_check CHECK (((auth_type = 'none'::text) = (credential IS NULL))),
    CONSTRAINT connectors_check1 CHECK (((auth_type = 'header'::text) = (auth_header IS NOT NULL))),
    CONSTRAINT connectors_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text])))
);

ALTER TABLE ONLY public.connectors FORCE ROW LEVEL SECURITY;

CREATE TABLE public.deliveries (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    source text NOT NULL,
    recovery_id uuid,
    error text,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT deliveries_check CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
    CONSTRAINT deliveries_source_check CHECK ((source = ANY (ARRAY['event'::text, 'test'::text, 'redelivery'::text, 'recovery'::text]))),
    CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.delivery_attempts (
    delivery_id uuid NOT NULL,
    number smallint NOT NULL,
    org_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    duration_ms integer,
    http_status smallint,
    error text,
    request_headers json,
    response_headers json,
    response_body text
)
PARTITION BY RANGE (delivery_id);

ALTER TABLE ONLY public.delivery_attempts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.delivery_heads (
    delivery_id uuid NOT NULL,
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event_id uuid NOT NULL,
    number smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    begun_at timestamp with time zone,
    lease_until timestamp with time zone,
    CONSTRAINT delivery_heads_check CHECK (((begun_at IS NULL) = (lease_until IS NULL)))
);

ALTER TABLE ONLY public.delivery_heads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.demo_key_calls (
    org_id uuid NOT NULL,
    key_id uuid NOT NULL,
    month date NOT NULL,
    calls integer NOT NULL
);

ALTER TABLE ONLY public.demo_key_calls FORCE ROW LEVEL SECURITY;

CREATE TABLE public.deployments (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    traffic_percent smallint NOT NULL,
    rollback_rules json DEFAULT '[]'::json NOT NULL,
    previous_deployment_id uuid,
    source text NOT NULL,
    created_by uuid,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    activated_at timestamp with time zone,
    rolled_back_at timestamp with time zone,
    rollback_reason text,
    check_at timestamp with time zone,
    CONSTRAINT deployments_check CHECK (((status = 'rolled_back'::text) = (rolled_back_at IS NOT NULL))),
    CONSTRAINT deployments_check1 CHECK ((((status = 'canary'::text) = (activated_at IS NULL)) OR (status = ANY (ARRAY['superseded'::text, 'rolled_back'::text])))),
    CONSTRAINT deployments_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text, 'service'::text]))),
    CONSTRAINT deployments_source_check CHECK ((source = ANY (ARRAY['hire'::text, 'create'::text, 'update'::text, 'rollback'::text]))),
    CONSTRAINT deployments_status_check CHECK ((status = ANY (ARRAY['active'::text, 'canary'::text, 'superseded'::text, 'rolled_back'::text]))),
    CONSTRAINT deployments_traffic_percent_check CHECK (((traffic_percent >= 1) AND (traffic_percent <= 100)))
);

ALTER TABLE ONLY public.deployments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.email_proofs (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    email text NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT email_proofs_hash_check CHECK ((length(hash) = 32))
);

CREATE TABLE public.event_bodies (
    event_id uuid NOT NULL,
    org_id uuid NOT NULL,
    body text NOT NULL
)
PARTITION BY RANGE (event_id);

ALTER TABLE ONLY public.event_bodies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_clock (
    only_row boolean DEFAULT true NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    epoch uuid DEFAULT gen_random_uuid() NOT NULL,
    timeline text,
    CONSTRAINT event_clock_only_row_check CHECK (only_row)
);

CREATE TABLE public.events (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    type text NOT NULL,
    subject_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    data json,
    "position" bigint,
    webhook_id uuid
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.gateways (
    id uuid NOT NULL,
    seen_at timestamp with time zone DEFAULT public.app_now() NOT NULL
);

CREATE TABLE public.idempotency_keys (
    org_id uuid NOT NULL,
    thing text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    subject_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.invitations (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    invited_by uuid,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    revoked_at timestamp with time zone,
    mail_hash bytea,
    CONSTRAINT invitations_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text])))
);

ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.login_attempts (
    subject bytea NOT NULL,
    window_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL
);

CREATE TABLE public.login_devices (
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT login_devices_hash_check CHECK ((octet_length(hash) = 32))
);

CREATE TABLE public.mails (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    kind text NOT NULL,
    user_id uuid,
    address text,
    event_id uuid,
    link bytea,
    due_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    outcome text,
    error text,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    ended_at timestamp with time zone,
    destination_id uuid,
    CONSTRAINT mails_check CHECK ((((due_at IS NULL) = (outcome IS NOT NULL)) AND ((outcome IS NULL) = (ended_at IS NULL)))),
    CONSTRAINT mails_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'dropped'::text])))
);

ALTER TABLE ONLY public.mails FORCE ROW LEVEL SECURITY;

CREATE TABLE public.members (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'viewer'::text])))
);

ALTER TABLE ONLY public.members FORCE ROW LEVEL SECURITY;

CREATE TABLE public.migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL,
    release text,
    needs_stop boolean DEFAULT false NOT NULL
);

CREATE SEQUENCE public.migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.migrations_id_seq OWNED BY public.migrations.id;

CREATE TABLE public.notification_choices (
    member_id uuid NOT NULL,
    org_id uuid NOT NULL,
    kinds text[] NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL
);

ALTER TABLE ONLY public.notification_choices FORCE ROW LEVEL SECURITY;

CREATE TABLE public.org_keys (
    org_id uuid NOT NULL,
    wrapped bytea NOT NULL,
    kek_id text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    retired bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    rotated_at timestamp with time zone
);

ALTER TABLE ONLY public.org_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.organisations (
    id uuid NOT NULL,
    name text NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    concurrent_runs integer DEFAULT 5 NOT NULL,
    requests_per_minute integer DEFAULT 100 NOT NULL,
    burst integer DEFAULT 150 NOT NULL,
    calls_per_month bigint DEFAULT 10000 NOT NULL,
    run_timeout_max_seconds integer DEFAULT 600 NOT NULL,
    max_key_lifetime_days integer,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    policy_set_id uuid,
    CONSTRAINT organisations_burst_check CHECK (((burst >= 1) AND (burst <= 10000000))),
    CONSTRAINT organisations_calls_per_month_check CHECK ((calls_per_month >= 0)),
    CONSTRAINT organisations_concurrent_runs_check CHECK (((concurrent_runs >= 1) AND (concurrent_runs <= 10000))),
    CONSTRAINT organisations_max_key_lifetime_days_check CHECK (((max_key_lifetime_days >= 1) AND (max_key_lifetime_days <= 3650))),
    CONSTRAINT organisations_plan_check CHECK ((plan = ANY (ARRAY['demo'::text, 'free'::text, 'developer'::text, 'business'::text, 'enterprise'::text]))),
    CONSTRAINT organisations_requests_per_minute_check CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 10000000))),
    CONSTRAINT organisations_run_timeout_max_seconds_check CHECK (((run_timeout_max_seconds >= 1) AND (run_timeout_max_seconds <= 86400)))
);

ALTER TABLE ONLY public.organisations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.outbox (
    run_id uuid NOT NULL,
    epoch integer NOT NULL,
    segment integer NOT NULL,
    org_id uuid NOT NULL,
    step integer NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    due_at timestamp with time zone NOT NULL,
    sends integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

CREATE TABLE public.partition_parents (
    name text NOT NULL,
    "position" smallint NOT NULL,
    is_by_time boolean DEFAULT false NOT NULL
);

CREATE TABLE public.password_resets (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT password_resets_hash_check CHECK ((length(hash) = 32))
);

CREATE TABLE public.pipeline_heads (
    pipeline_run_id uuid NOT NULL,
    org_id uuid NOT NULL,
    pipeline_id uuid NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    runs integer DEFAULT 0 NOT NULL,
    failed_step text,
    failure_code text,
    due_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    claim bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT pipeline_heads_status_check CHECK ((status = ANY (ARRAY['running'::text, 'cancelling'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.pipeline_heads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipeline_items (
    pipeline_run_id uuid NOT NULL,
    step text NOT NULL,
    item integer NOT NULL,
    attempt integer NOT NULL,
    org_id uuid NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    code text,
    due_at timestamp with time zone,
    run_id uuid,
    question json,
    decision text,
    payload json,
    comment text,
    decided_by uuid,
    decided_by_type text,
    decided_at timestamp with time zone,
    outcome text,
    closed_at timestamp with time zone,
    message text,
    CONSTRAINT pipeline_items_check CHECK (((outcome IS NULL) = (closed_at IS NULL))),
    CONSTRAINT pipeline_items_decided_by_type_check CHECK ((decided_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT pipeline_items_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
    CONSTRAINT pipeline_items_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT pipeline_items_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'refused'::text, 'started'::text, 'cancelling'::text, 'failed'::text, 'completed'::text])))
)
PARTITION BY RANGE (pipeline_run_id);

ALTER TABLE ONLY public.pipeline_items FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipeline_runs (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    pipeline_id uuid NOT NULL,
    pipeline_version integer NOT NULL,
    input json NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    timeout_seconds integer NOT NULL,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    owner_id uuid,
    rerun_of uuid,
    from_step text,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    status text,
    output json,
    error json,
    tokens_used bigint,
    cost_usd numeric,
    finished_at timestamp with time zone,
    erased_at timestamp with time zone,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT pipeline_runs_check CHECK (((status IS NULL) = (finished_at IS NULL))),
    CONSTRAINT pipeline_runs_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT pipeline_runs_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.pipeline_runs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipeline_steps (
    pipeline_run_id uuid NOT NULL,
    key text NOT NULL,
    org_id uuid NOT NULL,
    verdict text NOT NULL,
    code text,
    items integer DEFAULT 0 NOT NULL,
    next_item integer DEFAULT 0 NOT NULL,
    halt text,
    list json,
    outcome text,
    opened_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    settled_at timestamp with time zone,
    message text,
    CONSTRAINT pipeline_steps_check CHECK (((outcome IS NULL) = (settled_at IS NULL))),
    CONSTRAINT pipeline_steps_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'skipped'::text, 'cancelled'::text]))),
    CONSTRAINT pipeline_steps_verdict_check CHECK ((verdict = ANY (ARRAY['run'::text, 'skip'::text, 'fault'::text])))
)
PARTITION BY RANGE (pipeline_run_id);

ALTER TABLE ONLY public.pipeline_steps FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipeline_versions (
    pipeline_id uuid NOT NULL,
    version integer NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    definition json NOT NULL,
    created_by uuid,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT pipeline_versions_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text, 'operator'::text])))
);

ALTER TABLE ONLY public.pipeline_versions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipeline_waits (
    run_id uuid NOT NULL,
    org_id uuid NOT NULL,
    pipeline_run_id uuid NOT NULL
);

ALTER TABLE ONLY public.pipeline_waits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pipelines (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    status text DEFAULT 'active'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT pipelines_check CHECK (((status = 'archived'::text) = (archived_at IS NOT NULL))),
    CONSTRAINT pipelines_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text])))
);

ALTER TABLE ONLY public.pipelines FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policies (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    template_key text,
    template_params json,
    mode text NOT NULL,
    shadow_until timestamp with time zone,
    version integer NOT NULL,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT policies_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT policies_mode_check CHECK ((mode = ANY (ARRAY['enforce'::text, 'shadow'::text])))
);

ALTER TABLE ONLY public.policies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_attachments (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    policy_id uuid NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    new_runs_only boolean NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT policy_attachments_subject_type_check CHECK ((subject_type = ANY (ARRAY['organisation'::text, 'agent'::text, 'api_key'::text])))
);

ALTER TABLE ONLY public.policy_attachments FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_sets (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    entries json NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    replaced_at timestamp with time zone
);

ALTER TABLE ONLY public.policy_sets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_trials (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    policy_id uuid NOT NULL,
    policy_version integer NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    agent_id uuid,
    sample integer NOT NULL,
    max_cost_usd numeric,
    status text DEFAULT 'queued'::text NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT public.app_now(),
    total integer,
    expired integer,
    cursor uuid,
    result json NOT NULL,
    samples json NOT NULL,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT policy_trials_check CHECK (((status = ANY (ARRAY['queued'::text, 'running'::text])) = (ended_at IS NULL))),
    CONSTRAINT policy_trials_check1 CHECK (((ended_at IS NULL) = (due_at IS NOT NULL))),
    CONSTRAINT policy_trials_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT policy_trials_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.policy_trials FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_versions (
    org_id uuid NOT NULL,
    policy_id uuid NOT NULL,
    version integer NOT NULL,
    rules json NOT NULL,
    secrets bytea,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT policy_versions_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text])))
);

ALTER TABLE ONLY public.policy_versions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_actions (
    run_id uuid NOT NULL,
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    type text NOT NULL,
    step integer NOT NULL,
    ordinal integer NOT NULL,
    message text NOT NULL,
    tool_call json,
    response_schema json,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    resolution text,
    payload json,
    comment text,
    resolved_by uuid,
    resolved_at timestamp with time zone,
    resolved_by_type text DEFAULT 'key'::text NOT NULL,
    held bytea,
    policy json,
    CONSTRAINT run_actions_check CHECK (((resolution IS NULL) = (resolved_at IS NULL))),
    CONSTRAINT run_actions_resolution_check CHECK ((resolution = ANY (ARRAY['approve'::text, 'reject'::text, 'respond'::text]))),
    CONSTRAINT run_actions_resolved_by_type_check CHECK ((resolved_by_type = ANY (ARRAY['key'::text, 'user'::text])))
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_actions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_deltas (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    org_id uuid NOT NULL,
    data json NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL
)
PARTITION BY RANGE (created_at);

ALTER TABLE ONLY public.run_deltas FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_events (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    org_id uuid NOT NULL,
    type text NOT NULL,
    data json,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_heads (
    run_id uuid NOT NULL,
    org_id uuid NOT NULL,
    status text NOT NULL,
    epoch integer DEFAULT 1 NOT NULL,
    segment integer DEFAULT 1 NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    step integer DEFAULT 0 NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    seq integer DEFAULT 1 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    progress_at timestamp with time zone NOT NULL,
    deadline_at timestamp with time zone NOT NULL,
    agent_id uuid,
    cost_usd numeric DEFAULT 0,
    messages integer DEFAULT 0 NOT NULL,
    actions integer DEFAULT 0 NOT NULL,
    waiting_ms bigint DEFAULT 0 NOT NULL,
    waiting_since timestamp with time zone,
    remaining_ms bigint,
    retry_at timestamp with time zone,
    note text,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    next_type text,
    waits_for uuid,
    is_admitted boolean DEFAULT false NOT NULL,
    moved_in bigint DEFAULT public.this_transaction() NOT NULL,
    demo_key_id uuid,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    budget_ids uuid[],
    claim_id uuid,
    CONSTRAINT run_heads_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'requires_action'::text, 'cancelling'::text])))
)
WITH (fillfactor='60');

ALTER TABLE ONLY public.run_heads FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_labels (
    org_id uuid NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    run_id uuid NOT NULL
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_labels FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_messages (
    run_id uuid NOT NULL,
    number integer NOT NULL,
    org_id uuid NOT NULL,
    message json NOT NULL,
    sent_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    sent_by_type text DEFAULT 'key'::text NOT NULL,
    CONSTRAINT run_messages_sent_by_type_check CHECK ((sent_by_type = ANY (ARRAY['key'::text, 'user'::text])))
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_redactions (
    run_id uuid NOT NULL,
    kind text NOT NULL,
    hash bytea NOT NULL,
    org_id uuid NOT NULL,
    number integer NOT NULL
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_redactions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_results (
    run_id uuid NOT NULL,
    org_id uuid NOT NULL,
    status text NOT NULL,
    output json,
    error json,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_usd numeric,
    started_at timestamp with time zone,
    finished_at timestamp with time zone NOT NULL,
    agent_id uuid,
    waiting_ms bigint DEFAULT 0 NOT NULL,
    last_seq integer,
    output_bytes integer,
    stored_bytes bigint,
    error_code text,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT run_results_check CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
    CONSTRAINT run_results_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_results FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_shares (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    run_id uuid NOT NULL,
    key_id uuid,
    member_id uuid,
    created_by uuid NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT run_shares_check CHECK ((num_nonnulls(key_id, member_id) = 1)),
    CONSTRAINT run_shares_hash_check CHECK ((length(hash) = 32))
);

ALTER TABLE ONLY public.run_shares FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_steps (
    run_id uuid NOT NULL,
    step integer NOT NULL,
    org_id uuid NOT NULL,
    epoch integer NOT NULL,
    attempt integer NOT NULL,
    output json,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    kind text DEFAULT 'model'::text NOT NULL,
    cost_usd numeric,
    messages_read integer DEFAULT 0 NOT NULL,
    bytes integer,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT run_steps_kind_check CHECK ((kind = ANY (ARRAY['model'::text, 'tools'::text, 'remote'::text])))
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_steps FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_tool_calls (
    run_id uuid NOT NULL,
    step integer NOT NULL,
    ordinal integer NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    connector_id uuid,
    arguments json NOT NULL,
    repeatable boolean NOT NULL,
    status text DEFAULT 'started'::text NOT NULL,
    result json,
    started_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT run_tool_calls_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'failed'::text])))
)
PARTITION BY RANGE (run_id);

ALTER TABLE ONLY public.run_tool_calls FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    agent_version integer NOT NULL,
    input json NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    timeout_seconds integer NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    deployment_id uuid,
    parent_run_id uuid,
    pipeline_run_id uuid,
    erased_at timestamp with time zone,
    is_watched boolean DEFAULT false NOT NULL,
    created_by uuid,
    created_by_type text,
    owner_id uuid,
    input_bytes integer,
    trace_context text,
    policy_set_id uuid,
    policy_key_id uuid,
    CONSTRAINT runs_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.schedule_firings (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    date timestamp with time zone NOT NULL,
    missed_from timestamp with time zone,
    status text NOT NULL,
    code text,
    run_id uuid,
    pipeline_run_id uuid,
    due_at timestamp with time zone,
    claim integer DEFAULT 0 NOT NULL,
    start_by timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT schedule_firings_check CHECK (((status = 'started'::text) = (num_nonnulls(run_id, pipeline_run_id) = 1))),
    CONSTRAINT schedule_firings_check1 CHECK (((status = 'started'::text) = (started_at IS NOT NULL))),
    CONSTRAINT schedule_firings_check2 CHECK (((status <> ALL (ARRAY['skipped'::text, 'failed'::text])) OR ((ended_at IS NOT NULL) AND (code IS NOT NULL)))),
    CONSTRAINT schedule_firings_check3 CHECK (((status <> ALL (ARRAY['due'::text, 'queued'::text])) OR (ended_at IS NULL))),
    CONSTRAINT schedule_firings_check4 CHECK (((due_at IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT schedule_firings_kind_check CHECK ((kind = ANY (ARRAY['date'::text, 'request'::text]))),
    CONSTRAINT schedule_firings_status_check CHECK ((status = ANY (ARRAY['due'::text, 'queued'::text, 'started'::text, 'skipped'::text, 'failed'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.schedule_firings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.schedules (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    name text NOT NULL,
    cron text,
    time_zone text,
    interval_seconds integer,
    anchor_at timestamp with time zone,
    once_at timestamp with time zone,
    agent_id uuid,
    pipeline_id uuid,
    input json DEFAULT '{}'::json NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    missed text DEFAULT 'skip'::text NOT NULL,
    overlap text DEFAULT 'skip'::text NOT NULL,
    monthly_budget_usd numeric,
    spent_month date,
    spent_usd numeric DEFAULT 0 NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    pause_code text,
    paused_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    handled_until timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    claim integer DEFAULT 0 NOT NULL,
    firings integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    archived_at timestamp with time zone,
    CONSTRAINT schedules_check CHECK ((num_nonnulls(cron, interval_seconds, once_at) = 1)),
    CONSTRAINT schedules_check1 CHECK (((cron IS NULL) = (time_zone IS NULL))),
    CONSTRAINT schedules_check2 CHECK (((interval_seconds IS NULL) = (anchor_at IS NULL))),
    CONSTRAINT schedules_check3 CHECK ((num_nonnulls(agent_id, pipeline_id) = 1)),
    CONSTRAINT schedules_check4 CHECK (((status = 'paused'::text) = (paused_at IS NOT NULL))),
    CONSTRAINT schedules_check5 CHECK (((status = 'paused'::text) = (pause_code IS NOT NULL))),
    CONSTRAINT schedules_check6 CHECK (((due_at IS NULL) OR ((status = 'active'::text) AND (archived_at IS NULL)))),
    CONSTRAINT schedules_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT schedules_interval_seconds_check CHECK ((interval_seconds >= 60)),
    CONSTRAINT schedules_missed_check CHECK ((missed = ANY (ARRAY['skip'::text, 'once'::text]))),
    CONSTRAINT schedules_monthly_budget_usd_check CHECK ((monthly_budget_usd >= (0)::numeric)),
    CONSTRAINT schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'queue'::text, 'allow'::text]))),
    CONSTRAINT schedules_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.schedules FORCE ROW LEVEL SECURITY;

CREATE TABLE public.session_tokens (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    key_id uuid,
    session_id uuid,
    hash bytea NOT NULL,
    scopes text[] NOT NULL,
    run_id uuid,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT session_tokens_check CHECK ((num_nonnulls(key_id, session_id) = 1)),
    CONSTRAINT session_tokens_hash_check CHECK ((length(hash) = 32))
);

ALTER TABLE ONLY public.session_tokens FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    seen_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    address text,
    user_agent text,
    CONSTRAINT sessions_hash_check CHECK ((length(hash) = 32))
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.storage_counts (
    day date NOT NULL,
    org_id uuid NOT NULL,
    bytes bigint NOT NULL,
    counted_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.storage_counts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_buckets (
    org_id uuid NOT NULL,
    width text NOT NULL,
    scope text NOT NULL,
    bucket timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    agent_version integer NOT NULL,
    api_key_id uuid NOT NULL,
    completed bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cost_usd numeric DEFAULT 0 NOT NULL,
    unpriced_runs bigint DEFAULT 0 NOT NULL,
    latency_ms numeric DEFAULT 0 NOT NULL,
    guardrail_blocks bigint DEFAULT 0 NOT NULL,
    deliveries_succeeded bigint DEFAULT 0 NOT NULL,
    deliveries_failed bigint DEFAULT 0 NOT NULL,
    errors jsonb DEFAULT '{}'::jsonb NOT NULL,
    latency jsonb DEFAULT '{}'::jsonb NOT NULL,
    queue jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT usage_buckets_scope_check CHECK ((scope = ANY (ARRAY['total'::text, 'agent'::text, 'key'::text, 'detail'::text]))),
    CONSTRAINT usage_buckets_width_check CHECK ((width = ANY (ARRAY['minute'::text, 'quarter'::text, 'hour'::text, 'day'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.usage_buckets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_cursor (
    is_single boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT usage_cursor_is_single_check CHECK (is_single)
);

CREATE TABLE public.usage_notes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    org_id uuid NOT NULL,
    at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    deliveries_succeeded integer DEFAULT 0 NOT NULL,
    deliveries_failed integer DEFAULT 0 NOT NULL,
    guardrail_blocks integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.usage_notes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.users (
    id uuid NOT NULL,
    email text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    password_hash text,
    password_changed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    email_proven_at timestamp with time zone
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_hours (
    webhook_id uuid NOT NULL,
    slot smallint NOT NULL,
    org_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    succeeded integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    CONSTRAINT webhook_hours_slot_check CHECK (((slot >= 0) AND (slot <= 23)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.webhook_hours FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_lanes (
    webhook_id uuid NOT NULL,
    org_id uuid NOT NULL,
    due_at timestamp with time zone,
    waiting integer DEFAULT 0 NOT NULL,
    under_way integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    rest_until timestamp with time zone,
    failing_since timestamp with time zone,
    last_succeeded_at timestamp with time zone,
    CONSTRAINT webhook_lanes_under_way_check CHECK ((under_way >= 0)),
    CONSTRAINT webhook_lanes_waiting_check CHECK ((waiting >= 0))
);

ALTER TABLE ONLY public.webhook_lanes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_recoveries (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    cursor uuid,
    found integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT webhook_recoveries_check CHECK (((status <> 'running'::text) OR (ended_at IS NULL))),
    CONSTRAINT webhook_recoveries_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY public.webhook_recoveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    description text,
    secret bytea NOT NULL,
    secret_hint text NOT NULL,
    old_secret bytea,
    old_secret_until timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    missed_since timestamp with time zone,
    created_by uuid NOT NULL,
    created_by_type text NOT NULL,
    created_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.app_now() NOT NULL,
    CONSTRAINT webhooks_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT webhooks_check1 CHECK (((old_secret IS NULL) = (old_secret_until IS NULL))),
    CONSTRAINT webhooks_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['key'::text, 'user'::text]))),
    CONSTRAINT webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['paused'::text, 'gone'::text, 'failing'::text])))
);

ALTER TABLE ONLY public.webhooks FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);

ALTER TABLE ONLY public.agent_versions
    ADD CONSTRAINT agent_versions_pkey PRIMARY KEY (agent_id, version);

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_destinations
    ADD CONSTRAINT alert_destinations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT alert_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_org_id_number_key UNIQUE (org_id, number);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.batch_items
    ADD CONSTRAINT batch_items_pkey PRIMARY KEY (batch_id, number);

ALTER TABLE ONLY public.batch_waits
    ADD CONSTRAINT batch_waits_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.budget_spend
    ADD CONSTRAINT budget_spend_pkey PRIMARY KEY (org_id, subject_id, month, slot);

ALTER TABLE ONLY public.budget_waits
    ADD CONSTRAINT budget_waits_pkey PRIMARY KEY (org_id, subject_id, run_id);

ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (org_id, subject_id);

ALTER TABLE ONLY public.call_counts
    ADD CONSTRAINT call_counts_pkey PRIMARY KEY (org_id, month, slot);

ALTER TABLE ONLY public.cell
    ADD CONSTRAINT cell_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.closed_organisations
    ADD CONSTRAINT closed_organisations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.connector_tools
    ADD CONSTRAINT connector_tools_pkey PRIMARY KEY (connector_id, name);

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.delivery_heads
    ADD CONSTRAINT delivery_heads_pkey PRIMARY KEY (delivery_id);

ALTER TABLE ONLY public.demo_key_calls
    ADD CONSTRAINT demo_key_calls_pkey PRIMARY KEY (org_id, key_id, month);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.email_proofs
    ADD CONSTRAINT email_proofs_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.email_proofs
    ADD CONSTRAINT email_proofs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_bodies
    ADD CONSTRAINT event_bodies_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY public.event_clock
    ADD CONSTRAINT event_clock_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.gateways
    ADD CONSTRAINT gateways_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, thing, key);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.login_attempts
    ADD CONSTRAINT login_attempts_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY public.login_devices
    ADD CONSTRAINT login_devices_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_org_id_user_id_key UNIQUE (org_id, user_id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_choices
    ADD CONSTRAINT notification_choices_pkey PRIMARY KEY (member_id);

ALTER TABLE ONLY public.org_keys
    ADD CONSTRAINT org_keys_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.organisations
    ADD CONSTRAINT organisations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (run_id, epoch, segment);

ALTER TABLE ONLY public.partition_parents
    ADD CONSTRAINT partition_parents_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.partition_parents
    ADD CONSTRAINT partition_parents_position_key UNIQUE ("position");

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipeline_heads
    ADD CONSTRAINT pipeline_heads_pkey PRIMARY KEY (pipeline_run_id);

ALTER TABLE ONLY public.pipeline_items
    ADD CONSTRAINT pipeline_items_pkey PRIMARY KEY (pipeline_run_id, step, item, attempt);

ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipeline_steps
    ADD CONSTRAINT pipeline_steps_pkey PRIMARY KEY (pipeline_run_id, key);

ALTER TABLE ONLY public.pipeline_versions
    ADD CONSTRAINT pipeline_versions_pkey PRIMARY KEY (pipeline_id, version);

ALTER TABLE ONLY public.pipeline_waits
    ADD CONSTRAINT pipeline_waits_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_attachments
    ADD CONSTRAINT policy_attachments_org_id_subject_id_policy_id_key UNIQUE (org_id, subject_id, policy_id);

ALTER TABLE ONLY public.policy_attachments
    ADD CONSTRAINT policy_attachments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_sets
    ADD CONSTRAINT policy_sets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_trials
    ADD CONSTRAINT policy_trials_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_pkey PRIMARY KEY (org_id, policy_id, version);

ALTER TABLE ONLY public.run_actions
    ADD CONSTRAINT run_actions_pkey PRIMARY KEY (run_id, id);

ALTER TABLE public.run_actions
    ADD CONSTRAINT run_actions_type_check CHECK ((type = ANY (ARRAY['approval'::text, 'input'::text, 'reconcile'::text, 'raise_budget'::text]))) NOT VALID;

ALTER TABLE ONLY public.run_deltas
    ADD CONSTRAINT run_deltas_pkey PRIMARY KEY (run_id, seq, created_at);

ALTER TABLE ONLY public.run_events
    ADD CONSTRAINT run_events_pkey PRIMARY KEY (run_id, seq);

ALTER TABLE ONLY public.run_heads
    ADD CONSTRAINT run_heads_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.run_labels
    ADD CONSTRAINT run_labels_pkey PRIMARY KEY (org_id, key, value, run_id);

ALTER TABLE ONLY public.run_messages
    ADD CONSTRAINT run_messages_pkey PRIMARY KEY (run_id, number);

ALTER TABLE ONLY public.run_redactions
    ADD CONSTRAINT run_redactions_pkey PRIMARY KEY (run_id, kind, hash);

ALTER TABLE ONLY public.run_results
    ADD CONSTRAINT run_results_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.run_shares
    ADD CONSTRAINT run_shares_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.run_shares
    ADD CONSTRAINT run_shares_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.run_steps
    ADD CONSTRAINT run_steps_pkey PRIMARY KEY (run_id, step);

ALTER TABLE ONLY public.run_tool_calls
    ADD CONSTRAINT run_tool_calls_pkey PRIMARY KEY (run_id, step, ordinal);

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schedule_firings
    ADD CONSTRAINT schedule_firings_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schedule_firings
    ADD CONSTRAINT schedule_firings_schedule_id_kind_date_key UNIQUE (schedule_id, kind, date);

ALTER TABLE ONLY public.schedule_firings
    ADD CONSTRAINT schedule_firings_schedule_id_number_key UNIQUE (schedule_id, number);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.session_tokens
    ADD CONSTRAINT session_tokens_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.session_tokens
    ADD CONSTRAINT session_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.storage_counts
    ADD CONSTRAINT storage_counts_pkey PRIMARY KEY (day, org_id);

ALTER TABLE ONLY public.usage_buckets
    ADD CONSTRAINT usage_buckets_pkey PRIMARY KEY (org_id, width, scope, bucket, agent_id, agent_version, api_key_id);

ALTER TABLE ONLY public.usage_cursor
    ADD CONSTRAINT usage_cursor_pkey PRIMARY KEY (is_single);

ALTER TABLE ONLY public.usage_notes
    ADD CONSTRAINT usage_notes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_hours
    ADD CONSTRAINT webhook_hours_pkey PRIMARY KEY (webhook_id, slot);

ALTER TABLE ONLY public.webhook_lanes
    ADD CONSTRAINT webhook_lanes_pkey PRIMARY KEY (webhook_id);

ALTER TABLE ONLY public.webhook_recoveries
    ADD CONSTRAINT webhook_recoveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

CREATE INDEX agents_by_org ON public.agents USING btree (org_id, id);

CREATE INDEX alert_destinations_by_organisation ON public.alert_destinations USING btree (org_id, id);

CREATE INDEX alert_rules_by_org ON public.alert_rules USING btree (org_id, id);

CREATE INDEX alert_rules_due ON public.alert_rules USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX alerts_by_end ON public.alerts USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);

CREATE INDEX alerts_by_org ON public.alerts USING btree (org_id, id);

CREATE INDEX alerts_by_rule ON public.alerts USING btree (org_id, rule_id, id);

CREATE UNIQUE INDEX alerts_firing ON public.alerts USING btree (rule_id) WHERE (resolved_at IS NULL);

CREATE INDEX api_keys_by_creator ON public.api_keys USING btree (org_id, created_by, id) WHERE (created_by IS NOT NULL);

CREATE INDEX api_keys_by_org ON public.api_keys USING btree (org_id, id);

CREATE INDEX api_keys_expiring ON public.api_keys USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (revoked_at IS NULL) AND (rotated_at IS NULL) AND (expiring_noted_for IS DISTINCT FROM expires_at));

CREATE INDEX audit_log_by_action ON public.audit_log USING btree (org_id, action, id);

CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (org_id, actor_id, id);

CREATE INDEX audit_log_by_org ON public.audit_log USING btree (org_id, id);

CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (org_id, subject, id);

CREATE INDEX batch_waits_by_batch ON public.batch_waits USING btree (batch_id);

CREATE INDEX batches_active ON public.batches USING btree (org_id) WHERE (finished_at IS NULL);

CREATE INDEX batches_by_organisation ON public.batches USING btree (org_id, id);

CREATE INDEX batches_due ON public.batches USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX budget_spend_unseen ON public.budget_spend USING btree (org_id, subject_id) WHERE (NOT is_seen);

CREATE INDEX budgets_to_resume ON public.budgets USING btree (resume_at) WHERE (resume_at IS NOT NULL);

CREATE INDEX connector_tools_off ON public.connector_tools USING btree (state) WHERE (state <> 'approved'::text);

CREATE INDEX connectors_by_org ON public.connectors USING btree (org_id, id);

CREATE INDEX deliveries_by_event ON ONLY public.deliveries USING btree (event_id, webhook_id, id);

CREATE INDEX deliveries_by_recovery ON ONLY public.deliveries USING btree (recovery_id, status) WHERE (recovery_id IS NOT NULL);

CREATE INDEX deliveries_by_webhook ON ONLY public.deliveries USING btree (org_id, webhook_id, id);

CREATE INDEX deliveries_failed ON ONLY public.deliveries USING btree (org_id, webhook_id, id) WHERE (status = 'failed'::text);

CREATE INDEX delivery_heads_line ON public.delivery_heads USING btree (webhook_id, due_at, event_id) WHERE (lease_until IS NULL);

CREATE INDEX delivery_heads_under_way ON public.delivery_heads USING btree (lease_until) WHERE (lease_until IS NOT NULL);

CREATE UNIQUE INDEX deployments_active ON public.deployments USING btree (agent_id) WHERE (status = 'active'::text);

CREATE INDEX deployments_by_agent ON public.deployments USING btree (org_id, agent_id, id);

CREATE INDEX deployments_by_check ON public.deployments USING btree (check_at) WHERE (check_at IS NOT NULL);

CREATE INDEX deployments_by_org ON public.deployments USING btree (org_id, id);

CREATE UNIQUE INDEX deployments_canary ON public.deployments USING btree (agent_id) WHERE (status = 'canary'::text);

CREATE INDEX email_proofs_by_expiry ON public.email_proofs USING btree (expires_at);

CREATE INDEX email_proofs_by_user ON public.email_proofs USING btree (user_id, created_at);

CREATE INDEX events_by_org ON ONLY public.events USING btree (org_id, id);

CREATE INDEX events_by_position ON ONLY public.events USING btree (org_id, "position") WHERE ("position" IS NOT NULL);

CREATE INDEX events_by_subject ON ONLY public.events USING btree (subject_id);

CREATE INDEX events_by_type ON ONLY public.events USING btree (org_id, type, id) WHERE (type <> 'run.completed'::text);

CREATE INDEX events_of_ends ON ONLY public.events USING btree ("position") WHERE (("position" IS NOT NULL) AND (type = ANY (ARRAY['run.completed'::text, 'run.failed'::text, 'run.cancelled'::text])));

CREATE INDEX events_untold ON ONLY public.events USING btree (id) WHERE ("position" IS NULL);

CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE INDEX invitations_by_org ON public.invitations USING btree (org_id, id);

CREATE INDEX login_attempts_by_window ON public.login_attempts USING btree (window_at);

CREATE INDEX login_devices_by_use ON public.login_devices USING btree (used_at);

CREATE INDEX login_devices_by_user ON public.login_devices USING btree (user_id, used_at);

CREATE INDEX mails_by_due ON public.mails USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX mails_by_end ON public.mails USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX mails_by_organisation ON public.mails USING btree (org_id, created_at);

CREATE INDEX members_by_org ON public.members USING btree (org_id, id);

CREATE INDEX members_by_user ON public.members USING btree (user_id);

CREATE INDEX org_keys_by_kek ON public.org_keys USING btree (kek_id);

CREATE INDEX outbox_by_due ON public.outbox USING btree (due_at);

CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

CREATE INDEX pipeline_heads_by_organisation ON public.pipeline_heads USING btree (org_id, pipeline_id);

CREATE INDEX pipeline_heads_due ON public.pipeline_heads USING btree (due_at);

CREATE INDEX pipeline_items_open ON ONLY public.pipeline_items USING btree (pipeline_run_id) WHERE (closed_at IS NULL);

CREATE INDEX pipeline_runs_by_organisation ON ONLY public.pipeline_runs USING btree (org_id, id);

CREATE INDEX pipeline_runs_by_pipeline ON ONLY public.pipeline_runs USING btree (org_id, pipeline_id, id);

CREATE INDEX pipelines_by_organisation ON public.pipelines USING btree (org_id, id);

CREATE INDEX policies_by_organisation ON public.policies USING btree (org_id, id);

CREATE INDEX policies_in_shadow ON public.policies USING btree (shadow_until) WHERE (shadow_until IS NOT NULL);

CREATE INDEX policy_attachments_by_policy ON public.policy_attachments USING btree (org_id, policy_id, id);

CREATE INDEX policy_sets_by_organisation ON public.policy_sets USING btree (org_id, id);

CREATE INDEX policy_trials_by_policy ON public.policy_trials USING btree (org_id, policy_id, id);

CREATE INDEX policy_trials_due ON public.policy_trials USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX run_heads_admitted ON public.run_heads USING btree (moved_in) WHERE is_admitted;

CREATE INDEX run_heads_by_agent ON public.run_heads USING btree (org_id, agent_id, created_at) WHERE (created_at > '-infinity'::timestamp with time zone);

CREATE INDEX run_heads_by_deadline ON public.run_heads USING btree (deadline_at);

CREATE INDEX run_heads_by_org ON public.run_heads USING btree (org_id, run_id) WHERE (created_at > '-infinity'::timestamp with time zone);

CREATE INDEX run_heads_in_line ON public.run_heads USING btree (org_id, waits_for, run_id, moved_in) WHERE ((waits_for IS NOT NULL) AND (created_at < 'infinity'::timestamp with time zone));

CREATE INDEX run_heads_parked ON public.run_heads USING btree (run_id) WHERE ((waits_for IS NULL) AND (NOT is_admitted));

CREATE INDEX run_heads_queue ON public.run_heads USING btree (moved_in) WHERE ((waits_for IS NOT NULL) AND (org_id <> '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX run_heads_waiting_by_org ON public.run_heads USING btree (org_id, moved_in) WHERE ((waits_for IS NOT NULL) AND (deadline_at > '-infinity'::timestamp with time zone));

CREATE INDEX run_results_by_error ON ONLY public.run_results USING btree (org_id, error_code, run_id) WHERE (error_code IS NOT NULL);

CREATE INDEX run_results_by_status ON ONLY public.run_results USING btree (org_id, status, run_id) INCLUDE (agent_id);

CREATE INDEX run_shares_by_expiry ON public.run_shares USING btree (expires_at);

CREATE INDEX run_shares_by_member ON public.run_shares USING btree (member_id) WHERE (member_id IS NOT NULL);

CREATE INDEX run_shares_by_run ON public.run_shares USING btree (org_id, run_id, id);

CREATE INDEX runs_by_agent ON ONLY public.runs USING btree (org_id, agent_id, id);

CREATE INDEX runs_by_creator ON ONLY public.runs USING btree (org_id, created_by, id) WHERE (created_by IS NOT NULL);

CREATE INDEX runs_by_deployment ON ONLY public.runs USING btree (org_id, deployment_id, id) WHERE (deployment_id IS NOT NULL);

CREATE INDEX runs_by_org ON ONLY public.runs USING btree (org_id, id);

CREATE INDEX runs_by_owner ON ONLY public.runs USING btree (org_id, owner_id, id) WHERE (owner_id IS NOT NULL);

CREATE INDEX runs_by_parent ON ONLY public.runs USING btree (org_id, parent_run_id, id) WHERE (parent_run_id IS NOT NULL);

CREATE INDEX runs_by_pipeline_run ON ONLY public.runs USING btree (org_id, pipeline_run_id, id) WHERE (pipeline_run_id IS NOT NULL);

CREATE INDEX runs_watched ON ONLY public.runs USING btree (deployment_id, id) WHERE is_watched;

CREATE INDEX schedule_firings_by_schedule ON public.schedule_firings USING btree (org_id, schedule_id, id);

CREATE INDEX schedule_firings_ended ON public.schedule_firings USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX schedule_firings_open ON public.schedule_firings USING btree (schedule_id, number) WHERE (ended_at IS NULL);

CREATE INDEX schedule_firings_to_end ON public.schedule_firings USING btree (due_at) WHERE ((status = 'started'::text) AND (due_at IS NOT NULL));

CREATE INDEX schedule_firings_to_start ON public.schedule_firings USING btree (due_at) WHERE (status = ANY (ARRAY['due'::text, 'queued'::text]));

CREATE INDEX schedules_archived ON public.schedules USING btree (archived_at) WHERE (archived_at IS NOT NULL);

CREATE INDEX schedules_by_organisation ON public.schedules USING btree (org_id, id) WHERE (archived_at IS NULL);

CREATE INDEX schedules_due ON public.schedules USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX session_tokens_by_expiry ON public.session_tokens USING btree (expires_at);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, id);

CREATE INDEX usage_buckets_by_age ON public.usage_buckets USING btree (width, bucket);

CREATE INDEX usage_notes_by_time ON public.usage_notes USING btree (at);

CREATE INDEX users_by_email ON public.users USING btree (email);

CREATE UNIQUE INDEX users_by_proven_email ON public.users USING btree (email) WHERE (email_proven_at IS NOT NULL);

CREATE INDEX webhook_lanes_by_due ON public.webhook_lanes USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX webhook_recoveries_by_webhook ON public.webhook_recoveries USING btree (org_id, webhook_id, id);

CREATE INDEX webhook_recoveries_open ON public.webhook_recoveries USING btree (id) WHERE (ended_at IS NULL);

CREATE UNIQUE INDEX webhook_recoveries_running ON public.webhook_recoveries USING btree (webhook_id) WHERE (status = 'running'::text);

CREATE INDEX webhooks_by_org ON public.webhooks USING btree (org_id, id);

CREATE TRIGGER keep_error_code BEFORE INSERT ON public.run_results FOR EACH ROW WHEN ((new.error IS NOT NULL)) EXECUTE FUNCTION public.keep_error_code();

CREATE TRIGGER keep_first_version AFTER INSERT ON public.agents FOR EACH ROW EXECUTE FUNCTION public.keep_agent_version();

CREATE TRIGGER keep_version AFTER UPDATE ON public.agents FOR EACH ROW WHEN ((new.version > old.latest_version)) EXECUTE FUNCTION public.keep_agent_version();

ALTER TABLE ONLY public.agent_versions
    ADD CONSTRAINT agent_versions_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id);

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.alert_destinations
    ADD CONSTRAINT alert_destinations_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT alert_rules_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id);

ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT alert_rules_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.connector_tools
    ADD CONSTRAINT connector_tools_connector_id_fkey FOREIGN KEY (connector_id) REFERENCES public.connectors(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connector_tools
    ADD CONSTRAINT connector_tools_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.connectors
    ADD CONSTRAINT connectors_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id);

ALTER TABLE ONLY public.email_proofs
    ADD CONSTRAINT email_proofs_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.login_devices
    ADD CONSTRAINT login_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.notification_choices
    ADD CONSTRAINT notification_choices_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_choices
    ADD CONSTRAINT notification_choices_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.org_keys
    ADD CONSTRAINT org_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.pipeline_versions
    ADD CONSTRAINT pipeline_versions_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id);

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.policy_attachments
    ADD CONSTRAINT policy_attachments_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.policy_sets
    ADD CONSTRAINT policy_sets_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.policy_trials
    ADD CONSTRAINT policy_trials_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.run_shares
    ADD CONSTRAINT run_shares_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.run_shares
    ADD CONSTRAINT run_shares_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.members(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.run_shares
    ADD CONSTRAINT run_shares_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.session_tokens
    ADD CONSTRAINT session_tokens_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.session_tokens
    ADD CONSTRAINT session_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.session_tokens
    ADD CONSTRAINT session_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.sessions(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.webhook_hours
    ADD CONSTRAINT webhook_hours_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_lanes
    ADD CONSTRAINT webhook_lanes_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_recoveries
    ADD CONSTRAINT webhook_recoveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

CREATE POLICY admit ON public.agent_versions FOR SELECT TO ars_owner USING (true);

CREATE POLICY admit ON public.agents FOR SELECT TO ars_owner USING (true);

CREATE POLICY admit ON public.organisations FOR SELECT TO ars_owner USING (true);

CREATE POLICY admit ON public.outbox TO ars_owner USING (true) WITH CHECK (true);

CREATE POLICY admit ON public.run_heads TO ars_owner USING (true) WITH CHECK (true);

ALTER TABLE public.agent_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.agents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alert_destinations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alert_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.alerts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.batch_items ENABLE ROW LEVEL SECURITY;

CREATE POLICY batch_organisations ON public.agent_versions TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.agents TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.budget_spend TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.budgets TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.call_counts TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.events TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.idempotency_keys TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.organisations TO ars_batch USING ((id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.outbox TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_deltas TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_events TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_heads TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_labels TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_results TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.run_steps TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

CREATE POLICY batch_organisations ON public.runs TO ars_batch USING ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT (NULLIF(current_setting('app.org_ids'::text, true), ''::text))::uuid[] AS "nullif")::uuid[])));

ALTER TABLE public.batch_waits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.budget_spend ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.budget_waits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.budgets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.call_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connector_tools ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.delivery_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.delivery_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.demo_key_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_bodies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY every_organisation ON public.agent_versions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.agents TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.alert_destinations TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.alert_rules TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.alerts TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.api_keys TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.audit_heads TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.audit_log TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.batch_items TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.batch_waits TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.batches TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.budget_spend TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.budget_waits TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.budgets TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.call_counts TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.connector_tools TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.connectors TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.deliveries TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.delivery_attempts TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.delivery_heads TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.demo_key_calls TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.deployments TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.event_bodies TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.events TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.idempotency_keys TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.invitations TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.mails TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.members TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.notification_choices TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.org_keys TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.organisations TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.outbox TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_heads TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_items TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_runs TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_steps TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_versions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipeline_waits TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.pipelines TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.policies TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.policy_attachments TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.policy_sets TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.policy_trials TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.policy_versions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_actions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_deltas TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_events TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_heads TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_labels TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_messages TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_redactions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_results TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_shares TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_steps TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.run_tool_calls TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.runs TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.schedule_firings TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.schedules TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.session_tokens TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.sessions TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.storage_counts TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.usage_buckets TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.usage_notes TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.users TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.webhook_hours TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.webhook_lanes TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.webhook_recoveries TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY every_organisation ON public.webhooks TO ars_system USING (true) WITH CHECK (true);

CREATE POLICY find_before ON public.invitations FOR SELECT TO ars_auth USING (true);

CREATE POLICY find_before ON public.members FOR SELECT TO ars_auth USING (true);

CREATE POLICY find_before ON public.run_shares FOR SELECT TO ars_auth USING (true);

CREATE POLICY find_before ON public.session_tokens FOR SELECT TO ars_auth USING (true);

CREATE POLICY find_before ON public.sessions TO ars_auth USING (true) WITH CHECK (true);

CREATE POLICY find_before ON public.users TO ars_auth USING (true) WITH CHECK (true);

CREATE POLICY find_by_hash ON public.api_keys FOR SELECT TO ars_auth USING (true);

CREATE POLICY find_by_key ON public.organisations FOR SELECT TO ars_auth USING (true);

CREATE POLICY follow ON public.events FOR SELECT TO ars_feed USING (true);

CREATE POLICY follow ON public.run_heads FOR SELECT TO ars_feed USING (true);

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.members ENABLE ROW LEVEL SECURITY;

CREATE POLICY note_use ON public.api_keys FOR UPDATE TO ars_auth USING (true) WITH CHECK (true);

ALTER TABLE public.notification_choices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.org_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organisations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_members ON public.users FOR SELECT TO ars_app USING ((EXISTS ( SELECT
   FROM public.members m
  WHERE (m.user_id = users.id))));

CREATE POLICY own_organisation ON public.agent_versions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.agents USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.alert_destinations USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.alert_rules USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.alerts USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.api_keys USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.audit_heads USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.audit_log USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.batch_items USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.batch_waits USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.batches USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.budget_spend USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.budget_waits USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.budgets USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.call_counts USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.connector_tools USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.connectors USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.deliveries USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.delivery_attempts USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.delivery_heads USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.demo_key_calls USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.deployments USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.event_bodies USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.events USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.idempotency_keys USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.invitations USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.mails USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.members USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.notification_choices USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.org_keys USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.organisations USING ((id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.outbox USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_heads USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_items USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_runs USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_steps USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_versions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipeline_waits USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.pipelines USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.policies USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.policy_attachments USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.policy_sets USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.policy_trials USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.policy_versions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_actions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_deltas USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_events USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_heads USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_labels USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_messages USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_redactions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_results USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_shares USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_steps USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.run_tool_calls USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.runs USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.schedule_firings USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.schedules USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.session_tokens USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.sessions USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.storage_counts USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.usage_buckets USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.usage_notes USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.webhook_hours USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.webhook_lanes USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.webhook_recoveries USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

CREATE POLICY own_organisation ON public.webhooks USING ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid)) WITH CHECK ((org_id = (NULLIF(current_setting('app.org_id'::text, true), ''::text))::uuid));

ALTER TABLE public.pipeline_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_items ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_steps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_waits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipelines ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_attachments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_sets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_trials ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_actions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_deltas ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_labels ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_redactions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_shares ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_steps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_tool_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.schedule_firings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.schedules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.session_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.storage_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_buckets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_notes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_recoveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhooks ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO ars_app;
GRANT USAGE ON SCHEMA public TO ars_auth;
GRANT USAGE ON SCHEMA public TO ars_system;
GRANT USAGE ON SCHEMA public TO ars_feed;
GRANT USAGE ON SCHEMA public TO ars_batch;

REVOKE ALL ON FUNCTION public.admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer, relay_after_ms integer, first_org uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer, relay_after_ms integer, first_org uuid) TO ars_app;
GRANT ALL ON FUNCTION public.admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer, relay_after_ms integer, first_org uuid) TO ars_system;
GRANT ALL ON FUNCTION public.admit_runs(most integer, cell_runs integer, shared_runs integer, light_runs integer, demo_key_runs integer, relay_after_ms integer, first_org uuid) TO ars_batch;

REVOKE ALL ON FUNCTION public.append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text, address text, request_id text, before json, after json) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text, address text, request_id text, before json, after json) TO ars_app;
GRANT ALL ON FUNCTION public.append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text, address text, request_id text, before json, after json) TO ars_auth;
GRANT ALL ON FUNCTION public.append_audit(entry_id uuid, org uuid, actor_type text, actor_id text, action text, subject text, address text, request_id text, before json, after json) TO ars_system;

GRANT SELECT ON TABLE public.audit_log TO ars_app;
GRANT SELECT ON TABLE public.audit_log TO ars_system;

REVOKE ALL ON FUNCTION public.drop_partition(parent text, first_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_partition(parent text, first_day date) TO ars_system;

REVOKE ALL ON FUNCTION public.make_partition(parent text, first_day date, days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.make_partition(parent text, first_day date, days integer) TO ars_system;

REVOKE ALL ON FUNCTION public.open_batches() FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.agent_versions TO ars_app;
GRANT SELECT,INSERT ON TABLE public.agent_versions TO ars_system;

GRANT SELECT(agent_id) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(version) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(org_id) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(kind) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(config) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(input_schema) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(output_schema) ON TABLE public.agent_versions TO ars_batch;

GRANT SELECT(limits) ON TABLE public.agent_versions TO ars_batch;

GRANT UPDATE(secrets) ON TABLE public.agent_versions TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.agents TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agents TO ars_system;

GRANT SELECT(id) ON TABLE public.agents TO ars_batch;

GRANT SELECT(org_id) ON TABLE public.agents TO ars_batch;

GRANT SELECT(status) ON TABLE public.agents TO ars_batch;

GRANT SELECT(version) ON TABLE public.agents TO ars_batch;

GRANT SELECT(live_version) ON TABLE public.agents TO ars_batch;

GRANT SELECT(live_deployment_id) ON TABLE public.agents TO ars_batch;

GRANT SELECT(canary_version) ON TABLE public.agents TO ars_batch;

GRANT SELECT(canary_deployment_id) ON TABLE public.agents TO ars_batch;

GRANT SELECT(canary_percent) ON TABLE public.agents TO ars_batch;

GRANT SELECT,INSERT,DELETE ON TABLE public.alert_destinations TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.alert_destinations TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alert_rules TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.alert_rules TO ars_system;

GRANT SELECT,UPDATE ON TABLE public.alerts TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alerts TO ars_system;

GRANT SELECT ON TABLE public.api_keys TO ars_auth;
GRANT SELECT,INSERT,UPDATE ON TABLE public.api_keys TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_keys TO ars_system;

GRANT UPDATE(revoked_at) ON TABLE public.api_keys TO ars_auth;

GRANT UPDATE(last_used_at) ON TABLE public.api_keys TO ars_auth;

GRANT UPDATE(exposed_at) ON TABLE public.api_keys TO ars_auth;

GRANT SELECT ON TABLE public.audit_heads TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.batch_items TO ars_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.batch_waits TO ars_app;
GRANT SELECT ON TABLE public.batch_waits TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.batches TO ars_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.batches TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.budget_spend TO ars_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.budget_spend TO ars_system;

GRANT SELECT(org_id) ON TABLE public.budget_spend TO ars_batch;

GRANT SELECT(subject_id) ON TABLE public.budget_spend TO ars_batch;

GRANT SELECT(month) ON TABLE public.budget_spend TO ars_batch;

GRANT SELECT(cost_usd) ON TABLE public.budget_spend TO ars_batch;

GRANT SELECT,INSERT ON TABLE public.budget_waits TO ars_app;
GRANT SELECT,DELETE ON TABLE public.budget_waits TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.budgets TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.budgets TO ars_system;

GRANT SELECT(org_id) ON TABLE public.budgets TO ars_batch;

GRANT SELECT(subject_id) ON TABLE public.budgets TO ars_batch;

GRANT SELECT(monthly_usd) ON TABLE public.budgets TO ars_batch;

GRANT SELECT(action) ON TABLE public.budgets TO ars_batch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.call_counts TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.call_counts TO ars_system;
GRANT SELECT,INSERT,UPDATE ON TABLE public.call_counts TO ars_batch;

GRANT SELECT ON TABLE public.cell TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.cell TO ars_system;

GRANT SELECT(waiting_from) ON TABLE public.cell TO ars_batch;

GRANT SELECT(admitted_from) ON TABLE public.cell TO ars_batch;

GRANT SELECT(id) ON TABLE public.closed_organisations TO ars_app;
GRANT SELECT(id) ON TABLE public.closed_organisations TO ars_auth;
GRANT SELECT(id) ON TABLE public.closed_organisations TO ars_feed;
GRANT SELECT(id) ON TABLE public.closed_organisations TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.connector_tools TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.connector_tools TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.connectors TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.connectors TO ars_system;

GRANT UPDATE(name) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(url) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(auth_type) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(auth_header) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(credential) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(credential_hint) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(tools_listed_at) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(tools_fresh_until) ON TABLE public.connectors TO ars_app;

GRANT UPDATE(tools_error) ON TABLE public.connectors TO ars_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.deliveries TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.deliveries TO ars_system;

GRANT SELECT,INSERT ON TABLE public.delivery_attempts TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.delivery_attempts TO ars_system;

GRANT UPDATE(response_body) ON TABLE public.delivery_attempts TO ars_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.delivery_heads TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.delivery_heads TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.demo_key_calls TO ars_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.deployments TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.deployments TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.email_proofs TO ars_auth;
GRANT SELECT,DELETE,UPDATE ON TABLE public.email_proofs TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.event_bodies TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_bodies TO ars_system;

GRANT SELECT,UPDATE ON TABLE public.event_clock TO ars_system;

GRANT SELECT("position") ON TABLE public.event_clock TO ars_feed;

GRANT SELECT(epoch) ON TABLE public.event_clock TO ars_feed;

GRANT SELECT,INSERT ON TABLE public.events TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.events TO ars_system;
GRANT INSERT ON TABLE public.events TO ars_batch;

GRANT SELECT(id) ON TABLE public.events TO ars_feed;

GRANT SELECT(org_id) ON TABLE public.events TO ars_feed;

GRANT UPDATE(data) ON TABLE public.events TO ars_app;

GRANT SELECT("position") ON TABLE public.events TO ars_feed;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateways TO ars_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateways TO ars_feed;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO ars_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO ars_batch;

GRANT SELECT ON TABLE public.invitations TO ars_auth;
GRANT SELECT,INSERT,UPDATE ON TABLE public.invitations TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitations TO ars_system;

GRANT UPDATE(accepted_at) ON TABLE public.invitations TO ars_auth;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_attempts TO ars_auth;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_attempts TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_devices TO ars_auth;
GRANT SELECT,DELETE,UPDATE ON TABLE public.login_devices TO ars_system;

GRANT SELECT,INSERT ON TABLE public.mails TO ars_app;
GRANT SELECT,INSERT ON TABLE public.mails TO ars_auth;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.mails TO ars_system;

GRANT SELECT,INSERT ON TABLE public.members TO ars_auth;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.members TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.members TO ars_system;

GRANT SELECT ON TABLE public.migrations TO ars_app;
GRANT SELECT ON TABLE public.migrations TO ars_auth;
GRANT SELECT ON TABLE public.migrations TO ars_system;
GRANT SELECT ON TABLE public.migrations TO ars_feed;

GRANT SELECT,INSERT,UPDATE ON TABLE public.notification_choices TO ars_app;
GRANT SELECT,DELETE ON TABLE public.notification_choices TO ars_system;

GRANT SELECT,INSERT ON TABLE public.org_keys TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.org_keys TO ars_system;

GRANT SELECT ON TABLE public.organisations TO ars_auth;
GRANT SELECT ON TABLE public.organisations TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.organisations TO ars_system;

GRANT SELECT(id) ON TABLE public.organisations TO ars_batch;

GRANT UPDATE(name) ON TABLE public.organisations TO ars_app;

GRANT SELECT(plan) ON TABLE public.organisations TO ars_batch;

GRANT SELECT(concurrent_runs) ON TABLE public.organisations TO ars_batch;

GRANT SELECT(calls_per_month) ON TABLE public.organisations TO ars_batch;

GRANT SELECT(run_timeout_max_seconds) ON TABLE public.organisations TO ars_batch;

GRANT SELECT(stored_bytes) ON TABLE public.organisations TO ars_batch;

GRANT UPDATE(policy_set_id) ON TABLE public.organisations TO ars_app;
GRANT UPDATE(policy_set_id) ON TABLE public.organisations TO ars_system;
GRANT SELECT(policy_set_id) ON TABLE public.organisations TO ars_batch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outbox TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.outbox TO ars_system;
GRANT SELECT,DELETE ON TABLE public.outbox TO ars_batch;

GRANT SELECT ON TABLE public.partition_parents TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.password_resets TO ars_auth;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.password_resets TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pipeline_heads TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.pipeline_heads TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.pipeline_items TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.pipeline_items TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.pipeline_runs TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.pipeline_runs TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.pipeline_steps TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.pipeline_steps TO ars_system;

GRANT SELECT,INSERT ON TABLE public.pipeline_versions TO ars_app;
GRANT SELECT ON TABLE public.pipeline_versions TO ars_system;

GRANT SELECT,INSERT ON TABLE public.pipeline_waits TO ars_app;
GRANT SELECT,DELETE ON TABLE public.pipeline_waits TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.pipelines TO ars_app;
GRANT SELECT ON TABLE public.pipelines TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.policies TO ars_app;
GRANT SELECT,UPDATE ON TABLE public.policies TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.policy_attachments TO ars_app;
GRANT SELECT ON TABLE public.policy_attachments TO ars_system;

GRANT SELECT,INSERT ON TABLE public.policy_sets TO ars_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.policy_sets TO ars_system;

GRANT UPDATE(replaced_at) ON TABLE public.policy_sets TO ars_app;
GRANT UPDATE(replaced_at) ON TABLE public.policy_sets TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.policy_trials TO ars_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.policy_trials TO ars_system;

GRANT SELECT,INSERT ON TABLE public.policy_versions TO ars_app;
GRANT SELECT ON TABLE public.policy_versions TO ars_system;

GRANT UPDATE(secrets) ON TABLE public.policy_versions TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_actions TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_actions TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_deltas TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_deltas TO ars_system;
GRANT INSERT ON TABLE public.run_deltas TO ars_batch;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_events TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_events TO ars_system;
GRANT INSERT ON TABLE public.run_events TO ars_batch;

GRANT SELECT(run_id) ON TABLE public.run_events TO ars_batch;

GRANT SELECT(seq) ON TABLE public.run_events TO ars_batch;

GRANT SELECT(org_id) ON TABLE public.run_events TO ars_batch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_heads TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_heads TO ars_system;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_heads TO ars_batch;

GRANT SELECT(run_id) ON TABLE public.run_heads TO ars_feed;

GRANT SELECT(status) ON TABLE public.run_heads TO ars_feed;

GRANT SELECT(seq) ON TABLE public.run_heads TO ars_feed;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_labels TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_labels TO ars_system;
GRANT INSERT ON TABLE public.run_labels TO ars_batch;

GRANT SELECT(org_id) ON TABLE public.run_labels TO ars_batch;

GRANT SELECT(key) ON TABLE public.run_labels TO ars_batch;

GRANT SELECT(value) ON TABLE public.run_labels TO ars_batch;

GRANT SELECT(run_id) ON TABLE public.run_labels TO ars_batch;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_messages TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_messages TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_redactions TO ars_app;
GRANT SELECT,INSERT,DELETE ON TABLE public.run_redactions TO ars_system;

GRANT SELECT,INSERT ON TABLE public.run_results TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_results TO ars_system;
GRANT INSERT ON TABLE public.run_results TO ars_batch;

GRANT UPDATE(output) ON TABLE public.run_results TO ars_app;

GRANT UPDATE(error) ON TABLE public.run_results TO ars_app;

GRANT UPDATE(output_bytes) ON TABLE public.run_results TO ars_app;

GRANT UPDATE(stored_bytes) ON TABLE public.run_results TO ars_app;

GRANT SELECT ON TABLE public.run_shares TO ars_auth;
GRANT SELECT,INSERT,DELETE ON TABLE public.run_shares TO ars_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.run_shares TO ars_system;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_steps TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_steps TO ars_system;
GRANT INSERT ON TABLE public.run_steps TO ars_batch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_tool_calls TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_tool_calls TO ars_system;

GRANT SELECT,INSERT ON TABLE public.runs TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.runs TO ars_system;
GRANT INSERT ON TABLE public.runs TO ars_batch;

GRANT SELECT(id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(org_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(agent_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(agent_version) ON TABLE public.runs TO ars_batch;

GRANT UPDATE(input) ON TABLE public.runs TO ars_app;
GRANT SELECT(input) ON TABLE public.runs TO ars_batch;

GRANT UPDATE(metadata) ON TABLE public.runs TO ars_app;
GRANT SELECT(metadata) ON TABLE public.runs TO ars_batch;

GRANT SELECT(created_at) ON TABLE public.runs TO ars_batch;

GRANT SELECT(deployment_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(parent_run_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(pipeline_run_id) ON TABLE public.runs TO ars_batch;

GRANT UPDATE(erased_at) ON TABLE public.runs TO ars_app;

GRANT SELECT(created_by) ON TABLE public.runs TO ars_batch;

GRANT SELECT(created_by_type) ON TABLE public.runs TO ars_batch;

GRANT UPDATE(input_bytes) ON TABLE public.runs TO ars_app;

GRANT UPDATE(trace_context) ON TABLE public.runs TO ars_app;
GRANT SELECT(trace_context) ON TABLE public.runs TO ars_batch;

GRANT SELECT(policy_set_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT(policy_key_id) ON TABLE public.runs TO ars_batch;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.schedule_firings TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.schedule_firings TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.schedules TO ars_app;
GRANT SELECT,DELETE,UPDATE ON TABLE public.schedules TO ars_system;

GRANT SELECT ON TABLE public.session_tokens TO ars_auth;
GRANT SELECT,INSERT ON TABLE public.session_tokens TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_tokens TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.sessions TO ars_auth;
GRANT SELECT ON TABLE public.sessions TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO ars_system;

GRANT UPDATE(ended_at) ON TABLE public.sessions TO ars_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.storage_counts TO ars_system;

GRANT SELECT ON TABLE public.usage_buckets TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_buckets TO ars_system;

GRANT SELECT,UPDATE ON TABLE public.usage_cursor TO ars_system;
GRANT SELECT ON TABLE public.usage_cursor TO ars_app;

GRANT SELECT,INSERT ON TABLE public.usage_notes TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_notes TO ars_system;

GRANT SELECT,INSERT,UPDATE ON TABLE public.users TO ars_auth;
GRANT SELECT ON TABLE public.users TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO ars_system;

GRANT SELECT ON TABLE public.webhook_hours TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_hours TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_lanes TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_lanes TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_recoveries TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_recoveries TO ars_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhooks TO ars_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhooks TO ars_system;
