from __future__ import annotations

import asyncio

import pytest
from service import Answer, service

from agent_run_service import AgentRunService, ApiError, AsyncAgentRunService

JSON = {"content-type": "application/json", "x-request-id": "req_1"}
REFUSAL = {"error": {"code": "unavailable", "message": "It failed."}}


def unavailable_once(_: str, n: int) -> Answer:
    return (503, {**JSON, "retry-after": "0"}, REFUSAL) if n == 1 else (200, JSON, {"id": "ag_1"})


def test_any_request_is_sent_as_the_methods_send_theirs() -> None:
    with service(unavailable_once) as running, AgentRunService(api_key="k", base_url=running.base_url) as client:
        query = {"limit": 2, "metadata": {"team": "blue"}}
        raw = client.request(
            "PATCH", "/agents/ag_1?a=b", query=query, body={"name": "ü"}, extra_headers={"X-Trace": "a"}
        )
    assert (raw.status_code, raw.request_id, raw.parse()) == (200, "req_1", {"id": "ag_1"})
    assert len(running.seen) == 2
    for method, path, headers, body in running.seen:
        assert (method, path) == ("PATCH", "/v2/agents/ag_1?a=b&limit=2&metadata%5Bteam%5D=blue")
        assert (headers["authorization"], headers["x-trace"], body) == ("Bearer k", "a", '{"name":"ü"}')


def test_any_post_is_retried_only_with_an_idempotency_key() -> None:
    with service(unavailable_once) as running, AgentRunService(api_key="k", base_url=running.base_url) as client:
        with pytest.raises(ApiError, match="unavailable"):
            client.request("POST", "/runs", body={})
    with service(unavailable_once) as running, AgentRunService(api_key="k", base_url=running.base_url) as client:
        assert client.request("POST", "/runs", body={}, idempotency_key="order-1").parse() == {"id": "ag_1"}
    assert [headers["idempotency-key"] for _, _, headers, _ in running.seen] == ["order-1"] * 2


def test_any_response_is_read() -> None:
    def answer(path: str, _: int) -> Answer:
        return (204, {}, "") if path.endswith("/empty") else (200, {"content-type": "text/markdown"}, "# Title")

    async def text(base_url: str) -> object:
        async with AsyncAgentRunService(api_key="k", base_url=base_url) as client:
            return (await client.request("GET", "/text")).parse()

    with service(answer) as running, AgentRunService(api_key="k", base_url=running.base_url) as client:
        assert client.request("GET", "/text").parse() == "# Title"
        assert client.request("DELETE", "/empty").parse() is None
        assert asyncio.run(text(running.base_url)) == "# Title"
        with pytest.raises(ValueError, match="begin with /"):
            client.request("GET", "agents")
