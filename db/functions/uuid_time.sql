-- The moment of an id: a UUIDv7 begins with its milliseconds.
create or replace function uuid_time(id uuid) returns timestamptz language sql immutable parallel safe
  return to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
