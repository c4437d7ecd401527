"""LangChain: a retriever."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from .. import AsyncClient, Client, SearchResult


class MemorydRetriever(BaseRetriever):
    """The memories that a query finds; `options` are those of `Client.search`, such as topics or metadata."""

    client: Client = Field(default_factory=Client)
    #: For `ainvoke`; without it that runs `client` in a thread.
    aclient: AsyncClient | None = None
    limit: int = 10
    options: dict[str, Any] = {}

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [_document(hit) for hit in self.client.search(query, limit=self.limit, **self.options)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.aclient is None:
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        return [_document(hit) for hit in await self.aclient.search(query, limit=self.limit, **self.options)]


def _document(hit: SearchResult) -> Document:
    rest = hit.model_dump(by_alias=True, exclude_none=True, exclude={"id", "content", "metadata"})
    return Document(id=hit.id, page_content=hit.content, metadata={**(hit.metadata or {}), "memory": rest})
