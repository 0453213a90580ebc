"""Runs an agent each working day at seven in Berlin. Started again, it changes the schedule instead of adding one."""

import os
from datetime import timezone

from agent_run_service import AgentRunService

client = AgentRunService()
agent_id = os.environ["AGENT_ID"]
name, cron, zone = "morning-report", "0 7 * * 1-5", "Europe/Berlin"
question = {"query": "What happened yesterday?"}

schedule = next((each for each in client.schedules.list() if each.name == name), None)
if schedule:
    schedule = client.schedules.update(schedule.id, agent_id=agent_id, cron=cron, time_zone=zone, input=question)
else:
    schedule = client.schedules.create(
        name=name, agent_id=agent_id, cron=cron, time_zone=zone, input=question, overlap="skip"
    )

print(schedule.id, schedule.status)
for date in schedule.next_dates:
    print(date.astimezone(timezone.utc).isoformat())
