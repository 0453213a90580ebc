-- How many runs an agent may have in progress; null: only the organisation limits it. The live version sets the limit, for the runs
-- of a canary too: it protects what stands behind the agent.
create or replace function concurrency_of_agent(org uuid, agent uuid) returns integer language sql stable as $$
  select (v.limits ->> 'max_concurrent_runs')::integer
    from agents a join agent_versions v
      on v.org_id = a.org_id and v.agent_id = a.id and v.version = coalesce(a.live_version, a.version)
   where a.org_id = org and a.id = agent
$$;
