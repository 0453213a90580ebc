from __future__ import annotations

import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Generic, TypeVar, cast

import anyio
import httpx2
from typing_extensions import Self

from ._async_transport import AsyncTransport
from ._models import parse
from ._retry import delay_before_resume, is_passing
from ._stream_state import Connection, StreamPlan, StreamState, is_over
from .errors import AgentRunServiceError

F = TypeVar("F")
R = TypeVar("R")


class AsyncStream(Generic[F]):
    """
    The frames of a stream, each exactly once. A broken stream is resumed. Leaving the `async with` block ends the
    request, but not the run.
    """

    def __init__(self, transport: AsyncTransport, plan: StreamPlan) -> None:
        self._transport = transport
        self._state = StreamState(plan, transport.settings.timeout)
        self._response: httpx2.Response | None = None
        self._frames = self._follow()
        self._is_closed = False

    @property
    def last_event_id(self) -> str | None:
        """The last received frame, from which another stream can resume."""
        return self._state.last_event_id

    async def close(self) -> None:
        """Ends the stream and its loop without an error. A run continues."""
        self._is_closed = True
        if self._response is not None:
            await self._response.aclose()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> AsyncIterator[F]:
        return self._frames

    async def _open(self) -> httpx2.Response:
        if self._response is None:
            self._response = await self._transport.open(self._state.first_request(), self._state.idle_timeout)
            self._state.headers = self._response.headers
        return self._response

    async def _follow(self) -> AsyncIterator[F]:
        state = self._state
        was_over = False
        try:
            await self._open()
            while not self._is_closed:
                connection = Connection(state)
                async for frame in self._read(connection):
                    yield frame
                if state.is_complete or self._is_closed:
                    return
                if connection.finish():
                    if was_over:
                        return
                    was_over = await self._is_over()
                self._response = await self._resume(0.0 if was_over else state.retry)
        finally:
            await self.close()

    async def _read(self, connection: Connection) -> AsyncIterator[F]:
        """Reads one response until it ends or breaks; neither is an error here."""
        response = await self._open()
        try:
            async for chunk in response.aiter_bytes():
                for sent in connection.push(chunk):
                    frame = self._state.take(sent)
                    if frame is None:
                        continue
                    yield frame
                    if self._state.is_complete or self._is_closed:
                        return
            connection.ended_well = True
        except (httpx2.HTTPError, httpx2.StreamError):
            return
        finally:
            await response.aclose()

    async def _resume(self, delay: float) -> httpx2.Response:
        """Reconnects after the requested delay and then backs off."""
        state = self._state
        since = time.monotonic()
        backoff = state.retry
        while True:
            await anyio.sleep(delay)
            try:
                return await self._transport.open(state.resume_request(), state.idle_timeout)
            except AgentRunServiceError as error:
                if self._is_closed or not is_passing(error) or time.monotonic() - since >= state.resume_for:
                    raise
                backoff *= 2
                delay = delay_before_resume(error, backoff)

    async def _is_over(self) -> bool:
        request = self._state.run_request() if self._state.plan.ends else None
        if request is None:
            return False
        try:
            return is_over((await self._transport.read(request)).value)
        except AgentRunServiceError as error:
            if is_passing(error):
                return False
            raise


class AsyncRunStream(AsyncStream[F], Generic[F, R]):
    """The frames of a run."""

    @property
    def run_id(self) -> str | None:
        """The id of the run, as soon as the stream is open."""
        return self._state.run_id

    async def text(self) -> str:
        """Reads to the end and returns the whole text, without what was reset."""
        async for _ in self:
            pass
        return self._state.text

    async def final_run(self) -> R:
        """Reads to the end and returns the run, whether it completed, failed or was cancelled."""
        async for _ in self:
            pass
        if self._state.final_run is None:
            # The stream began after the last frame.
            request = self._state.run_request()
            if request is None:
                raise AgentRunServiceError("The stream ended without a run.")
            self._state.final_run = parse(self._state.plan.run, (await self._transport.read(request)).value)
        return cast(R, self._state.final_run)
