/** Opens the tables of runs to the role of batches, if there is one and they are not open. */
export const openBatches = 'select open_batches()'

/**
 * Makes the policies of `openBatches` one table after the other, each with a commit. That function makes all in one transaction,
 * which waits for a table while it holds others: beside traffic that is a deadlock. When it runs, nothing is left for it.
 * It must not run inside a transaction. On an empty database it does nothing.
 */
export const makeBatchPolicies = `do $$
declare
  used text;
  own text;
begin
  if not exists (select from pg_roles where rolname = 'ars_batch') then
    return;
  end if;
  foreach used in array array['organisations', 'agents', 'agent_versions', 'budgets', 'budget_spend', 'run_heads', 'idempotency_keys',
      'call_counts', 'outbox', 'runs', 'run_steps', 'run_results', 'run_deltas', 'events', 'run_events', 'run_labels'] loop
    own := case used when 'organisations' then 'id' else 'org_id' end;
    if to_regclass('public.' || used) is not null
        and not exists (select from pg_policy where polrelid = to_regclass('public.' || used) and polname = 'batch_organisations') then
      -- Statements that come later wait behind this one.
      perform set_config('lock_timeout', '200ms', true);
      execute format('create policy batch_organisations on public.%1$I to ars_batch using (%2$I = any (%3$s)) with check (%2$I = any (%3$s))',
        used, own, '(select nullif(current_setting(''app.org_ids'', true), '''')::uuid[])::uuid[]');
      commit;
    end if;
  end loop;
end $$`
