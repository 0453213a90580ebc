-- What a transaction calls that names a closed organisation: it fails.
create or replace function refuse_closed() returns text language plpgsql as $$
begin
  raise exception 'the organisation is closed in this cell, because it moves to another one' using errcode = 'ARM01';
end $$;
