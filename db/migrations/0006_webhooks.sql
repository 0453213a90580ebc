-- Webhooks: endpoints, deliveries with their attempts, recoveries; and the order in which events are told.

alter table events
  -- The place in the organisation-wide order, given by the relay after the commit. Null: the relay has not seen it yet.
  -- Ids are made before the commit, so they do not tell which of two events came to be seen first.
  add column position bigint,
  -- Only this endpoint is told: a test.
  add column webhook_id uuid;
create index events_untold on events (id) where position is null;
create index events_by_position on events (org_id, position) where position is not null;
-- Lists of one type. The end of a run, which is most of all events, does not pay for it: of those there are some on every page.
create index events_by_type on events (org_id, type, id) where type <> 'run.completed';
-- For erasing what was told of a run.
create index events_by_subject on events (subject_id);

-- The last place that was given. Whoever locks it is the relay; there is one at a time.
create table event_clock (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0
);
insert into event_clock default values;

-- An event as it is sent, to the byte. Written before its first attempt; every later one reads it here.
create table event_bodies (
  event_id uuid primary key,
  org_id uuid not null,
  body text not null
) partition by range (event_id);

create table webhooks (
  id uuid primary key,
  org_id uuid not null,
  url text not null,
  -- Names of events; `*` stands for all.
  events text[] not null,
  description text,
  -- Sealed. The old one signs too until its time is over.
  secret bytea not null,
  secret_hint text not null,
  old_secret bytea,
  old_secret_until timestamptz,
  -- Null: deliveries are sent. `paused` by a person, `gone` by the receiver's 410, `failing` by days of failure.
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('paused', 'gone', 'failing')),
  -- Events since then may not have been delivered; a recovery clears it.
  missed_since timestamptz,
  created_by uuid not null,
  created_by_type text not null check (created_by_type in ('key', 'user')),
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((old_secret is null) = (old_secret_until is null))
);
create index webhooks_by_org on webhooks (org_id, id);

-- How an endpoint fares. Apart from `webhooks`, because every attempt writes here.
create table webhook_lanes (
  webhook_id uuid primary key references webhooks (id) on delete cascade,
  org_id uuid not null,
  -- When the next attempt may begin. Null: nothing waits.
  due_at timestamptz,
  -- Deliveries that have not ended, and how many of them are being sent just now.
  waiting integer not null default 0 check (waiting >= 0),
  under_way integer not null default 0 check (under_way >= 0),
  -- Failed deliveries in a row, since the last success or the last rest.
  failures integer not null default 0,
  rest_until timestamptz,
  -- Of the first failed delivery since the last success. Null: the last one succeeded.
  failing_since timestamptz,
  last_succeeded_at timestamptz
);
create index webhook_lanes_by_due on webhook_lanes (due_at) where due_at is not null;

create table webhook_recoveries (
  id uuid primary key,
  org_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  since timestamptz not null,
  until timestamptz not null,
  status text not null default 'running' check (status in ('running', 'completed', 'cancelled')),
  -- The last event that was looked at; beyond the ids of its time when all of them were.
  cursor uuid,
  -- How many events were found that the endpoint had not acknowledged; each became a delivery.
  found integer not null default 0,
  -- How many of these have ended, when it was last counted. The deliveries are dropped with their day; this stays.
  delivered integer not null default 0,
  failed integer not null default 0,
  created_at timestamptz not null default app_now(),
  -- Null while one of its deliveries is pending: also for a while after it was cancelled.
  ended_at timestamptz,
  check (status <> 'running' or ended_at is null)
);
create index webhook_recoveries_by_webhook on webhook_recoveries (org_id, webhook_id, id);
create unique index webhook_recoveries_running on webhook_recoveries (webhook_id) where status = 'running';
create index webhook_recoveries_open on webhook_recoveries (id) where ended_at is null;

create table deliveries (
  id uuid primary key,
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  source text not null check (source in ('event', 'test', 'redelivery', 'recovery')),
  recovery_id uuid,
  -- Why it ended without a last attempt of its own, in words.
  error text,
  created_at timestamptz not null default app_now(),
  ended_at timestamptz,
  check ((status = 'pending') = (ended_at is null))
) partition by range (id);
create index deliveries_by_webhook on deliveries (org_id, webhook_id, id);
-- With the id, though it finds no more by it: a look-up that names a range of days would else be made by the primary key.
create index deliveries_by_event on deliveries (event_id, webhook_id, id);
-- What people look for, however rare it is. Only a delivery that fails pays for it.
create index deliveries_failed on deliveries (org_id, webhook_id, id) where status = 'failed';
create index deliveries_by_recovery on deliveries (recovery_id, status) where recovery_id is not null;

-- A delivery that has not ended. **Deleting the head ends it.** Narrow and never partitioned: workers claim here.
create table delivery_heads (
  delivery_id uuid primary key,
  org_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  -- Attempts that were begun. It is raised, and committed, before the POST.
  number smallint not null default 0,
  due_at timestamptz not null,
  -- While an attempt is under way: since when, and when whoever made it must be dead.
  begun_at timestamptz,
  lease_until timestamptz,
  check ((begun_at is null) = (lease_until is null))
);
create index delivery_heads_waiting on delivery_heads (webhook_id, due_at) where lease_until is null;
create index delivery_heads_under_way on delivery_heads (lease_until) where lease_until is not null;

create table delivery_attempts (
  delivery_id uuid not null,
  number smallint not null,
  org_id uuid not null,
  at timestamptz not null,
  duration_ms integer,
  http_status smallint,
  -- In words. Null: the endpoint acknowledged.
  error text,
  request_headers json,
  response_headers json,
  response_body text,
  primary key (delivery_id, number)
) partition by range (delivery_id);

-- For rows that a statement makes many of; elsewhere ids are made in the application. Version 7, of this moment.
create function new_uuid() returns uuid language sql volatile as
  $$ select (left(uuid_floor(app_now())::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid $$;

create or replace function ensure_partitions(ahead integer) returns integer language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  parent text;
  day timestamptz;
  partition text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7305242);
  foreach parent in array array['runs', 'run_results', 'run_steps', 'run_events', 'events', 'run_labels',
      'run_tool_calls', 'run_actions', 'run_messages', 'run_deltas', 'event_bodies', 'deliveries', 'delivery_attempts'] loop
    for offset_days in -1 .. least(ahead, 60) loop
      day := (date_trunc('day', app_now() at time zone 'utc') + make_interval(days => offset_days)) at time zone 'utc';
      partition := format('%s_p%s', parent, to_char(day at time zone 'utc', 'YYYYMMDD'));
      if to_regclass(partition) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)',
          partition, parent, uuid_floor(day), uuid_floor(day + interval '1 day'));
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['event_bodies', 'webhooks', 'webhook_lanes', 'webhook_recoveries', 'deliveries',
      'delivery_heads', 'delivery_attempts'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format('create policy own_organisation on %I using (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)
      with check (org_id = nullif(current_setting(''app.org_id'', true), '''')::uuid)', tenant_table);
  end loop;
end $$;

grant select, insert, update, delete on webhooks, webhook_lanes, webhook_recoveries to ars_app;
grant select, insert, update on deliveries to ars_app;
grant select, insert, update, delete on delivery_heads to ars_app;
-- Written by the worker; erasing the data of a run takes the bodies with it.
grant select, insert, delete on event_bodies to ars_app;
grant select, insert, update (response_body) on delivery_attempts to ars_app;
grant update (data) on events to ars_app;
grant select, insert, update, delete on event_bodies, webhooks, webhook_lanes, webhook_recoveries, deliveries, delivery_heads,
  delivery_attempts to ars_system;
grant select, update on event_clock to ars_system;

select ensure_partitions(14);

-- Events of days that are past can be sent too: their bytes need a place.
do $$
declare
  partition regclass;
  day timestamptz;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'events'::regclass loop
    day := to_date(right(partition::text, 8), 'YYYYMMDD')::timestamp at time zone 'utc';
    if to_regclass(format('event_bodies_p%s', right(partition::text, 8))) is null then
      execute format('create table %I partition of event_bodies for values from (%L) to (%L)',
        format('event_bodies_p%s', right(partition::text, 8)), uuid_floor(day), uuid_floor(day + interval '1 day'));
    end if;
  end loop;
end $$;
