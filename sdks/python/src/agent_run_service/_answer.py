from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .errors import ApiConnectionError, ApiTimeoutError

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """A successful response whose body was read."""

    status: int
    headers: Mapping[str, str]
    value: Any


class RawResponse(Generic[T]):
    """The result of a method of `with_raw_response`: status and headers, and the object with `parse()`."""

    def __init__(self, answer: Answer, result: T) -> None:
        self.status_code = answer.status
        self.headers = answer.headers
        self._result = result

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")

    def parse(self) -> T:
        """What the method without `with_raw_response` returns."""
        return self._result


def read_body(body: bytes, headers: Mapping[str, str], *, takes_any: bool) -> Any:
    """JSON. If anything may come, text of another content type, and None for an empty body."""
    if not takes_any or (body and "json" in headers.get("content-type", "")):
        return read_json(body)
    return body.decode("utf-8", "replace") if body else None


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise ApiConnectionError("The response is not JSON, so it does not come from the service.") from error


def late(method: str, path: str, timeout: float) -> ApiTimeoutError:
    return ApiTimeoutError(f"No answer within {timeout:g} s: {method} {path}")


def broken(method: str, path: str, error: BaseException) -> ApiConnectionError:
    """Names the innermost cause, which is the reason."""
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    reason = f" ({cause})" if str(cause) else ""
    advice = ". Pass `verify` with the certificate of the service" if "CERTIFICATE_VERIFY_FAILED" in reason else ""
    return ApiConnectionError(f"The connection failed: {method} {path}{reason}{advice}")
