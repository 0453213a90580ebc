"""Handles each event once, without a public address. The file keeps the position, so a restart misses nothing."""

from pathlib import Path

from agent_run_service import AgentRunService

client = AgentRunService()
file = Path("position.txt")
last_event_id = file.read_text() if file.exists() else None

with client.events.watch(type=["run.completed", "run.failed"], last_event_id=last_event_id) as events:
    for event in events:
        if event.type == "run.completed":
            print("completed", event.data.id, event.data.output_text, flush=True)
        elif event.type == "run.failed":
            print("failed", event.data.id, event.data.error and event.data.error.code, flush=True)
        file.write_text(event.id)
