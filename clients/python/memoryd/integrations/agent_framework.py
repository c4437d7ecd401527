"""Microsoft Agent Framework: a context provider that recalls before a run and stores what was said after it."""

from __future__ import annotations

from typing import Any

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun

from .. import AsyncClient
from .._recall import recalled


class MemorydProvider(ContextProvider):
    def __init__(
        self,
        client: AsyncClient | None = None,
        *,
        source_id: str = "memoryd",
        limit: int = 5,
        min_relevance: float | None = None,
    ) -> None:
        super().__init__(source_id)
        self.client = client or AsyncClient()
        self.limit = limit
        self.min_relevance = min_relevance

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        query = "\n".join(one.text for one in context.input_messages if one.role == "user" and one.text.strip())
        if not query:
            return
        text = recalled(await self.client.search(query, limit=self.limit, min_relevance=self.min_relevance))
        if text:
            context.extend_messages(self, [Message("user", [text])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        said = [*context.input_messages, *(context.response.messages if context.response else [])]
        chat = [
            {"role": str(one.role), "content": one.text, **({"id": one.message_id} if one.message_id else {})}
            for one in said
        ]
        if chat:
            await self.client.add_messages(chat, thread=f"agent-framework:{session.session_id}")
