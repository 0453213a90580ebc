-- The accept of a run for an item that has a run already must leave no trace: it calls this, and its transaction is rolled back.
create or replace function refuse_batch_item() returns boolean language plpgsql as $$
begin
  raise exception 'the item of the batch was started or dropped before' using errcode = 'ARB01';
end $$;
