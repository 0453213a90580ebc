-- Builds indexes concurrently.
-- Deliveries of one fan-out are due at the same moment. With the event in the index, the first ones of an endpoint are read without
-- sorting all that are due with them.
create index delivery_heads_line on delivery_heads (webhook_id, due_at, event_id) where lease_until is null;
