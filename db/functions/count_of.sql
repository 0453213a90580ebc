-- The count of an id in the value of count_each().
create or replace function count_of(counts jsonb, id uuid) returns integer language sql immutable as $$
  select coalesce((counts ->> id::text)::integer, 0)
$$;
revoke all on function count_of(jsonb, uuid) from public;
