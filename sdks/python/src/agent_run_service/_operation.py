"""How an operation of the API becomes an HTTP request. Nothing here sends anything."""

from __future__ import annotations

import json
import platform
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Final, Literal
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from ._generated.version import VERSION


class Omit:
    """The type of `OMIT`: the parameter is not sent, which is something else than None."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit()


Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(frozen=True)
class Operation:
    """An operation of the API as data."""

    id: str
    method: Method
    path: str
    takes: Literal["query", "body"] | None = None
    has_optional_body: bool = False
    """Without parameters it is sent without a body."""
    idempotent: bool = False
    """It accepts an idempotency key."""
    waits: bool = False
    """It can wait for a result."""
    anonymous: bool = False
    """It is called without a credential."""


@dataclass(frozen=True)
class Call:
    """One logical call. Its retries send the same bytes and the same idempotency key."""

    operation: Operation
    path: Sequence[str | int] = ()
    params: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    wait: int | Literal[False] | None = None
    timeout: float | None = None
    max_retries: int | None = None
    extra_headers: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Prepared:
    method: str
    path: str
    """Below the base URL, with its query."""
    headers: Mapping[str, str]
    body: bytes | None
    repeatable: bool
    anonymous: bool
    timeout: float | None
    max_retries: int | None
    takes_any: bool = False
    """The response may be text or empty."""

    def with_headers(self, headers: Mapping[str, str]) -> Prepared:
        return replace(self, headers={**self.headers, **headers})


# The default wait of the service, and the extra time for the response.
_WAIT = 55
_BEYOND_WAIT = 15.0
_DEFAULT_TIMEOUT = 60.0

USER_AGENT: Final = f"agent-run-service-python/{VERSION} python/{platform.python_version()}"


def prepare(call: Call, default_timeout: float = _DEFAULT_TIMEOUT) -> Prepared:
    operation = call.operation
    params = {name: value for name, value in (call.params or {}).items() if not isinstance(value, Omit)}
    headers = {"accept": "application/json", "user-agent": USER_AGENT}
    body: bytes | None = None
    if operation.takes == "body" and (params or not operation.has_optional_body):
        body = to_json(params)
        headers["content-type"] = "application/json"
    if operation.idempotent:
        # One key for the logical call, created before its first attempt.
        headers["idempotency-key"] = call.idempotency_key or str(uuid.uuid4())
    if operation.waits and call.wait is not None:
        headers["prefer"] = "respond-async" if call.wait is False else f"wait={call.wait}"
    return Prepared(
        method=operation.method,
        path=path_of(operation.path, call.path) + (query_of(params) if operation.takes == "query" else ""),
        headers={**headers, **{name.lower(): value for name, value in (call.extra_headers or {}).items()}},
        body=body,
        repeatable=operation.method != "POST" or operation.idempotent,
        anonymous=operation.anonymous,
        timeout=_timeout_of(call, default_timeout),
        max_retries=call.max_retries,
    )


@dataclass(frozen=True)
class AnyRequest:
    """A request that no method covers."""

    method: Method
    path: str
    query: Mapping[str, Any] | None = None
    body: object = None
    idempotency_key: str | None = None
    timeout: float | None = None
    max_retries: int | None = None
    extra_headers: Mapping[str, str] | None = None


def prepare_any(request: AnyRequest) -> Prepared:
    if not request.path.startswith("/"):
        raise ValueError("path must begin with /")
    query = query_of(request.query or {})
    key = request.idempotency_key
    headers = {
        "accept": "application/json",
        "user-agent": USER_AGENT,
        **({} if request.body is None else {"content-type": "application/json"}),
        **({} if key is None else {"idempotency-key": key}),
        **{name.lower(): value for name, value in (request.extra_headers or {}).items()},
    }
    return Prepared(
        method=request.method,
        path=request.path + (query.replace("?", "&", 1) if "?" in request.path else query),
        headers=headers,
        body=None if request.body is None else to_json(request.body),
        repeatable=request.method != "POST" or key is not None,
        anonymous=False,
        timeout=request.timeout,
        max_retries=request.max_retries,
        takes_any=True,
    )


def _timeout_of(call: Call, default_timeout: float) -> float:
    """The timeout of a call that waits covers at least the requested wait."""
    if call.timeout is not None:
        return call.timeout
    if not call.operation.waits or call.wait is False:
        return default_timeout
    return max(default_timeout, (_WAIT if call.wait is None else call.wait) + _BEYOND_WAIT)


def path_of(template: str, values: Sequence[str | int]) -> str:
    parts = template.split("/")
    rest = list(values)
    for n, part in enumerate(parts):
        if part.startswith("{"):
            parts[n] = quote(_checked_id(part.strip("{}"), rest.pop(0)), safe="")
    return "/".join(parts)


def _checked_id(name: str, value: object) -> str:
    """An empty id or a path segment such as `..` would call another operation."""
    text = str(value) if isinstance(value, int) else value
    if not isinstance(text, str) or text in ("", ".", ".."):
        raise ValueError(f"{name} must be a non-empty string")
    return text


def query_of(params: Mapping[str, Any]) -> str:
    """A mapping is sent as `name[key]=value`, a list with commas."""
    pairs: list[tuple[str, str]] = []
    for name, value in params.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs.extend((f"{name}[{key}]", _text_of(each)) for key, each in value.items())
        elif isinstance(value, (list, tuple, set, frozenset)):
            pairs.append((name, ",".join(_text_of(each) for each in value)))
        else:
            pairs.append((name, _text_of(value)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return instant(value) if isinstance(value, datetime) else str(value)


def to_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_other).encode()


def _other(value: object) -> object:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")


def instant(value: datetime) -> str:
    """A date without a time zone would be read differently by each computer."""
    if value.tzinfo is None:
        raise ValueError("A datetime needs a time zone, for example datetime.now(timezone.utc)")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
