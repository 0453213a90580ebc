-- An agent may say how many of its runs are under way at once (`limits.max_concurrent_runs`). Its runs wait at the agent's
-- gate first, with a rank from 2 up, and join the queue of their organisation when they are given a place.

alter table run_heads
  -- It holds one of its agent's places. Deleting the head gives it back, as ending a run gives everything back.
  add column has_place boolean not null default false;

-- Those who wait at a gate, in order; and who is past it. Both are empty where no agent has such a limit.
create index run_heads_at_gate on run_heads (org_id, agent_id, rank, run_id) where rank >= 2;
create index run_heads_with_place on run_heads (org_id, agent_id) where has_place;
