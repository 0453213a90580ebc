-- Whether any run of the cell waits. No run that waits has a lower number than `numbers_from`, see `cell`.
--
-- The condition on org_id is always true. It names the index run_heads_queue, which is kept out of all other statements: Postgres
-- uses a partial index only where its condition stands in the statement as a constant.
create or replace function runs_wait(numbers_from bigint) returns boolean language plpgsql as $$
begin
  return exists (
    select from run_heads
     where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000' and moved_in >= numbers_from);
end $$;
revoke all on function runs_wait(bigint) from public;
