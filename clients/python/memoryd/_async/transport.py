"""Requests with their key, retries and errors."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Mapping
from typing import Any, TypeVar, overload

import httpx
from pydantic import TypeAdapter

from .._retry import is_retried, seconds_until
from .._values import body_of, query_of
from ..errors import ConnectionFailed, MemorydError, service_error

T = TypeVar("T")


class AsyncTransport:
    """Sends requests; a client is its own context manager, and `aclose` ends its connections."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """
        :param url: default: the variable MEMORYD_URL, else http://localhost:3000
        :param key: an API key; default: the variable MEMORYD_KEY
        :param timeout: seconds for each attempt
        :param retries: further attempts after a failure that may pass
        """
        self.url = (url or os.environ.get("MEMORYD_URL") or "http://localhost:3000").rstrip("/")
        given = key or os.environ.get("MEMORYD_KEY")
        if not given:
            raise MemorydError(
                "There is no API key: pass key=..., or set MEMORYD_KEY (memoryd keeps its first key in data/first-key)."
            )
        self.retries = retries
        headers = {"Authorization": f"Bearer {given}", "User-Agent": "memoryd-python/0.1.0"}
        self._http = httpx.AsyncClient(base_url=self.url, headers=headers, timeout=timeout, transport=transport)

    async def aclose(self) -> None:
        await self._http.aclose()

    @overload
    async def _call(
        self,
        method: str,
        path: str,
        model: type[T],
        *,
        query: Mapping[str, Any] = ...,
        body: Mapping[str, Any] | None = ...,
        idempotency_key: str | None = ...,
        if_match: str | None = ...,
    ) -> T: ...

    @overload
    async def _call(
        self,
        method: str,
        path: str,
        model: None,
        *,
        query: Mapping[str, Any] = ...,
        body: Mapping[str, Any] | None = ...,
        idempotency_key: str | None = ...,
        if_match: str | None = ...,
    ) -> None: ...

    async def _call(
        self,
        method: str,
        path: str,
        model: Any,
        *,
        query: Mapping[str, Any] = {},
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> Any:
        headers: dict[str, str] = {}
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if if_match is not None:
            headers["If-Match"] = if_match
        content = None if body is None else json.dumps(body_of(body), allow_nan=False).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        response = await self._send(method, path, params=query_of(query), content=content, headers=headers)
        if model is None:
            return None
        if model is str:
            return response.text
        return TypeAdapter(model).validate_json(response.content)

    async def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        attempt = 0
        while True:
            failure: httpx.Response | httpx.TransportError
            try:
                response = await self._http.request(method, path, **request)
                if response.is_success:
                    return response
                failure = response
            except httpx.TransportError as error:
                failure = error
            if attempt >= self.retries or not is_retried(method, failure):
                raise self._error_of(failure)
            await asyncio.sleep(seconds_until(attempt, failure))
            attempt += 1

    def _error_of(self, failure: httpx.Response | httpx.TransportError) -> MemorydError:
        if isinstance(failure, httpx.Response):
            try:
                body = failure.json()
            except ValueError:
                body = None  # The page of a proxy.
            return service_error(failure.status_code, body, failure.reason_phrase)
        error = ConnectionFailed(f"memoryd does not answer at {self.url}: {str(failure) or type(failure).__name__}")
        error.__cause__ = failure
        return error
