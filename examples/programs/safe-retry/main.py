"""Handles each order exactly once, also if the program is stopped and started again: python main.py order-1 order-2"""

import os
import sys

from agent_run_service import AgentRunService, RateLimitError

client = AgentRunService(max_retries=5)
agent_id = os.environ["AGENT_ID"]
is_incomplete = False

for order in sys.argv[1:]:
    try:
        # For 24 hours, the same key returns the run that exists already.
        run = client.runs.create_and_wait(
            agent_id=agent_id, input={"query": f"Confirm {order}"}, metadata={"order": order}, idempotency_key=order
        )
        print(order, run.id, run.status, run.output_text)
    except RateLimitError as error:
        print(order, error.code, f"retry in {error.retry_after} s", file=sys.stderr)
        is_incomplete = True
sys.exit(1 if is_incomplete else 0)
