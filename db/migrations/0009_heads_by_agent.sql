-- For `GET /agents/{id}/stats`, and for it alone: the runs of one agent that are under way, oldest first. Without it a rare
-- agent would cost a walk through every run that its organisation has under way. As with run_heads_by_org, the condition,
-- which is always true, keeps it out of the statements of the run path. `status` is not part of it, so that a change of
-- status stays a heap-only update. `created_at` gives an order that no other index has, so that a generic plan uses it.
create index run_heads_by_agent on run_heads (org_id, agent_id, created_at) where created_at > '-infinity';
