"""LlamaIndex: a block of `Memory`."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field

from .. import AsyncClient
from .._recall import recalled


class MemorydBlock(BaseMemoryBlock[str]):
    """Stores what leaves the short-term memory, and recalls what fits the last message of the user."""

    name: str = "memoryd"
    client: AsyncClient = Field(default_factory=AsyncClient)
    limit: int = 5
    min_relevance: float | None = None

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = [one.content for one in messages or [] if one.role.value == "user" and one.content]
        if not asked:
            return ""
        return recalled(await self.client.search(asked[-1], limit=self.limit, min_relevance=self.min_relevance))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        threads: dict[str | None, list[dict[str, Any]]] = {}
        for one in messages:
            said = {"role": one.role.value, "content": one.content or ""}
            threads.setdefault(one.additional_kwargs.get("session_id"), []).append(said)
        for thread, chat in threads.items():
            await self.client.add_messages(chat, thread=thread)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Drops the least relevant lines; a token has at least a character."""
        lines = content.split("\n")
        while len(lines) > 2 and tokens_to_truncate > 0:
            tokens_to_truncate -= len(lines.pop(-2)) // 4
        return "\n".join(lines) if len(lines) > 2 else None
