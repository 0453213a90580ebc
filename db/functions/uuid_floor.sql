-- The first id of a moment: a UUIDv7 begins with its milliseconds.
create or replace function uuid_floor(moment timestamptz) returns uuid language sql immutable parallel safe
  return (rpad(lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0'), 32, '0'))::uuid;
