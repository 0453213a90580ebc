-- The number of this transaction. Numbers only grow, also over a change of the clock.
create or replace function this_transaction() returns bigint language sql as $$ select pg_current_xact_id()::text::bigint $$;
