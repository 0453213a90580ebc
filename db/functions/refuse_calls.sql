-- A statement that would count more calls than its slot of the month has left must leave no trace: it calls this, and is
-- rolled back as a whole. The code is for the program that sent it, which then looks for a slot with room.
create or replace function refuse_calls() returns boolean language plpgsql as $$
begin
  raise exception 'the slot of the month is full' using errcode = 'ARQ01';
end $$;
