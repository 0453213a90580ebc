"""The clients."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx2
from typing_extensions import Self

from ._answer import RawResponse
from ._async_transport import AsyncTransport
from ._caller import AsyncCaller, Caller
from ._generated.async_resources import AsyncResources
from ._generated.resources import Resources
from ._operation import AnyRequest, Method
from ._settings import settings_of, tls_of
from ._transport import Transport

# The service has at most 1,000 streams per key. A pool that is full would make a call wait without a reason.
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=100)


class AgentRunService(Resources):
    """
    The client: `client.runs.create(agent_id=…, input=…)`. One method for each operation.

    `api_key` and `base_url` default to `ARS_API_KEY` and `ARS_BASE_URL`. `timeout` is the time in seconds for one
    attempt, `max_retries` the number of retries per call. `verify` is an SSL context that trusts a private certificate
    authority, as `ARS_CA_FILE` does; `http_client` replaces the HTTP client, for example for a proxy.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        verify: ssl.SSLContext | None = None,
        http_client: httpx2.Client | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, max_retries)
        self.base_url = settings.base_url
        self._http = http_client or httpx2.Client(verify=tls_of(verify), limits=_LIMITS)
        self._caller = Caller(Transport(settings, self._http))
        super().__init__(self._caller)

    def request(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> RawResponse[Any]:
        """
        Sends a request that no method covers, with the credential, the retries and the errors of all calls.

        `parse()` of the result returns the JSON, the text if it is not JSON, and None if it is empty. A POST is retried
        as freely as other methods if it has an idempotency key.
        """
        request = AnyRequest(method, path, query, body, idempotency_key, timeout, max_retries, extra_headers)
        return self._caller.any(request)

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncAgentRunService(AsyncResources):
    """The client for asyncio and Trio, with the names of `AgentRunService`: `await client.runs.create(…)`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        verify: ssl.SSLContext | None = None,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(api_key, base_url, timeout, max_retries)
        self.base_url = settings.base_url
        self._http = http_client or httpx2.AsyncClient(verify=tls_of(verify), limits=_LIMITS)
        self._caller = AsyncCaller(AsyncTransport(settings, self._http))
        super().__init__(self._caller)

    async def request(
        self,
        method: Method,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> RawResponse[Any]:
        """
        Sends a request that no method covers, with the credential, the retries and the errors of all calls.

        `parse()` of the result returns the JSON, the text if it is not JSON, and None if it is empty. A POST is retried
        as freely as other methods if it has an idempotency key.
        """
        request = AnyRequest(method, path, query, body, idempotency_key, timeout, max_retries, extra_headers)
        return await self._caller.any(request)

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
