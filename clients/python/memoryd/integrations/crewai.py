"""CrewAI: tools with which an agent remembers and recalls."""

from __future__ import annotations

from typing import Any

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from .. import Client
from .._recall import recalled


class _Query(BaseModel):
    query: str = Field(description="What to look for, as a question or in keywords.")


class _Statement(BaseModel):
    content: str = Field(description="One statement that can be understood by itself, with names and dates.")
    topics: list[str] = Field(default_factory=list, description="A few words under which it belongs.")


class _MemorydTool(BaseTool):
    _client: Client = PrivateAttr()

    def __init__(self, client: Client | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._client = client or Client()


class MemorydSearchTool(_MemorydTool):
    name: str = "search_memory"
    description: str = "Find what is known from earlier work: people, preferences, decisions."
    args_schema: type[BaseModel] = _Query
    limit: int = 5

    def _run(self, query: str) -> str:
        return recalled(self._client.search(query, limit=self.limit)) or "Nothing is known about that."


class MemorydAddTool(_MemorydTool):
    name: str = "add_memory"
    description: str = "Store something that will matter later."
    args_schema: type[BaseModel] = _Statement

    def _run(self, content: str, topics: list[str] | None = None) -> str:
        return f"Stored as {self._client.add(content, topics=topics).id}."


def memory_tools(client: Client | None = None) -> list[BaseTool]:
    """Both, for `Agent(tools=...)`."""
    return [MemorydSearchTool(client), MemorydAddTool(client)]
