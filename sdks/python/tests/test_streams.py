from __future__ import annotations

import json

from service import Answer, service

from agent_run_service import AgentRunService


def _frame(number: int, kind: str) -> str:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps({'type': kind, 'pipeline_run_id': 'plr_1'})}\n\n"


def test_a_stream_of_a_pipeline_run_begins_anew_after_a_break_and_ends_with_it() -> None:
    def answer(path: str, number: int) -> Answer:
        head = {"content-type": "text/event-stream"}
        if number == 1:
            return 200, head, "retry: 1\n\n"
        if number == 2:
            return 200, head, "retry: 1\n\n" + _frame(1, "pipeline_run.cancelling")
        last = [(2, "pipeline_run.cancelling"), (3, "new"), (4, "pipeline_run.cancelled")]
        return 200, head, "".join(_frame(number, kind) for number, kind in last)

    with service(answer) as running:
        client = AgentRunService(api_key="k", base_url=running.base_url)
        with client.pipeline_runs.watch("plr_1") as stream:
            kinds = [frame.type for frame in stream]
    assert kinds == ["pipeline_run.cancelling", "pipeline_run.cancelling", "new", "pipeline_run.cancelled"]
    assert [path for _, path, _, _ in running.seen] == ["/v2/pipeline-runs/plr_1/stream"] * 3
    assert running.seen[2][2].get("last-event-id") == "1"
