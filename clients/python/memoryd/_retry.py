"""When a request is sent again, and after how long."""

from __future__ import annotations

import random

import httpx

_WAIT_MAX = 30.0
_BUSY = frozenset({429, 503})
_OF_PROXIES = frozenset({408, 502, 504})


def is_retried(method: str, failure: httpx.Response | httpx.TransportError) -> bool:
    """
    Reads, and POST with its Idempotency-Key, after any failure that may pass. Changes by PUT, PATCH and DELETE have no
    key: they are sent again only where the service did nothing.
    """
    is_safe = method in ("GET", "POST")
    if isinstance(failure, httpx.Response):
        return failure.status_code in _BUSY or (is_safe and failure.status_code in _OF_PROXIES)
    return isinstance(failure, (httpx.ConnectError, httpx.ConnectTimeout)) or is_safe


def seconds_until(attempt: int, failure: httpx.Response | httpx.TransportError) -> float:
    """As `Retry-After` says, at most 30 s; else 0.25, 0.5, 1 s ... with some chance in it."""
    if isinstance(failure, httpx.Response):
        try:
            return min(_WAIT_MAX, max(0.0, float(failure.headers["retry-after"])))
        except (KeyError, ValueError):
            pass  # Absent, or a date: the own steps do.
    return float(min(_WAIT_MAX, 0.25 * 2**attempt) * (0.75 + random.random() / 2))
