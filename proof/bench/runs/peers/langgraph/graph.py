"""The work of the bench as a graph: two steps, each a constant-time function."""

import asyncio
import os
import typing

from langgraph.graph import END, START, StateGraph


class State(typing.TypedDict, total=False):
    key: str
    delay_ms: int
    steps: int
    result: str


def note(key: str, step: int) -> None:
    file = os.open(os.environ["PEER_STEP_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, f"{key} {step}\n".encode())
    os.close(file)


async def work(state: State, step: int) -> None:
    """Notes that the step began, if the run is one of the recovery, and waits."""
    if state.get("delay_ms", 0) > 0:
        await asyncio.to_thread(note, state["key"], step)
        await asyncio.sleep(state["delay_ms"] / 1000)


async def first(state: State) -> State:
    await work(state, 1)
    return {"steps": 1}


async def second(state: State) -> State:
    await work(state, 2)
    return {"steps": 2, "result": "2 steps done"}


builder = StateGraph(State)
builder.add_node("first", first)
builder.add_node("second", second)
builder.add_edge(START, "first")
builder.add_edge("first", "second")
builder.add_edge("second", END)
graph = builder.compile()
