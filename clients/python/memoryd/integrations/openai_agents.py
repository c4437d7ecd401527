"""OpenAI Agents: a `Session`, whose items are the turns of a conversation; searches find what was said in it."""

from __future__ import annotations

import json
from typing import Any, cast

from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings

from .. import AsyncClient, Memory

_METADATA_MAX = 14_000
_AT_ONCE = 100


class MemorydSession(SessionABC):
    def __init__(
        self, session_id: str, client: AsyncClient | None = None, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self.client = client or AsyncClient()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        settings = self.session_settings
        return [
            _item(one)
            for one in (await self._newest(limit if limit is not None or settings is None else settings.limit))[::-1]
        ]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        conversation = await self.client.conversation(f"session:{self.session_id}")
        for start in range(0, len(items), _AT_ONCE):
            memories = [{**_memory(one), "conversationId": conversation.id} for one in items[start : start + _AT_ONCE]]
            made = await self.client.add_many(memories)
            if refused := next((one for one in made.data if one.status >= 400), None):
                raise ValueError(f"an item cannot be stored: {refused.error}")

    async def pop_item(self) -> TResponseInputItem | None:
        for newest in await self._newest(1):
            await self.client.delete(newest.id)
            return _item(newest)
        return None

    async def clear_session(self) -> None:
        while ids := [one.id for one in await self._newest(_AT_ONCE)]:
            await self.client.bulk_delete_memories(ids=ids, confirm_deletion=True)

    async def _newest(self, limit: int | None) -> list[Memory]:
        conversation = await self.client.find_conversation(f"session:{self.session_id}")
        return (
            []
            if conversation is None or limit == 0
            else [one async for one in self.client.memories(conversation_id=conversation.id, limit=limit)]
        )


def _memory(item: Any) -> dict[str, Any]:
    """The text of a message, with the whole item beside it; of anything else, the item as JSON."""
    whole = json.dumps(item, ensure_ascii=False)
    role, content = item.get("role"), item.get("content")
    text = content if isinstance(content, str) else "\n\n".join(part.get("text") or "" for part in content or [])
    if role in ("user", "assistant") and text.strip() and len(whole.encode()) <= _METADATA_MAX:
        return {"content": text, "role": role, "metadata": {"item": whole}}
    return {"content": whole, "role": "system"}


def _item(memory: Memory) -> TResponseInputItem:
    return cast(TResponseInputItem, json.loads((memory.metadata or {}).get("item") or memory.content))
