"""Asks an agent in the terminal and prints the answer while it is produced: python main.py "What is a quorum?" """

import os
import sys

from agent_run_service import AgentRunService

client = AgentRunService()  # reads ARS_API_KEY and ARS_BASE_URL
agent_id = os.environ["AGENT_ID"]

with client.runs.stream(agent_id=agent_id, input={"query": sys.argv[1]}) as stream:
    for frame in stream:
        if frame.type == "run.output.delta":
            print(frame.delta, end="", flush=True)
        elif frame.type == "run.output.reset":
            print("\n[the text above is void]")
    run = stream.final_run()
print(f"\n{run.status}, {run.tokens_used} tokens")
if run.error:
    print(run.error.code, run.error.message, file=sys.stderr)
sys.exit(0 if run.status == "completed" else 1)
