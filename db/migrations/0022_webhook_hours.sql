-- How many deliveries of an endpoint succeeded and failed, by hour. 24 rows an endpoint: the hour of the day is the slot,
-- and a row of an earlier day is overwritten. Written under the lock of the endpoint's queue.
create table webhook_hours (
  webhook_id uuid not null references webhooks (id) on delete cascade,
  slot smallint not null check (slot between 0 and 23),
  org_id uuid not null,
  hour timestamptz not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  primary key (webhook_id, slot)
) with (fillfactor = 70);

alter table webhook_hours enable row level security;
alter table webhook_hours force row level security;
create policy own_organisation on webhook_hours using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
grant select on webhook_hours to ars_app;
grant select, insert, update, delete on webhook_hours to ars_system;
