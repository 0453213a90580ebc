"""The log lines of both clients. They never have keys, parameters or bodies."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from ._operation import Prepared

log = logging.getLogger("agent_run_service")


def log_response(request: Prepared, status: int, headers: Mapping[str, str], begun: float) -> None:
    ms = round((time.monotonic() - begun) * 1000)
    path = _path_of(request)
    request_id = headers.get("x-request-id")
    facts = {"method": request.method, "path": path, "status": status, "ms": ms, "request_id": request_id}
    log.debug("%s %s: %d in %d ms (%s)", request.method, path, status, ms, request_id or "no request id", extra=facts)


def log_retry(request: Prepared, error: Exception, retry: int, delay: float) -> None:
    reason = getattr(error, "code", None) or type(error).__name__
    path = _path_of(request)
    facts = {"method": request.method, "path": path, "retry": retry + 1, "delay_s": delay, "reason": reason}
    log.info("%s %s: %s, retry %d in %.1f s", request.method, path, reason, retry + 1, delay, extra=facts)


def _path_of(request: Prepared) -> str:
    """Without the query, which contains filters of the caller."""
    return request.path.partition("?")[0]
