-- SQL knows one clock. It is the statement's own time, so it is the same wherever one statement asks, and an index on
-- a due time can use it. A test stack replaces this function by one with an offset; the server refuses to boot on such
-- a database unless it is told that it belongs to a test.
create or replace function app_now() returns timestamptz language sql stable parallel safe
  return statement_timestamp();
