from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

# The last frame of a run contains its input and output, at most 11 MiB, and JSON may triple that.
MAX_PENDING_CHARS = 64 * 1024 * 1024


@dataclass(frozen=True)
class SseFrame:
    id: str
    data: str


@dataclass(frozen=True)
class SseRetry:
    """A new reconnect delay, in seconds."""

    delay: float


_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class SseParser:
    """A parser of server-sent events (HTML standard). An incomplete frame at the end of the stream is dropped."""

    def __init__(self, last_event_id: str | None = None) -> None:
        self.last_event_id = last_event_id
        """The id for `Last-Event-ID`. An id without data also sets it."""
        self._id = last_event_id
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._unfinished: list[str] = []
        self._data: list[str] = []
        self._pending = 0
        self._skips_line_feed = False
        self._is_first = True

    def push(self, chunk: bytes) -> list[SseFrame | SseRetry]:
        """Returns the complete events, however the bytes are split."""
        text = self._decoder.decode(chunk)
        if self._is_first and text:
            self._is_first = False
            text = text.removeprefix("\ufeff")
        # The second half of a split line break.
        if self._skips_line_feed and text:
            self._skips_line_feed = False
            text = text.removeprefix("\n")
        found: list[SseFrame | SseRetry] = []
        begin = 0
        for line_break in _LINE_BREAK.finditer(text):
            line = "".join((*self._unfinished, text[begin : line_break.start()]))
            self._unfinished = []
            begin = line_break.end()
            event = self._take(line)
            if event is not None:
                found.append(event)
        self._skips_line_feed = text.endswith("\r")
        if begin < len(text):
            # Stored in chunks, so that a large frame is not rescanned with each chunk.
            self._unfinished.append(text[begin:])
            self._pending += len(text) - begin
        if self._pending > MAX_PENDING_CHARS:
            raise ValueError("A frame of the stream exceeds the maximum size.")
        return found

    def _take(self, line: str) -> SseFrame | SseRetry | None:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._pending += len(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch(r"[0-9]{1,9}", value):
            return SseRetry(int(value) / 1000)
        return None

    def _dispatch(self) -> SseFrame | None:
        self.last_event_id = self._id
        data = self._data
        self._data = []
        self._pending = 0
        return SseFrame(id=self._id or "", data="\n".join(data)) if data else None
