-- The size of what customers store. It bounds the pages of lists, and it is counted per run and per organisation.

-- Of the JSON as text, before compression. Null in rows of earlier releases.
alter table runs add column input_bytes integer;
alter table run_results
  add column output_bytes integer,
  add column stored_bytes bigint;
alter table run_steps add column bytes integer;

-- Input and stored steps of an active run.
alter table run_heads add column stored_bytes bigint not null default 0;

-- As of the last sweep.
alter table organisations add column stored_bytes bigint not null default 0;

-- Ended runs by the day of their creation, which is the day of their partition.
create table storage_counts (
  day date not null,
  org_id uuid not null,
  bytes bigint not null,
  counted_at timestamptz not null,
  primary key (day, org_id)
);
alter table storage_counts enable row level security;
alter table storage_counts force row level security;
create policy own_organisation on storage_counts
  using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
  with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);

grant select, insert, update, delete on storage_counts to ars_system;
-- An erasure frees them.
grant update (input_bytes) on runs to ars_app;
grant update (output_bytes, stored_bytes) on run_results to ars_app;
