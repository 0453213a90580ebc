-- Rules that watch the figures of an organisation or of one agent, and the alerts that they have fired.
create table alert_rules (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  name text not null,
  metric text not null,
  error_code text,
  -- Null: the whole organisation.
  agent_id uuid references agents (id),
  operator text not null check (operator in ('above', 'below')),
  threshold double precision not null,
  window_seconds integer not null,
  for_seconds integer not null,
  min_sample_size integer not null,
  severity text not null,
  enabled boolean not null,
  state text not null default 'ok' check (state in ('ok', 'pending', 'firing')),
  -- Since when the value is beyond the threshold, in state pending.
  pending_since timestamptz,
  -- Since when the value is clear of the threshold, in state firing.
  clear_since timestamptz,
  alert_id uuid,
  -- Every change of the row but that of due_at raises it: a decision that was made from an older row is dropped.
  revision integer not null default 1,
  -- Null: disabled.
  due_at timestamptz default app_now(),
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  created_at timestamptz not null default app_now(),
  check ((state = 'pending') = (pending_since is not null)),
  check ((state = 'firing') = (alert_id is not null)),
  check (enabled = (due_at is not null))
) with (fillfactor = 60);
create index alert_rules_by_org on alert_rules (org_id, id);
create index alert_rules_due on alert_rules (due_at) where due_at is not null;

create table alerts (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  -- A deleted rule leaves its alerts.
  rule_id uuid not null,
  agent_id uuid references agents (id),
  -- The rule as it was when it fired.
  rule json not null,
  severity text not null,
  triggered_at timestamptz not null default app_now(),
  resolved_at timestamptz,
  resolution text check (resolution in ('recovered', 'rule_changed', 'rule_deleted')),
  snapshot json not null,
  check ((resolved_at is null) = (resolution is null))
);
create index alerts_by_org on alerts (org_id, id);
create index alerts_by_rule on alerts (org_id, rule_id, id);
-- A rule fires once at a time.
create unique index alerts_firing on alerts (rule_id) where resolved_at is null;
create index alerts_by_end on alerts (resolved_at) where resolved_at is not null;

do $$
declare
  name text;
begin
  foreach name in array array['alert_rules', 'alerts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', name);
    execute format('create policy every_organisation on %I to ars_system using (true) with check (true)', name);
  end loop;
end $$;
grant select, insert, update, delete on alert_rules to ars_app;
grant select, update on alert_rules to ars_system;
grant select, update on alerts to ars_app;
grant select, insert, update, delete on alerts to ars_system;
