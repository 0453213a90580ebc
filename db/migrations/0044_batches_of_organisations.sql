-- One statement writes rows of several organisations (docs/adr/0021-batches-hold-rows-of-several-organisations.md). Its transaction
-- changes to the role ars_batch and names the organisations of its rows in app.org_ids.
--
-- db/roles.sql makes the role. Without it nothing is opened, and the service batches the rows of each organisation separately. Every
-- `ars-server migrate` calls this function, so that a role that is made later is found. It changes nothing when all is open.
create function open_batches() returns boolean language plpgsql set search_path = public, pg_temp as $$
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
end $$;
revoke all on function open_batches() from public;

select open_batches();
