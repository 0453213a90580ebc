from __future__ import annotations

import time

import anyio
import httpx2

from ._answer import Answer, broken, late, read_body
from ._log import log_response, log_retry
from ._operation import Prepared
from ._retry import delay_before_retry
from ._settings import Settings
from .errors import error_of


class AsyncTransport:
    """Sends requests with the key, a timeout, and retries where they are safe."""

    def __init__(self, settings: Settings, http: httpx2.AsyncClient) -> None:
        self.settings = settings
        self._http = http

    async def read(self, request: Prepared) -> Answer:
        """The whole response. The timeout covers it."""
        timeout = self.settings.timeout if request.timeout is None else request.timeout
        retry = 0
        while True:
            try:
                return await self._read_once(request, timeout)
            except Exception as error:
                await self._wait(request, error, retry)
                retry += 1

    async def open(self, request: Prepared, idle_timeout: float) -> httpx2.Response:
        """A response whose body is still to be read. `idle_timeout` bounds each wait for bytes."""
        retry = 0
        while True:
            try:
                return await self._open_once(request, self._timeouts(request, idle_timeout))
            except Exception as error:
                await self._wait(request, error, retry)
                retry += 1

    def _timeouts(self, request: Prepared, idle_timeout: float) -> httpx2.Timeout:
        return httpx2.Timeout(request.timeout or self.settings.timeout, read=idle_timeout)

    async def _wait(self, request: Prepared, error: Exception, retry: int) -> None:
        """Sleeps before the next attempt, or raises the error if there is none."""
        limit = self.settings.max_retries if request.max_retries is None else request.max_retries
        delay = delay_before_retry(error, retry=retry, max_retries=limit, repeatable=request.repeatable)
        if delay is None:
            raise error
        log_retry(request, error, retry, delay)
        await anyio.sleep(delay)

    async def _read_once(self, request: Prepared, timeout: float) -> Answer:
        try:
            with anyio.fail_after(timeout):
                response = await self._open_once(request, httpx2.Timeout(timeout))
                try:
                    body = await response.aread()
                finally:
                    await response.aclose()
            value = read_body(body, response.headers, takes_any=request.takes_any)
            return Answer(response.status_code, response.headers, value)
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise late(request.method, request.path, timeout) from error
        except httpx2.HTTPError as error:
            raise broken(request.method, request.path, error) from error

    async def _open_once(self, request: Prepared, timeout: httpx2.Timeout) -> httpx2.Response:
        headers = dict(request.headers)
        if not request.anonymous:
            headers["authorization"] = f"Bearer {self.settings.api_key}"
        sent = self._http.build_request(
            request.method,
            self.settings.base_url + request.path,
            headers=headers,
            content=request.body,
            timeout=timeout,
        )
        begun = time.monotonic()
        try:
            # The service never redirects. A redirect comes from another server, which must not receive the key.
            response = await self._http.send(sent, stream=True, follow_redirects=False)
            log_response(request, response.status_code, response.headers, begun)
            if response.is_success:
                return response
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx2.TimeoutException as error:
            raise late(request.method, request.path, timeout.read or 0) from error
        except httpx2.HTTPError as error:
            raise broken(request.method, request.path, error) from error
        raise error_of(response.status_code, response.headers, response.text)
