"""What the methods of the resources call. A raw caller returns `RawResponse` objects instead of the results."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from typing_extensions import ParamSpec

from ._answer import RawResponse
from ._async_streams import AsyncRunStream, AsyncStream
from ._async_transport import AsyncTransport
from ._models import parse
from ._operation import AnyRequest, Call, prepare, prepare_any
from ._pages import AsyncPage, AsyncPages, Page
from ._stream_state import StreamPlan
from ._streams import RunStream, Stream
from ._transport import Transport

P = ParamSpec("P")
T = TypeVar("T")


class Caller:
    def __init__(self, transport: Transport, *, is_raw: bool = False) -> None:
        self._transport = transport
        self._is_raw = is_raw

    def raw(self) -> Caller:
        return Caller(self._transport, is_raw=True)

    def record(self, form: Any, call: Call) -> Any:
        answer = self._transport.read(prepare(call, self._transport.settings.timeout))
        result = parse(form, answer.value)
        return RawResponse(answer, result) if self._is_raw else result

    def any(self, request: AnyRequest) -> RawResponse[Any]:
        answer = self._transport.read(prepare_any(request))
        return RawResponse(answer, answer.value)

    def page(self, item: Any, call: Call) -> Any:
        answer, page = self._page(item, call)
        return RawResponse(answer, page) if self._is_raw else page

    def _page(self, item: Any, call: Call) -> tuple[Any, Page[Any]]:
        def fetch(params: Mapping[str, Any]) -> Page[Any]:
            return self._page(item, replace(call, params=params))[1]

        answer = self._transport.read(prepare(call, self._transport.settings.timeout))
        return answer, Page(item, answer.value, call.params or {}, fetch)

    def run_stream(self, plan: StreamPlan) -> RunStream[Any, Any]:
        return RunStream(self._transport, plan)

    def event_stream(self, plan: StreamPlan) -> Stream[Any]:
        return Stream(self._transport, plan)


class AsyncCaller:
    def __init__(self, transport: AsyncTransport, *, is_raw: bool = False) -> None:
        self._transport = transport
        self._is_raw = is_raw

    def raw(self) -> AsyncCaller:
        return AsyncCaller(self._transport, is_raw=True)

    async def record(self, form: Any, call: Call) -> Any:
        answer = await self._transport.read(prepare(call, self._transport.settings.timeout))
        result = parse(form, answer.value)
        return RawResponse(answer, result) if self._is_raw else result

    async def any(self, request: AnyRequest) -> RawResponse[Any]:
        answer = await self._transport.read(prepare_any(request))
        return RawResponse(answer, answer.value)

    def page(self, item: Any, call: Call) -> AsyncPages[Any]:
        async def first() -> Any:
            answer, page = await self._page(item, call)
            return RawResponse(answer, page) if self._is_raw else page

        return AsyncPages(first)

    async def _page(self, item: Any, call: Call) -> tuple[Any, AsyncPage[Any]]:
        async def fetch(params: Mapping[str, Any]) -> AsyncPage[Any]:
            return (await self._page(item, replace(call, params=params)))[1]

        answer = await self._transport.read(prepare(call, self._transport.settings.timeout))
        return answer, AsyncPage(item, answer.value, call.params or {}, fetch)

    def run_stream(self, plan: StreamPlan) -> AsyncRunStream[Any, Any]:
        return AsyncRunStream(self._transport, plan)

    def event_stream(self, plan: StreamPlan) -> AsyncStream[Any]:
        return AsyncStream(self._transport, plan)


class Resource:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller


class AsyncResource:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller


def raw_method(method: Callable[P, T]) -> Callable[P, RawResponse[T]]:
    """The method of a resource with a raw caller, with the type that it then has."""
    return cast(Callable[P, RawResponse[T]], method)


def async_raw_method(
    method: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, RawResponse[T]]]:
    return cast(Callable[P, Coroutine[Any, Any, RawResponse[T]]], method)


def async_raw_list(
    method: Callable[P, AsyncPages[T]],
) -> Callable[P, Coroutine[Any, Any, RawResponse[AsyncPage[T]]]]:
    return cast(Callable[P, Coroutine[Any, Any, RawResponse[AsyncPage[T]]]], method)
