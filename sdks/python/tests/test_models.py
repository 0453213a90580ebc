from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from agent_run_service import types
from agent_run_service._models import parse
from agent_run_service._operation import instant, query_of, to_json

RUN: dict[str, Any] = {"id": "run_1", "status": "completed", "created_at": "2030-01-01T00:00:00.000Z"}


def test_dates_have_a_time_zone() -> None:
    run = parse(types.Run, RUN)
    assert run.created_at == datetime(2030, 1, 1, tzinfo=timezone.utc)


def test_unknown_values_and_fields_are_kept_and_missing_ones_are_none() -> None:
    run = parse(types.Run, {**RUN, "status": "of_tomorrow", "new_field": [1], "usage": {"input_tokens": 1, "more": 2}})
    assert isinstance(run, types.Run)
    assert (run.status, run.output, run.usage.input_tokens) == ("of_tomorrow", None, 1)
    assert run.to_dict()["new_field"] == [1]
    assert run.to_dict()["usage"] == {"input_tokens": 1, "more": 2}
    assert "output" not in run.to_dict()


def test_an_event_has_the_class_of_its_type() -> None:
    envelope = {"id": "evt_1", "created_at": "2030-01-01T00:00:00Z", "data": {}}
    assert isinstance(parse(types.Event, {**envelope, "type": "run.completed"}), types.RunCompletedEvent)
    unknown = parse(types.Event, {**envelope, "type": "moon.rises", "data": {"phase": 1}})
    assert isinstance(unknown, types.UnknownEvent)
    assert (unknown.type, unknown.data) == ("moon.rises", {"phase": 1})


def test_a_type_checker_narrows_a_union_by_its_type() -> None:
    """mypy refuses the attributes below if it does not know the class after the comparison."""

    def shown(frame: types.RunFrame, event: types.Event, me: types.Me) -> list[str]:
        texts = [me.organisation.name]
        if frame.type == "run.output.delta":
            texts.append(frame.delta)
        if event.type == "run.completed":
            texts.append(event.data.output_text or "")
        if me.type == "session":
            texts.append(me.user.email)
        return texts

    frame = parse(types.RunFrame, {"type": "run.output.delta", "run_id": "run_1", "step": 1, "delta": "Hi"})
    event = parse(types.Event, {"type": "run.completed", "id": "evt_1", "data": {**RUN, "output": {"result": "Bye"}}})
    organisation = {"id": "org_1", "name": "Acme", "plan": "none", "max_key_lifetime_days": None}
    me = parse(types.Me, {"type": "api_key", "id": "key_1", "organisation": organisation, "scopes": []})
    assert shown(frame, event, me) == ["Acme", "Hi", "Bye"]


def test_a_date_without_a_time_zone_is_not_sent() -> None:
    with pytest.raises(ValueError, match="time zone"):
        instant(datetime(2030, 1, 1))
    sent = {"at": datetime(2030, 1, 1, tzinfo=timezone.utc), "run": parse(types.Run, {"id": "run_1"})}
    assert to_json(sent) == b'{"at":"2030-01-01T00:00:00Z","run":{"id":"run_1"}}'


def test_filters_are_written_as_the_service_reads_them() -> None:
    query = query_of({"status": ["failed", "cancelled"], "metadata": {"a": "b&c"}, "active": True, "none": None})
    assert query == "?status=failed%2Ccancelled&metadata%5Ba%5D=b%26c&active=true"
