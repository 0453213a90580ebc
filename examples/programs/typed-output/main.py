"""Reads fields of a document. The service checks the answer against the schema of the agent: main.py invoice.txt"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from agent_run_service import AgentRunService


@dataclass
class Invoice:
    number: str
    total: float
    due: str


client = AgentRunService()
text = Path(sys.argv[1]).read_text()

run = client.runs.create_and_wait(agent_id=os.environ["AGENT_ID"], input={"text": text})
if run.status != "completed":
    raise SystemExit(f"{run.status}: {run.error and run.error.message}")
invoice = run.output_as(Invoice)
print(f"Invoice {invoice.number}: {invoice.total:.2f} euros until {invoice.due}")
