-- Every transaction with a lower number has ended, so that all that it wrote is visible.
create or replace function ended_transactions() returns bigint language sql as $$ select pg_snapshot_xmin(pg_current_snapshot())::text::bigint $$;
