"""Gives half of the runs new instructions, asks some questions, then promotes or rolls back: main.py "Be brief." """

import os
import sys

from agent_run_service import AgentRunService

client = AgentRunService()
agent_id = os.environ["AGENT_ID"]
canary = client.agents.update(
    agent_id,
    config={"instructions": sys.argv[1]},
    rollout={"strategy": "canary", "traffic_percent": 50},
).deployment
if not canary:
    raise SystemExit("The agent has these instructions already.")

for _ in range(10):
    client.runs.create_and_wait(agent_id=agent_id, input={"query": "Which plan do I have?"})

failed = sum(1 for _ in client.runs.list(deployment_id=canary.id, status="failed"))
if failed == 0:
    ended = client.deployments.promote(canary.id)
else:
    ended = client.deployments.rollback(canary.id, reason="runs failed")
print(f"version {canary.version}: {failed} failed, {ended.status}")
