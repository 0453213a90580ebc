from __future__ import annotations

import asyncio
import re
import ssl

import pydantic
import pytest
from service import Answer, service

from agent_run_service import AgentRunService, AgentRunServiceError, AsyncAgentRunService, types

RUN = {"id": "run_1", "status": "completed"}


def listed(path: str, n: int) -> Answer:
    has_more = "after" not in path
    data = [{"id": f"run_{n}"}]
    return 200, {"x-request-id": f"req_{n}"}, {"data": data, "has_more": has_more, "last_id": f"run_{n}"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"api_key": ""}, "ARS_API_KEY"),
        ({"api_key": "ars_live_secret\n"}, "invalid character"),
        ({"api_key": "k", "base_url": "http://agents.example.com/v2"}, "https://"),
        ({"api_key": "k", "base_url": "agents.example.com"}, "absolute"),
        ({"api_key": "k", "base_url": "https://a:b@example.com"}, "credentials"),
    ],
)
def test_a_client_needs_a_key_and_an_https_address(options: dict[str, str], message: str) -> None:
    with pytest.raises(AgentRunServiceError, match=message) as caught:
        AgentRunService(api_key=options["api_key"], base_url=options.get("base_url"))
    assert "secret" not in str(caught.value)


def test_the_key_and_the_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARS_API_KEY", "ars_live_secret")
    monkeypatch.setenv("ARS_BASE_URL", "https://agents.example.com/v2/")
    client = AgentRunService()
    assert client.base_url == "https://agents.example.com/v2"
    assert "secret" not in repr(client) + repr(vars(client))


def test_the_raw_response_has_headers_and_the_object() -> None:
    with service(lambda _, n: (200, {"x-request-id": f"req_{n}"}, RUN)) as running:
        with AgentRunService(api_key="k", base_url=running.base_url) as client:
            raw = client.runs.with_raw_response.get("run_1")
        assert (raw.status_code, raw.request_id, raw.parse().id) == (200, "req_1", "run_1")


def test_pages_one_by_one_and_all_items() -> None:
    with service(listed) as running, AgentRunService(api_key="k", base_url=running.base_url) as client:
        page = client.runs.list(limit=1)
        assert [run.id for run in page.data] == ["run_1"]
        second = page.next_page()
        assert second is not None
        assert (second.data[0].id, second.next_page()) == ("run_2", None)
        raw = client.runs.with_raw_response.list()
        assert raw.request_id == "req_3"
        assert [run.id for run in raw.parse()] == ["run_3", "run_4"]


def test_the_asynchronous_client_has_the_same_pages_and_raw_responses() -> None:
    async def work(base_url: str) -> list[str]:
        async with AsyncAgentRunService(api_key="k", base_url=base_url) as client:
            page = await client.runs.list()
            found = [run.id async for run in page]
            raw = await client.runs.with_raw_response.list()
            found += [run.id for run in raw.parse().data]
            return found + [run.id async for run in client.runs.list()]

    with service(listed) as running:
        assert asyncio.run(work(running.base_url)) == ["run_1", "run_2", "run_3", "run_4", "run_5"]


def test_a_body_without_parameters_is_left_out_where_it_may_be() -> None:
    with service(lambda _, __: (201, {}, {"id": "key_1"})) as running:
        with AgentRunService(api_key="k", base_url=running.base_url) as client:
            assert isinstance(client.api_keys.rotate("key_1"), types.CreatedApiKey)
        method, path, headers, body = running.seen[0]
        assert (method, path, body) == ("POST", "/v2/api-keys/key_1/rotate", "")
        assert headers["idempotency-key"]


def test_an_unreachable_service_is_named_with_its_reason() -> None:
    client = AgentRunService(api_key="k", base_url="https://localhost:1/v2", max_retries=0)
    with pytest.raises(AgentRunServiceError, match=r"GET /runs/run_1 \(.*[Rr]efused.*\)"):
        client.runs.get("run_1")


def test_a_certificate_file_in_the_environment_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("tls") / "ca.pem"
    empty.write_text("")
    monkeypatch.setenv("ARS_CA_FILE", str(empty))
    with pytest.raises(ssl.SSLError):
        AgentRunService(api_key="k")


def test_a_log_line_names_method_path_status_and_request_id(caplog: pytest.LogCaptureFixture) -> None:
    with service(lambda _, __: (200, {"x-request-id": "req_1"}, {"data": [], "has_more": False})) as running:
        with caplog.at_level("DEBUG", logger="agent_run_service"):
            with AgentRunService(api_key="k", base_url=running.base_url) as client:
                client.agents.list(status="active")
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 1
    assert re.fullmatch(r"GET /agents: 200 in \d+ ms \(req_1\)", messages[0])
    assert running.seen[0][1] == "/v2/agents?status=active"


def test_the_output_of_a_run_is_read_with_a_type() -> None:
    class Invoice(pydantic.BaseModel):
        amount: int

    with service(lambda _, __: (200, {}, {"id": "run_1", "output": {"amount": 12}})) as running:
        with AgentRunService(api_key="k", base_url=running.base_url) as client:
            run = client.runs.get("run_1")
    invoice: Invoice = run.output_as(Invoice)
    assert (invoice.amount, run.output_text) == (12, None)
    with pytest.raises(pydantic.ValidationError):
        run.output_as(list[int])
