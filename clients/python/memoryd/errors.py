"""What goes wrong. The text of an error is the sentence of the service, which names the field and the rule."""

from __future__ import annotations

from typing import Any


class MemorydError(Exception):
    """Any failure of a call; `code` is for programs and stays (docs/errors.md)."""

    status: int | None = None
    code: str | None = None
    details: Any = None
    #: Seconds after which trying again may help.
    retry_after: float | None = None
    #: Finds the request in the log of the service.
    request_id: str | None = None


class ConnectionFailed(MemorydError):
    """No answer: the service does not run there, or it was too slow."""


class ServiceError(MemorydError):
    """The service answered with a failure."""


class InvalidInput(ServiceError):
    """422, 400: `field` and `rule` say what to change."""

    @property
    def field(self) -> str | None:
        return self.details.get("field") if isinstance(self.details, dict) else None

    @property
    def rule(self) -> str | None:
        return self.details.get("rule") if isinstance(self.details, dict) else None


class Unauthorized(ServiceError):
    """401: the key is missing, wrong, expired or revoked."""


class Forbidden(ServiceError):
    """403: the key lacks a scope."""


class NotFound(ServiceError):
    """404: there is no such record, or it is another user's."""


class Conflict(ServiceError):
    """409: the name is taken, the record is in the trash, ..."""


class PreconditionFailed(ServiceError):
    """412: the record changed since it was read (`if_match`)."""


class RateLimited(ServiceError):
    """429, still after the retries."""


class Unavailable(ServiceError):
    """503, still after the retries."""


_classes: dict[int, type[ServiceError]] = {
    400: InvalidInput,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    422: InvalidInput,
    429: RateLimited,
    503: Unavailable,
}


def service_error(status: int, body: Any, reason: str) -> ServiceError:
    """@param body as JSON, or anything else where a proxy answered"""
    said = body if isinstance(body, dict) else {}
    error = _classes.get(status, ServiceError)(said.get("error") or f"{status} {reason}")
    error.status = status
    error.code = said.get("code")
    error.details = said.get("details")
    error.request_id = said.get("requestId")
    after = said.get("retryAfter")
    error.retry_after = float(after) if isinstance(after, (int, float)) else None
    return error
