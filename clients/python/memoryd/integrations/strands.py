"""Strands: a memory store, which takes raw messages: nothing is extracted by a model."""

from __future__ import annotations

import uuid
from typing import Any

from strands.memory.types import AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions
from strands.types.content import Message

from .. import AsyncClient


class MemorydStore(MemoryStore):
    def __init__(
        self,
        client: AsyncClient | None = None,
        *,
        name: str = "memoryd",
        description: str | None = None,
        max_search_results: int = 5,
        writable: bool = True,
        extraction: bool = False,
        thread: str | None = None,
    ) -> None:
        """:param thread: what you call the conversation; default: one for this store"""
        self.client = client or AsyncClient()
        self.name = name
        self.description = description or "What was said and decided in earlier conversations"
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self._run = uuid.uuid4().hex
        self._thread = thread or f"strands:{self._run}"

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        limit = (options or {}).get("max_search_results") or self.max_search_results
        found = await self.client.search(query, limit=limit)
        return [
            MemoryEntry(hit.content, metadata={**(hit.metadata or {}), "id": hit.id, "score": hit.score})
            for hit in found
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str:
        return (await self.client.add(content, metadata=metadata)).id

    async def add_messages(self, messages: list[Message], context: AddMessagesContext | None = None) -> None:
        numbers = (context and context.sequence_numbers) or [None] * len(messages)
        chat = [
            {"role": one["role"], "content": _text(one), **_id(self._run, number)}
            for one, number in zip(messages, numbers, strict=True)
        ]
        await self.client.add_messages(chat, thread=self._thread)


def _text(message: Message) -> str:
    return "\n\n".join(part["text"] for part in message["content"] if "text" in part)


def _id(run: str, number: int | None) -> dict[str, str]:
    """A batch that is tried again has the same numbers, so its messages are stored once."""
    return {} if number is None else {"id": f"{run}:{number}"}
