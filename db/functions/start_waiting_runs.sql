-- Starts these runs if they still wait: their heads leave the queue and count as admitted, and the outbox has an order for the
-- engine. Runs that another transaction changes now, a cancel for example, are left out. Answers the runs that were started.
create or replace function start_waiting_runs(ids uuid[], relay_after_ms integer)
  returns table (org uuid, run uuid, epoch integer, segment integer, step integer) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with locked as materialized (
    select h.run_id from run_heads h
     -- num_nulls() and array(select …) keep this a look-up of the ids: with `waits_for is not null`, or with the variable alone,
     -- Postgres may read an index of the queue from its beginning.
     where num_nulls(h.waits_for) = 0 and h.run_id = any (array(select unnest(ids)))
       for update skip locked
  ), admitted as (
    update run_heads h set waits_for = null, is_admitted = true, moved_in = this_transaction(), progress_at = app_now()
     where h.run_id = any (array(select run_id from locked))
    returning h.org_id, h.run_id, h.epoch, h.segment, h.step + 1 as step
  ), sent as (
    insert into outbox (run_id, epoch, segment, org_id, step, due_at)
    select run_id, epoch, segment, org_id, step, app_now() + make_interval(secs => relay_after_ms::double precision / 1000) from admitted
    on conflict (run_id, epoch, segment) do nothing
  )
  select org_id, run_id, epoch, segment, step from admitted;
end $$;
revoke all on function start_waiting_runs(uuid[], integer) from public;
