"""Client of memoryd, a self-hosted memory for AI agents."""

from ._async.client import AsyncClient
from ._async.documents import AsyncDocuments
from ._document import Document
from ._recall import recalled
from ._sync.client import Client
from ._sync.documents import Documents
from ._values import UNSET
from .errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidInput,
    MemorydError,
    NotFound,
    PreconditionFailed,
    RateLimited,
    ServiceError,
    Unauthorized,
    Unavailable,
)
from .models import Change, Conversation, Memory, SearchResult

__all__ = [
    "UNSET",
    "AsyncClient",
    "AsyncDocuments",
    "Change",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Conversation",
    "Document",
    "Documents",
    "Forbidden",
    "InvalidInput",
    "Memory",
    "MemorydError",
    "NotFound",
    "PreconditionFailed",
    "RateLimited",
    "SearchResult",
    "ServiceError",
    "Unauthorized",
    "Unavailable",
    "recalled",
]
