from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from typing import Any, Generic, TypeVar

from ._models import parse
from ._operation import Omit

T = TypeVar("T")


class ListBody(Generic[T]):
    """One page of a list."""

    def __init__(self, item: Any, value: Any, params: Mapping[str, Any]) -> None:
        body = value if isinstance(value, dict) else {}
        self.data: list[T] = [parse(item, each) for each in body.get("data") or []]
        """The items of this page."""
        self.has_more: bool = bool(body.get("has_more"))
        self.first_id: str | None = body.get("first_id")
        self.last_id: str | None = body.get("last_id")
        self._params = params

    def _next_params(self) -> dict[str, Any]:
        """Pages continue in the direction of the first request."""
        is_backwards = _is_given(self._params.get("before")) and not _is_given(self._params.get("after"))
        return {**self._params, **({"before": self.first_id} if is_backwards else {"after": self.last_id})}


def _is_given(value: object) -> bool:
    return value is not None and not isinstance(value, Omit)


class Page(ListBody[T]):
    """One page of a list. Iterating over it continues through all following pages."""

    def __init__(
        self, item: Any, value: Any, params: Mapping[str, Any], fetch: Callable[[Mapping[str, Any]], Page[T]]
    ) -> None:
        super().__init__(item, value, params)
        self._fetch = fetch

    def next_page(self) -> Page[T] | None:
        """None on the last page."""
        return self._fetch(self._next_params()) if self.has_more else None

    def __iter__(self) -> Iterator[T]:
        page: Page[T] | None = self
        while page is not None:
            yield from page.data
            page = page.next_page()


class AsyncPage(ListBody[T]):
    """One page of a list. Iterating over it continues through all following pages."""

    def __init__(
        self,
        item: Any,
        value: Any,
        params: Mapping[str, Any],
        fetch: Callable[[Mapping[str, Any]], Awaitable[AsyncPage[T]]],
    ) -> None:
        super().__init__(item, value, params)
        self._fetch = fetch

    async def next_page(self) -> AsyncPage[T] | None:
        """None on the last page."""
        return await self._fetch(self._next_params()) if self.has_more else None

    async def __aiter__(self) -> AsyncIterator[T]:
        page: AsyncPage[T] | None = self
        while page is not None:
            for item in page.data:
                yield item
            page = await page.next_page()


class AsyncPages(Generic[T]):
    """Await it for the first page, or iterate over it for every item."""

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[T]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, Any, AsyncPage[T]]:
        return self._first().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for item in await self._first():
            yield item
