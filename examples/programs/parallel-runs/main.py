"""Asks many questions, four at a time, and gives each of them a minute: python main.py < questions.txt"""

import asyncio
import os
import sys

from agent_run_service import AsyncAgentRunService

agent_id = os.environ["AGENT_ID"]
free = asyncio.Semaphore(4)


async def ask(client: AsyncAgentRunService, query: str) -> str:
    async with free:
        run = await client.runs.create_and_wait(agent_id=agent_id, input={"query": query}, timeout_seconds=60)
        return f"{query} -> {run.output_text or run.status}"


async def main() -> None:
    questions = sys.stdin.read().splitlines()
    async with AsyncAgentRunService() as client:
        answers = await asyncio.gather(*(ask(client, query) for query in questions))
    print("\n".join(answers))


asyncio.run(main())
