"""
Opens ARS_STREAMS streams of runs, ARS_STREAMS_AT_ONCE at the same time, half of them with each client, and checks each:
no frame is lost, none comes twice, and the text equals the output of the run. Prints one line of JSON. See
proof/sdks/streams.ts, which kills the gateways in the meantime.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from typing import Any

from agent_run_service import AgentRunService, AsyncAgentRunService, types

TOTAL = int(os.environ["ARS_STREAMS"])
AT_ONCE = int(os.environ["ARS_STREAMS_AT_ONCE"])
AGENT = os.environ["ARS_AGENT_ID"]
MAX_RETRIES = 20

lock = threading.Lock()
report: dict[str, Any] = {"streams": 0, "frames": 0, "faults": []}


def input_of(n: int) -> dict[str, Any]:
    return {"text": f"stream {n}: {'Ünï 🚀 ' * 40}", "chunks": 20, "delay_ms": 150}


def judge(n: int, frames: int, last_event_id: str | None, text: str, run: types.Run) -> None:
    """The frames of a run are numbered without gaps, so that their count is the last id."""
    faults = []
    if str(frames) != last_event_id:
        faults.append(f"stream {n}: {frames} frames, but the last id is {last_event_id}")
    if text != input_of(n)["text"] or run.output != {**(run.output or {}), "result": text}:
        faults.append(f"stream {n}: the text differs from the output")
    add(frames, faults)


def add(frames: int, faults: list[str]) -> None:
    with lock:
        report["streams"] += 1
        report["frames"] += frames
        report["faults"] += faults


def follow(client: AgentRunService, numbers: Iterator[int]) -> None:
    while True:
        with lock:
            n = next(numbers, None)
        if n is None:
            return
        try:
            with client.runs.stream(agent_id=AGENT, input=input_of(n), max_retries=MAX_RETRIES) as stream:
                frames = sum(1 for _ in stream)
                judge(n, frames, stream.last_event_id, stream.text(), stream.final_run())
        except Exception as error:
            add(0, [f"stream {n}: {error!r}"])


async def follow_async(client: AsyncAgentRunService, numbers: Iterator[int]) -> None:
    for n in numbers:
        try:
            async with client.runs.stream(agent_id=AGENT, input=input_of(n), max_retries=MAX_RETRIES) as stream:
                frames = 0
                async for _ in stream:
                    frames += 1
                judge(n, frames, stream.last_event_id, await stream.text(), await stream.final_run())
        except Exception as error:
            add(0, [f"stream {n}: {error!r}"])


async def main() -> None:
    half = max(AT_ONCE // 2, 1)
    blocking, others = iter(range(0, TOTAL, 2)), iter(range(1, TOTAL, 2))
    with AgentRunService() as client:
        threads = [threading.Thread(target=follow, args=(client, blocking)) for _ in range(half)]
        for thread in threads:
            thread.start()
        async with AsyncAgentRunService() as asynchronous:
            await asyncio.gather(*(follow_async(asynchronous, others) for _ in range(half)))
        for thread in threads:
            await asyncio.to_thread(thread.join)
    print(json.dumps(report))


if __name__ == "__main__":
    asyncio.run(main())
