"""What the streams of both clients know. Nothing here sends anything."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any

from ._models import parse
from ._operation import Call, Operation, Prepared, instant, prepare
from ._sse import SseFrame, SseParser, SseRetry
from .errors import AgentRunServiceError

DEFAULT_RETRY = 1.0
# The minimum reconnect delay, whatever the stream requests.
MIN_RETRY = 0.1
IDLE_TIMEOUT = 45.0
RUN_RESUME_FOR = 300.0

_ENDINGS = frozenset({"run.completed", "run.failed", "run.cancelled"})
_PIPELINE_RUN_ENDINGS = frozenset({"pipeline_run.completed", "pipeline_run.failed", "pipeline_run.cancelled"})
_ENDED = frozenset({"completed", "failed", "cancelled"})


@dataclass(frozen=True)
class StreamPlan:
    """A call whose response is a stream."""

    call: Call
    resumed_by: Operation
    """The GET that resumes it."""
    ends: bool
    """The stream of a run ends with the run and has its text; the stream of events does not end."""
    frame: Any
    run: Any
    idle_timeout: float | None = None
    resume_for: float | None = None
    last_event_id: str | None = None


class StreamState:
    """Where a stream is: the last frame, the delay before the next resume, and the text so far."""

    def __init__(self, plan: StreamPlan, default_timeout: float) -> None:
        self.plan = plan
        self._default_timeout = default_timeout
        self.request = prepare(plan.call, default_timeout)
        self.last_event_id = plan.last_event_id
        self.retry = DEFAULT_RETRY
        self.headers: Mapping[str, str] = {}
        self.is_complete = False
        self.final_run: Any = None
        self._run_id: str | None = None
        self._texts: dict[Any, list[str]] = {}
        # A stream without deltas contains no text.
        self._has_gap = (plan.call.params or {}).get("deltas") == "false"

    @property
    def idle_timeout(self) -> float:
        return IDLE_TIMEOUT if self.plan.idle_timeout is None else self.plan.idle_timeout

    @property
    def resume_for(self) -> float:
        if self.plan.resume_for is not None:
            return self.plan.resume_for
        return RUN_RESUME_FOR if self.plan.ends else float("inf")

    @property
    def run_id(self) -> str | None:
        if self.plan.ends and self.plan.call.path:
            return str(self.plan.call.path[0])
        return self._run_id or self.headers.get("x-run-id")

    @property
    def text(self) -> str:
        """The deltas that were not reset. If frames are missing, the result of the final run."""
        result = (getattr(self.final_run, "output", None) or {}).get("result")
        if self._has_gap and isinstance(result, str):
            return result
        return "".join(part for parts in self._texts.values() for part in parts)

    def first_request(self) -> Prepared:
        return self.request.with_headers(self._headers())

    def resume_request(self) -> Prepared:
        headers = self._headers()
        if self.request.method == "POST":
            if self.run_id is None:
                # The same idempotency key finds the run.
                return replace(self.request.with_headers(headers), max_retries=0)
            return self._resumption([self.run_id], None, headers)
        params = dict(self.plan.call.params or {})
        if self.last_event_id:
            # The last event id is newer than the requested start.
            params = {name: value for name, value in params.items() if name not in ("after", "since")}
        elif not self.plan.call.path:
            # The stream of one thing begins with all of it.
            params = self._since_beginning(params)
        return self._resumption(self.plan.call.path, params, headers)

    def _resumption(
        self, path: Sequence[str | int], params: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> Prepared:
        """One attempt; the stream itself repeats it."""
        call = self.plan.call
        resume = Call(
            self.plan.resumed_by, path, params, timeout=call.timeout, max_retries=0, extra_headers=call.extra_headers
        )
        return prepare(resume, self._default_timeout).with_headers(headers)

    def run_request(self) -> Prepared | None:
        """Reads the run of the stream."""
        if self.run_id is None:
            return None
        template = self.plan.resumed_by.path.removesuffix("/stream")
        read = Operation(id="", method="GET", path=template)
        return prepare(Call(read, [self.run_id], extra_headers=self.plan.call.extra_headers))

    def _headers(self) -> dict[str, str]:
        last = {"last-event-id": self.last_event_id} if self.last_event_id else {}
        return {"accept": "text/event-stream", "accept-encoding": "identity", **last}

    def _since_beginning(self, params: dict[str, Any]) -> dict[str, Any]:
        """A stream that started "now" and broke before its first frame resumes at that time, by the service's clock."""
        if params.get("after") or params.get("since"):
            return params
        try:
            date = parsedate_to_datetime(self.headers.get("date", ""))
        except (TypeError, ValueError):
            return params
        aware = date if date.tzinfo else date.replace(tzinfo=timezone.utc)
        return {**params, "since": instant(aware)}

    def take(self, sent: SseFrame) -> Any:
        """The frame, or None if it came before."""
        if sent.id != "" and _is_before_or_at(sent.id, self.last_event_id):
            return None
        try:
            value = json.loads(sent.data)
        except ValueError as error:
            message = "A frame of the stream is not JSON, so it does not come from the service."
            raise AgentRunServiceError(message) from error
        if sent.id != "":
            self.last_event_id = sent.id
        if self.plan.ends and isinstance(value, dict):
            self._follow(value)
        elif isinstance(value, dict) and value.get("type") in _PIPELINE_RUN_ENDINGS:
            self.is_complete = True
        return parse(self.plan.frame, value)

    def _follow(self, value: Mapping[str, Any]) -> None:
        kind = value.get("type")
        if isinstance(value.get("run_id"), str):
            self._run_id = value["run_id"]
        if kind == "run.output.delta":
            self._texts.setdefault(value.get("step"), []).append(str(value.get("delta", "")))
        elif kind == "run.output.reset":
            self._texts.pop(value.get("step"), None)
        elif kind == "run.snapshot":
            self._has_gap = True
        elif kind in _ENDINGS:
            self.is_complete = True
            self.final_run = parse(self.plan.run, value.get("run"))


class Connection:
    """One response of a stream."""

    def __init__(self, state: StreamState) -> None:
        self._state = state
        self._parser = SseParser(state.last_event_id)
        self._frames = 0
        self._retries = 0
        self.ended_well = False

    def push(self, chunk: bytes) -> list[SseFrame]:
        found: list[SseFrame] = []
        for each in self._parser.push(chunk):
            if isinstance(each, SseRetry):
                self._retries += 1
                self._state.retry = max(each.delay, MIN_RETRY)
            else:
                self._frames += 1
                found.append(each)
        return found

    def finish(self) -> bool:
        """True if it ended normally without a frame, and without the second `retry` of a stopping gateway."""
        # An id without data sets the position before the first event.
        reached = self._parser.last_event_id
        if reached is not None and not _is_before_or_at(reached, self._state.last_event_id):
            self._state.last_event_id = reached
        return self.ended_well and self._frames == 0 and self._retries < 2


def is_over(run: Any) -> bool:
    return isinstance(run, dict) and run.get("status") in _ENDED


def _is_before_or_at(event_id: str, last: str | None) -> bool:
    """Frames of a run are numbered. Event ids have no order, so only an identical id counts as a duplicate."""
    if last is None or event_id == last:
        return event_id == last
    return event_id.isdecimal() and last.isdecimal() and int(event_id) <= int(last)
