from __future__ import annotations

import pytest

from agent_run_service import AgentRunService, types, webhooks

SECRET = "whsec_" + "A" * 43 + "="
BODY = '{"id":"evt_1","type":"test","created_at":"2030-01-01T00:00:00Z","data":{}}'


def test_what_sign_makes_is_accepted_by_the_client_too() -> None:
    headers = webhooks.sign(BODY, secret=SECRET, id="evt_1")
    event = AgentRunService(api_key="k").webhooks.unwrap(BODY.encode(), headers, secret=["other", SECRET])
    assert isinstance(event, types.TestEvent)


@pytest.mark.parametrize(
    ("reason", "secret", "body"),
    [("secret_invalid", "", BODY), ("signature_mismatch", "whsec_other", BODY), ("signature_mismatch", SECRET, "{}")],
)
def test_a_delivery_that_is_not_authentic_is_refused(reason: str, secret: str, body: str) -> None:
    headers = webhooks.sign(BODY, secret=SECRET, id="evt_1")
    with pytest.raises(webhooks.WebhookVerificationError) as caught:
        webhooks.unwrap(body, headers, secret=secret)
    assert caught.value.reason == reason


@pytest.mark.parametrize("body", ["", "null", "7", "{"])
def test_a_signed_body_that_is_no_object_is_refused(body: str) -> None:
    with pytest.raises(webhooks.WebhookVerificationError) as caught:
        webhooks.unwrap(body, webhooks.sign(body, secret=SECRET, id="evt_1"), secret=SECRET)
    assert caught.value.reason == "body_invalid"


def test_the_guard_keeps_the_newest_ids() -> None:
    guard = webhooks.ReplayGuard(max_ids=2)
    assert [guard.claim(each) for each in ("1", "1", "2", "3")] == [True, False, True, True]
    assert [guard.claim(each) for each in ("3", "2", "1")] == [False, False, True]
    guard.release("1")
    assert guard.claim("1")


def test_a_handler_receives_each_authentic_event_once() -> None:
    received: list[str] = []
    handle = webhooks.handler(lambda event: received.append(event.id), secret=SECRET)
    headers = webhooks.sign(BODY, secret=SECRET, id="evt_1")
    assert [handle(BODY, headers), handle(BODY.encode(), headers), handle("{}", headers)] == [204, 204, 400]
    assert received == ["evt_1"]
    assert webhooks.handler(lambda _: None, secret="")(BODY, headers) == 500


def test_an_event_whose_receiver_fails_is_received_again(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[types.Event] = []

    def receive(event: types.Event) -> None:
        calls.append(event)
        if len(calls) == 1:
            raise RuntimeError("the database is away")

    handle = webhooks.handler(receive, secret=SECRET)
    headers = webhooks.sign(BODY, secret=SECRET, id="evt_1")
    assert [handle(BODY, headers), handle(BODY, headers)] == [500, 204]
    assert "the database is away" in caplog.text
