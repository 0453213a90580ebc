-- The trigger that copies the code of an error into its column.
create or replace function keep_error_code() returns trigger language plpgsql as $$
begin
  new.error_code := new.error ->> 'code';
  return new;
end $$;
