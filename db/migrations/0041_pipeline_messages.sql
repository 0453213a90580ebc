-- An earlier release neither writes nor reads these columns.
-- What an expression said that failed: of a step that could not be opened, and of an item that got no run.
alter table pipeline_steps add column message text;
alter table pipeline_items add column message text;
-- Input, output, lists and questions. The runs of the steps count for themselves.
alter table pipeline_runs add column stored_bytes bigint not null default 0;
