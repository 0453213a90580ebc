"""The errors of the client. All of them are subclasses of `AgentRunServiceError`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any


class AgentRunServiceError(Exception):
    """The base class of all errors of the client."""


class ApiConnectionError(AgentRunServiceError):
    """No response: the service is unreachable, or the connection broke. `__cause__` has the reason."""


class ApiTimeoutError(ApiConnectionError):
    """The request timed out."""


@dataclass(frozen=True)
class Refusal:
    """The fields of an unsuccessful response."""

    status: int
    code: str
    type: str
    message: str
    reason: str | None = None
    param: str | None = None
    details: Sequence[Any] = field(default_factory=list)
    request_id: str | None = None
    doc_url: str | None = None
    retry_after: float | None = None


class ApiError(AgentRunServiceError):
    """The service rejected the request or failed. `code` identifies the error; quote `request_id` to the operator."""

    status: int
    code: str
    type: str
    message: str
    reason: str | None
    """Why the service is `unavailable`; None for every other code, and from an older service."""
    param: str | None
    details: Sequence[Any]
    request_id: str | None
    doc_url: str | None
    retry_after: float | None
    """The delay that the service requested, in seconds."""

    def __init__(self, refusal: Refusal) -> None:
        request = refusal.request_id or "unknown"
        super().__init__(f"{refusal.message} (status {refusal.status}, code {refusal.code}, request {request})")
        self.status = refusal.status
        self.code = refusal.code
        self.type = refusal.type
        self.message = refusal.message
        self.reason = refusal.reason
        self.param = refusal.param
        self.details = refusal.details
        self.request_id = refusal.request_id
        self.doc_url = refusal.doc_url
        self.retry_after = refusal.retry_after


class AuthenticationError(ApiError):
    """401: the API key is missing or invalid."""


class PermissionDeniedError(ApiError):
    """403: the key is valid, but lacks the permission."""


class NotFoundError(ApiError):
    """404: the resource does not exist, or the key cannot access it."""


class InvalidRequestError(ApiError):
    """400, 422 and similar: change the request before you retry it."""


class RateLimitError(ApiError):
    """429: too many requests, runs or calls. `retry_after` says when to retry."""


def error_of(status: int, headers: Mapping[str, str], text: str) -> ApiError:
    """The error for an unsuccessful response. A proxy may have sent it, so every field is optional."""
    body = _read_body(text)
    refusal = Refusal(
        status=status,
        code=body.get("code") or f"http_{status}",
        type=body.get("type") or ("api_error" if status >= 500 else "invalid_request_error"),
        message=body.get("message") or f"The response has status {status} and no error body.",
        reason=body.get("reason"),
        param=body.get("param"),
        details=body.get("details") or [],
        request_id=body.get("request_id") or headers.get("x-request-id"),
        doc_url=body.get("doc_url"),
        retry_after=_retry_after(headers.get("retry-after")),
    )
    return _class_of(status)(refusal)


def _class_of(status: int) -> type[ApiError]:
    special: dict[int, type[ApiError]] = {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        429: RateLimitError,
    }
    return special.get(status) or (InvalidRequestError if 400 <= status < 500 else ApiError)


def _read_body(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _retry_after(header: str | None) -> float | None:
    """Seconds or, from proxies, a date."""
    if header is None:
        return None
    if re.fullmatch(r"\d{1,9}", header):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())
