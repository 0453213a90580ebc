-- Chat channels that receive alerts. The URL is sealed: it is all that a poster needs.
create table alert_destinations (
  id uuid primary key,
  org_id uuid not null references organisations (id),
  type text not null check (type in ('slack')),
  url bytea not null,
  hint text not null,
  created_at timestamptz not null default app_now()
);
create index alert_destinations_by_organisation on alert_destinations (org_id, id);
alter table alert_destinations enable row level security;
alter table alert_destinations force row level security;
create policy own_organisation on alert_destinations using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
create policy every_organisation on alert_destinations to ars_system using (true) with check (true);
grant select, insert, delete on alert_destinations to ars_app;
grant select, update on alert_destinations to ars_system;

-- Messages for these channels wait beside the mails, and the same sweep sends them.
alter table mails add column destination_id uuid;
