from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from agent_run_service import AgentRunService, AsyncAgentRunService
from agent_run_service._generated.operations import OPERATIONS

DOCUMENT = Path(__file__).parents[3] / "packages/contract/openapi.json"
CLIENTS = (AgentRunService(api_key="k"), AsyncAgentRunService(api_key="k"))
METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = json.loads(DOCUMENT.read_text())["paths"]
    every = [(method, path, item[method]) for path, item in paths.items() for method in METHODS if method in item]
    # Lines of JSON are a download; the clients iterate over the list of the same things.
    return [each for each in every if "application/jsonl" not in json.dumps(each[2]["responses"])]


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", name)


@pytest.mark.parametrize("operation", operations(), ids=lambda each: str(each[2]["operationId"]))
def test_both_clients_have_every_operation_of_the_document(operation: tuple[str, str, dict[str, Any]]) -> None:
    method, path, described = operation
    row = OPERATIONS[described["operationId"]]
    assert (row.method.lower(), row.path) == (method, path)
    resource, name = (snake(part) for part in described["operationId"].split("."))
    is_stream = "text/event-stream" in json.dumps(described["responses"].get("200", {}))
    for client in CLIENTS:
        owner = getattr(client, resource)
        assert inspect.getdoc(getattr(owner, name))
        assert hasattr(owner.with_raw_response, name) != is_stream


def test_both_clients_have_the_same_methods_with_the_same_parameters() -> None:
    for name in OPERATIONS:
        resource, method = (snake(part) for part in name.split("."))
        one, other = (getattr(getattr(client, resource), method) for client in CLIENTS)
        assert inspect.signature(one).parameters.keys() == inspect.signature(other).parameters.keys()
