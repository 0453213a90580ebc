-- Builds indexes concurrently.
-- The queue of all organisations. The second condition lets the planner tell this index from the other ones of waiting runs. It
-- names a column that never changes: run_heads_waiting named progress_at, so that no change of a head could be made in place (HOT),
-- and every claim wrote an entry into each index.
create index run_heads_queue on run_heads (moved_in)
  where waits_for is not null and org_id <> '00000000-0000-0000-0000-000000000000';
