"""
Executes the Python blocks of README.md in their order against the service of ARS_BASE_URL, in one namespace.

    python sdks/python/conformance/readme.py
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from agent_run_service import AgentRunService, webhooks

README = Path(__file__).parents[1] / "README.md"
# Which test agent stands for `ag_…` in which section.
AGENTS = {"Stream": "test-stream", "Approve": "test-approval", "Cancel": "test-slow"}
TASKS = [
    "First run",
    "Stream",
    "Approve",
    "List",
    "Error",
    "Retry",
    "Webhook",
    "Cancel",
    "Release a canary",
    "Batch",
]
SECRET = "whsec_" + "A" * 43 + "="


def sections() -> list[tuple[str, str]]:
    """Every heading with its Python blocks."""
    parts = re.split(r"^## (.+)$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = zip(parts[1::2], parts[2::2], strict=True)
    return [(heading, "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))) for heading, text in found]


def main() -> None:
    programs = [(heading, code) for heading, code in sections() if code]
    assert [heading for heading, _ in programs][: len(TASKS)] == TASKS
    os.environ["WEBHOOK_SECRET"] = SECRET
    with AgentRunService() as client:
        agents = {agent.name: agent.id for agent in client.agents.list()}
        space: dict[str, Any] = {"__name__": "readme"}
        for heading, code in programs:
            print(f"== {heading}")
            agent = agents[AGENTS.get(heading, "test-echo")]
            exec(compile(code.replace("ag_…", agent), f"README.md: {heading}", "exec"), space)  # noqa: S102
            check(heading, space, client)
    print(f"{len(programs)} sections of README.md were executed")


def check(heading: str, space: dict[str, Any], client: AgentRunService) -> None:
    """What a section says has happened."""
    if heading == "First run":
        assert space["run"].output_text == "Hello"
    elif heading == "Stream":
        assert space["stream"].text() == space["stream"].final_run().output_text != ""
    elif heading == "Approve":
        assert space["run"].status == "completed"
    elif heading == "Webhook":
        body = b'{"id":"evt_1","type":"run.completed","created_at":"2030-01-01T00:00:00Z","data":{"output":{}}}'
        assert space["receive"](body, webhooks.sign(body, secret=SECRET, id="evt_1")) == 204
        assert space["receive"](body + b" ", webhooks.sign(body, secret=SECRET, id="evt_1")) == 400
    elif heading == "Cancel":
        assert space["run"].status in ("cancelling", "cancelled")
    elif heading == "Release a canary":
        assert client.deployments.get(space["changed"].deployment.id).status == "active"
    elif heading == "Batch":
        assert space["batch"].progress.completed == 2
        assert space["again"] is None


if __name__ == "__main__":
    main()
