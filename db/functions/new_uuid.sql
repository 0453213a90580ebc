-- For rows that a statement makes many of; elsewhere ids are made in the application. Version 7, of this moment.
create or replace function new_uuid() returns uuid language sql volatile as
  $$ select (left(uuid_floor(app_now())::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid $$;
