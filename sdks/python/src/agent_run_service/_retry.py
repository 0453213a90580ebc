from __future__ import annotations

import random

from .errors import ApiConnectionError, ApiError

FIRST_DELAY = 0.5
MAX_DELAY = 8.0
# A quota may require weeks. The caller decides about waits of more than a minute.
MAX_RETRY_AFTER = 60.0

_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
# Rejected before any processing, so a retry is safe.
_UNTOUCHED = frozenset({408, 429})


def is_passing(error: BaseException) -> bool:
    """Whether a retry of the same call may succeed."""
    return isinstance(error, ApiConnectionError) or (isinstance(error, ApiError) and error.status in _STATUSES)


def delay_before_retry(error: BaseException, *, retry: int, max_retries: int, repeatable: bool) -> float | None:
    """
    The delay in seconds before the next attempt, or None for no attempt. `retry` is 0 for the first. Calls that are not
    idempotent are retried only if the service did not process them.
    """
    if retry >= max_retries or not is_passing(error):
        return None
    if not repeatable and not (isinstance(error, ApiError) and error.status in _UNTOUCHED):
        return None
    told = error.retry_after if isinstance(error, ApiError) else None
    if told is not None:
        return told if told <= MAX_RETRY_AFTER else None
    return random.random() * min(FIRST_DELAY * 2.0**retry, MAX_DELAY)


MAX_RESUME_DELAY = 30.0


def delay_before_resume(error: BaseException, backoff: float) -> float:
    told = error.retry_after if isinstance(error, ApiError) else None
    if told is not None:
        return min(told, MAX_RETRY_AFTER)
    return min(backoff, MAX_RESUME_DELAY) * (0.5 + random.random() / 2)
