"""Google ADK: a memory service. Sessions are conversations, and their events turns that are stored once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from .. import AsyncClient, SearchResult

_AT_ONCE = 1000


class MemorydMemoryService(BaseMemoryService):
    def __init__(self, client: AsyncClient | None = None, *, limit: int = 10) -> None:
        self.client = client or AsyncClient()
        self.limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        whose = {"app_name": session.app_name, "user_id": session.user_id}
        await self.add_events_to_memory(**whose, events=session.events, session_id=session.id)

    async def add_events_to_memory(self, *, app_name: str, user_id: str, events: Sequence[Event], **given: Any) -> None:
        metadata = {**(given.get("custom_metadata") or {}), "app": app_name, "user": user_id}
        thread = f"{app_name}:{user_id}:{given.get('session_id') or ''}"
        for start in range(0, len(events), _AT_ONCE):
            chat = [_message(one) for one in events[start : start + _AT_ONCE]]
            await self.client.add_messages(chat, thread=thread, metadata=metadata)

    async def add_memory(self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry], **given: Any) -> None:
        metadata = {**(given.get("custom_metadata") or {}), "app": app_name, "user": user_id}
        for one in memories:
            await self.client.add(_text(one.content), metadata={**one.custom_metadata, **metadata})

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        found = await self.client.search(query, limit=self.limit, metadata={"app": app_name, "user": user_id})
        return SearchMemoryResponse(memories=[_entry(hit) for hit in found])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        if memory_id is not None:
            await self.client.delete(memory_id)


def _text(content: Content | None) -> str:
    return "\n".join(part.text for part in (content and content.parts) or [] if part.text and not part.thought)


def _message(event: Event) -> dict[str, Any]:
    role = "user" if event.author == "user" else "assistant"
    return {"id": event.id, "role": role, "content": _text(event.content), "timestamp": event.timestamp}


def _entry(hit: SearchResult) -> MemoryEntry:
    role = "user" if hit.role == "user" else "model"
    rest: dict[str, Any] = {name: one for name, one in (hit.metadata or {}).items() if name not in ("app", "user")}
    content, when = Content(role=role, parts=[Part(text=hit.content)]), hit.event_time or hit.created_at
    return MemoryEntry(id=hit.id, author=role, timestamp=when, content=content, custom_metadata=rest)
