"""Verifies webhook deliveries. A receiver needs the secret of the webhook and no API key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, cast

from ._generated.models import Event
from ._models import parse
from .errors import AgentRunServiceError

Reason = Literal[
    "secret_invalid",
    "headers_missing",
    "timestamp_invalid",
    "too_old",
    "too_new",
    "signature_mismatch",
    "body_invalid",
]

DEFAULT_TOLERANCE = 300.0
_log = logging.getLogger("agent_run_service")
_PREFIX = "whsec_"
_MIN_KEY_BYTES = 24
_MAX_KEY_BYTES = 64


class Headers(Protocol):
    """The headers of a request: a mapping, or the headers of http.server, Starlette, Flask or Django."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class WebhookVerificationError(AgentRunServiceError):
    """The delivery is not authentic: respond 400 and do nothing."""

    reason: Reason

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def unwrap(
    body: str | bytes,
    headers: Headers,
    *,
    secret: str | Sequence[str],
    tolerance: float = DEFAULT_TOLERANCE,
    now: float | None = None,
) -> Event:
    """
    Verifies a delivery and returns its event. Pass the raw body: parsed and serialised JSON has other bytes.

    Checks both signatures: the Standard Webhooks headers, which also cover id and time, and `X-SERVICE-Signature` if
    present. During a rotation, pass the new and the old secret. `tolerance` is the maximum difference of the delivery
    time in seconds, in either direction; `now` is for tests.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or "" in secrets:
        raise WebhookVerificationError("secret_invalid", "A secret is missing.")
    lower = {name.lower(): value for name, value in headers.items()}
    event_id = lower.get("webhook-id")
    timestamp = lower.get("webhook-timestamp")
    signatures = lower.get("webhook-signature")
    if not event_id or not timestamp or not signatures:
        raise WebhookVerificationError(
            "headers_missing", "The headers webhook-id, webhook-timestamp and webhook-signature are required."
        )
    _check_time(timestamp, tolerance, time.time() if now is None else now)
    raw = body.encode() if isinstance(body, str) else bytes(body)
    sent = [each for each in signatures.split(" ") if each.startswith("v1,")]
    signed = f"{event_id}.{timestamp}.".encode() + raw
    if not _fits_any([_standard(each, signed) for each in secrets], sent):
        raise WebhookVerificationError(
            "signature_mismatch", "webhook-signature does not match the body and the secret."
        )
    plain = lower.get("x-service-signature")
    # During a rotation this header uses the old secret, which a receiver may have dropped already.
    if plain is not None and len(sent) < 2 and not _fits_any([_plain(each, raw) for each in secrets], [plain]):
        raise WebhookVerificationError(
            "signature_mismatch", "X-SERVICE-Signature does not match the body and the secret."
        )
    return _event_of(raw)


def sign(body: str | bytes, *, secret: str, id: str, timestamp: int | None = None) -> dict[str, str]:
    """The headers of a delivery, for tests of a receiver."""
    raw = body.encode() if isinstance(body, str) else bytes(body)
    at = str(int(time.time()) if timestamp is None else timestamp)
    return {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": at,
        "webhook-signature": _standard(secret, f"{id}.{at}.".encode() + raw),
        "x-service-signature": _plain(secret, raw),
    }


class ReplayGuard:
    """
    Remembers processed deliveries. The service can send an event more than once, and an attacker can replay one. Keeps
    the newest `max_ids` in memory; with several processes, store them in your database.
    """

    def __init__(self, max_ids: int = 10_000) -> None:
        self._max = max_ids
        self._seen: OrderedDict[str, None] = OrderedDict()

    def claim(self, event_id: str) -> bool:
        """True the first time, False for an id that is already claimed."""
        if event_id in self._seen:
            return False
        self._seen[event_id] = None
        if len(self._seen) > self._max:
            self._seen.popitem(last=False)
        return True

    def release(self, event_id: str) -> None:
        """Releases an id after a failure, so that the next delivery is processed."""
        self._seen.pop(event_id, None)


def handler(
    receive: Callable[[Event], object],
    *,
    secret: str | Sequence[str],
    guard: ReplayGuard | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
) -> Callable[[str | bytes, Headers], int]:
    """
    Returns a function that takes the raw body and the headers of a delivery and returns the status to respond with.

    It verifies the delivery and calls `receive` once per event: 204, 400 if the delivery is not authentic, and 500 if
    `receive` raises. The service then sends the event again. `guard` has the methods of `ReplayGuard`; with several
    processes, keep the ids in your database.
    """
    ids = ReplayGuard() if guard is None else guard

    def handle(body: str | bytes, headers: Headers) -> int:
        try:
            event = unwrap(body, headers, secret=secret, tolerance=tolerance)
        except WebhookVerificationError as error:
            # A missing secret is a fault of the receiver.
            return 500 if error.reason == "secret_invalid" else 400
        if not ids.claim(event.id):
            return 204
        try:
            receive(event)
        except Exception:
            ids.release(event.id)
            _log.exception("The receiver of a webhook failed")
            return 500
        return 204

    return handle


class WebhookReceiver:
    """Adds `unwrap` to `client.webhooks`."""

    def unwrap(
        self,
        body: str | bytes,
        headers: Headers,
        *,
        secret: str | Sequence[str],
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> Event:
        """Verifies a delivery and returns its event. See `agent_run_service.webhooks.unwrap`."""
        return unwrap(body, headers, secret=secret, tolerance=tolerance)


def _check_time(timestamp: str, tolerance: float, now: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("timestamp_invalid", "webhook-timestamp must be in seconds since 1970.")
    age = now - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("too_old", f"The delivery is older than {tolerance:g} s.")
    if age < -tolerance:
        raise WebhookVerificationError("too_new", f"The delivery time is more than {tolerance:g} s in the future.")


def _standard(secret: str, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(_standard_key(secret), signed, hashlib.sha256).digest()).decode()


def _plain(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _standard_key(secret: str) -> bytes:
    """The part after the prefix if it is base64 of 24 to 64 bytes; otherwise the whole string with its prefix."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        decoded = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()
    return decoded if _MIN_KEY_BYTES <= len(decoded) <= _MAX_KEY_BYTES else secret.encode()


def _fits_any(wanted: Sequence[str], sent: Sequence[str]) -> bool:
    """Compares every candidate in full, in constant time."""
    return True in [hmac.compare_digest(each.encode(), other.encode()) for each in wanted for other in sent]


def _event_of(raw: bytes) -> Event:
    try:
        value: Any = json.loads(raw)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise WebhookVerificationError("body_invalid", "The body is signed but is not a JSON object.")
    return cast(Event, parse(Event, value))
