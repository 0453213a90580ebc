-- A fail-over to a standby that did not receive the last commits takes claims back, and the next claim of the same step gets
-- the same attempt. This id is random, so the two claims differ. Null: the run was not claimed yet. A process of the previous
-- release neither sets nor checks the id. Its claim leaves the id of the last claim in the row and has another attempt.
alter table run_heads add column claim_id uuid;

-- The history of events has an epoch. A worker replaces it by another random value when it finds the database on another
-- timeline, as a standby that was promoted or a back-up that was restored is. Gateways compare it, because positions and
-- numbers of frames that they know may then be given to other events. A process of the previous release leaves both as they are.
alter table event_clock add column epoch uuid not null default gen_random_uuid(), add column timeline text;
grant select (position, epoch) on event_clock to ars_feed;
