"""Runs an agent for each line of a file and writes the answers: python main.py items.jsonl answers.jsonl"""

import json
import os
import sys
from datetime import datetime, timezone
from pathlib import Path

from agent_run_service import AgentRunService, params

client = AgentRunService()
agent_id = os.environ["AGENT_ID"]
source, target = Path(sys.argv[1]), Path(sys.argv[2])

# {"custom_id": "ticket-1", "input": {…}}
items: list[params.BatchItemParams] = [json.loads(line) for line in source.read_text().splitlines()]

# If cron starts the program again on the same day, the same key finds the same batch.
key = f"{source} {datetime.now(timezone.utc).date()}"
batch = client.batches.create_and_wait(agent_id=agent_id, items=items, idempotency_key=key)

with target.open("w") as file:
    for result in client.batches.results(batch.id):
        answer = {"id": result.custom_id, "status": result.status, "answer": result.output_text or ""}
        file.write(json.dumps(answer) + "\n")
print(f"{batch.progress.items} items, {batch.progress.failed} failed")
