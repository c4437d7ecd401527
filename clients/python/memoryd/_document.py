"""A text under a key, and how a memory keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .models import DetailedMemory, Memory, SearchResult

#: A memory has at least one character.
_EMPTY = "(empty)"


@dataclass(frozen=True)
class Document:
    key: str
    text: str
    #: Of its memory.
    id: str
    within: list[str]
    data: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    #: Of a search.
    score: float | None = None


def content_of(text: str) -> str:
    return text or _EMPTY


def metadata_of(
    space: str, key: str, text: str, within: Sequence[str], data: Mapping[str, Any] | None
) -> dict[str, Any]:
    empty = {} if text else {"empty": True}
    return {"space": space, "key": key, "within": list(within), "data": dict(data or {}), **empty}


def document_of(memory: Memory | DetailedMemory | SearchResult) -> Document:
    metadata = memory.metadata or {}
    return Document(
        key=metadata.get("key", ""),
        text="" if metadata.get("empty") else memory.content,
        id=memory.id,
        within=metadata.get("within", []),
        data=metadata.get("data", {}),
        created_at=_time(memory.created_at),
        updated_at=_time(memory.updated_at or memory.created_at),
        score=memory.score if isinstance(memory, SearchResult) else None,
    )


def _time(text: str | None) -> datetime:
    return datetime.fromisoformat((text or "1970-01-01T00:00:00Z").replace("Z", "+00:00"))
