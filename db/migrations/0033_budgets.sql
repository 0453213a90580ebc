-- What an organisation, an agent or an API key may spend in a calendar month (UTC). Of rotated keys, the first one has the budget.
-- An earlier release neither writes nor reads these tables.
create table budgets (
  org_id uuid not null references organisations (id),
  subject_id uuid not null,
  kind text not null check (kind in ('organisation', 'agent', 'api_key')),
  -- Null: the budget was removed.
  monthly_usd numeric check (monthly_usd >= 0),
  action text not null check (action in ('refuse', 'park', 'notify')),
  -- The share of the budget that was announced last, and its month.
  told_month date,
  told_percent smallint not null default 0,
  -- When the runs that wait for this budget are looked at next. Null: none waits.
  resume_at timestamptz,
  primary key (org_id, subject_id)
);
create index budgets_to_resume on budgets (resume_at) where resume_at is not null;

-- The cost of the stored steps of runs with a budget. In slots, so that concurrent steps do not wait for one row.
create table budget_spend (
  org_id uuid not null,
  subject_id uuid not null,
  month date not null,
  slot smallint not null,
  cost_usd numeric not null,
  -- Whether it was compared with the budget since its last change.
  is_seen boolean not null default false,
  primary key (org_id, subject_id, month, slot)
) with (fillfactor = 60);
create index budget_spend_unseen on budget_spend (org_id, subject_id) where not is_seen;

-- The runs that wait for a budget. A run that goes on in another way leaves its row until the budget is looked at.
create table budget_waits (
  org_id uuid not null,
  subject_id uuid not null,
  run_id uuid not null,
  primary key (org_id, subject_id, run_id)
);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['budgets', 'budget_spend', 'budget_waits'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', tenant_table);
  end loop;
end
$$;
grant select, insert, update on budgets, budget_spend to ars_app;
grant select, insert on budget_waits to ars_app;
grant select, update on budgets to ars_system;
grant select, update, delete on budget_spend to ars_system;
grant select, delete on budget_waits to ars_system;

-- The budgets that a run counts against, as of its acceptance. Null: none.
alter table run_heads add column budget_ids uuid[];

alter table run_actions drop constraint run_actions_type_check,
  add constraint run_actions_type_check check (type in ('approval', 'input', 'reconcile', 'raise_budget')) not valid;
