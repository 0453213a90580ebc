-- Builds indexes concurrently.
-- The ends in the order of positions. It also serves the earliest one that is not counted.
create index events_of_ends on events (position)
  where position is not null and type in ('run.completed', 'run.failed', 'run.cancelled');
