-- For the filters of GET /runs, each in the order of the list. Runs that have no parent, and those that did not fail, have
-- no entry. The partitions are locked against writes while their entries are made.
create index runs_by_creator on runs (org_id, created_by, id) where created_by is not null;
create index runs_by_deployment on runs (org_id, deployment_id, id) where deployment_id is not null;
create index runs_by_parent on runs (org_id, parent_run_id, id) where parent_run_id is not null;

-- The code of the error as a column: with row-level security, no index on an expression of `error` is used, because `->>`
-- is not leakproof. The row writes it itself, so that ends that the previous release writes have it too.
alter table run_results add column error_code text;
create function keep_error_code() returns trigger language plpgsql as $$
begin
  new.error_code := new.error ->> 'code';
  return new;
end $$;
create trigger keep_error_code before insert on run_results for each row when (new.error is not null)
  execute function keep_error_code();

-- The owner is held to row-level security too; for this one statement it must see all organisations.
alter table run_results no force row level security;
update run_results set error_code = error ->> 'code' where error is not null;
alter table run_results force row level security;
create index run_results_by_error on run_results (org_id, error_code, run_id) where error_code is not null;
