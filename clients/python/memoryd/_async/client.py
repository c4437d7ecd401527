"""The calls that people use by hand; `operations` has all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx

from .. import models
from .._values import UNSET, Unset, query_of
from ..errors import NotFound
from ..models import Change, Conversation, Memory, SearchResult
from .operations import AsyncOperations

Metadata = Mapping[str, Any]
_PAGE = 100


class AsyncClient(AsyncOperations):
    """
    A client of one user, whose key it has. Short names for daily calls, each with the record itself as its result; every
    operation of the service is a method, too, under the name of docs/openapi.json (`list_facts`, `merge_topics` ...).
    """

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # Memories

    async def add(
        self,
        content: str,
        *,
        topics: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        conversation_id: str | None = None,
        external_id: str | None = None,
        name: str | None = None,
        role: models.MemoryRole | None = None,
        supersedes: str | None = None,
        event_time: str | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Stores a memory. With an `external_id` that one has already, that one is returned unchanged."""
        made = await self.create_memory(
            content=content,
            topics=topics,
            metadata=UNSET if metadata is None else metadata,
            conversation_id=conversation_id,
            external_id=external_id,
            name=name,
            role=role,
            supersedes=supersedes,
            event_time=event_time,
            idempotency_key=idempotency_key,
        )
        return made.data

    async def add_many(
        self, memories: Sequence[Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> models.BulkCreateMemoriesResponse:
        """Up to 1,000 memories, each with the fields of `POST /api/memories`; `data` says what became of each."""
        return await self.bulk_create_memories(memories=memories, idempotency_key=idempotency_key)

    async def add_messages(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        thread: str | None = None,
        conversation_id: str | None = None,
        title: str | None = None,
        topics: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        idempotency_key: str | None = None,
    ) -> models.CreateMemoriesFromMessagesResponse:
        """
        A chat in the form of OpenAI or Anthropic becomes turns of a conversation.

        :param thread: what you call the conversation; the whole chat may be sent again, and is stored once
        """
        return await self.create_memories_from_messages(
            messages=messages,
            external_id=thread,
            conversation_id=conversation_id,
            title=title,
            topics=topics,
            metadata=UNSET if metadata is None else metadata,
            idempotency_key=idempotency_key,
        )

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        topics: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        conversation_id: str | None = None,
        min_relevance: float | None = None,
        as_of_time: str | None = None,
        **options: Any,
    ) -> list[SearchResult]:
        """The best memories first. Further options are those of `search_memories`, which returns `meta` as well."""
        found = await self.search_memories(
            query=query,
            limit=limit,
            topics=topics,
            metadata=metadata,
            conversation_id=conversation_id,
            min_relevance=min_relevance,
            as_of_time=as_of_time,
            **options,
        )
        return found.data

    async def get(self, id: str) -> models.DetailedMemory:
        """:raises NotFound:"""
        return (await self.get_memory_by_id(id)).data

    async def find(self, external_id: str) -> Memory | None:
        """The memory that another system calls so."""
        found = (await self.list_memories(external_id=external_id, limit=1)).data
        return found[0] if found else None

    async def memories(self, *, limit: int | None = None, **filters: Any) -> AsyncIterator[Memory]:
        """All memories, newest first, page by page; filters are those of `list_memories`."""
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            page = await self.list_memories(limit=_PAGE if left is None else min(left, _PAGE), cursor=cursor, **filters)
            for memory in page.data:
                yield memory
            cursor = page.pagination.next_cursor
            if cursor is None:
                return
            left = None if left is None else left - len(page.data)

    async def update(
        self,
        id: str,
        *,
        content: str | None = None,
        topics: Sequence[str] | None = None,
        metadata: Metadata | None | Unset = UNSET,
        if_match: str | None = None,
    ) -> Memory:
        """A new version; the earlier ones stay readable. :raises NotFound, PreconditionFailed:"""
        changed = await self.update_memory(id, content=content, topics=topics, metadata=metadata, if_match=if_match)
        return changed.data

    async def delete(self, id: str) -> None:
        """To the trash. :raises NotFound:"""
        await self.delete_memory(id)

    async def similar(self, id: str, *, limit: int = 5) -> models.GetSimilarMemoriesResponse:
        return await self.get_similar_memories(id, limit=limit)

    async def versions(self, id: str) -> list[models.VersionSpan]:
        """Newest first."""
        return (await self.get_memory_versions(id)).data

    async def relate(self, source: str, target: str, type: models.RelationshipType) -> models.MemoryRelationship:
        made = await self.create_memory_relationship(source, target_memory_id=target, type=type)
        return made.data

    # Named memories: one text under a name, with its versions.

    async def get_named(self, name: str) -> models.DetailedMemory | None:
        try:
            return (await self.get_memory_by_name(name)).data
        except NotFound:
            return None

    async def put_named(self, name: str, content: str, *, metadata: Metadata | None = None) -> Memory:
        """Makes it, or a new version of it."""
        given: Metadata | Unset = UNSET if metadata is None else metadata
        try:
            return (await self.update_named_memory(name, content=content, metadata=given)).data
        except NotFound:
            return await self.add(content, name=name, metadata=metadata)

    async def append_named(self, name: str, block: str) -> Memory:
        """Adds a block of text at the end."""
        return (await self.append_named_memory(name, block=block)).data

    async def named_history(self, name: str) -> list[models.MemoryVersion]:
        """Newest first."""
        return (await self.get_named_memory_history(name)).versions

    # Conversations

    async def conversation(self, thread: str, *, title: str | None = None) -> Conversation:
        """The conversation that you call so, made if it is not there."""
        return (await self.create_conversation(title=title or thread, external_id=thread)).data

    async def find_conversation(self, thread: str) -> Conversation | None:
        found = (await self.list_conversations(external_id=thread, min_memories=0, limit=1)).data
        return found[0] if found else None

    async def turns(self, conversation_id: str, *, limit: int = 1000) -> list[Memory]:
        """Oldest first."""
        return (await self.get_conversation_timeline(conversation_id, limit=limit)).data

    # What is derived, and briefing

    async def facts(self, query: str, *, limit: int = 10) -> models.SearchFactsResponse:
        return await self.search_facts(query=query, limit=limit)

    async def add_fact(self, subject: str, predicate: str, object: str) -> models.Fact:
        return (await self.create_fact(subject=subject, predicate=predicate, object=object)).data

    async def topics(self, *, limit: int = 100) -> list[models.Topic]:
        return (await self.list_topics(limit=limit)).data

    async def entities(self, *, limit: int = 100) -> list[models.EntityNode]:
        return (await self.list_entities(limit=limit)).data

    async def digest(self, query: str, **options: Any) -> models.DigestResponse:
        """Sentences of memories on a matter, within a budget; options are those of `create_memory_digest`."""
        return await self.create_memory_digest(query=query, **options)

    async def context(self, task: str, **options: Any) -> models.BuiltContext:
        """What to know before a piece of work; options are those of `build_context`."""
        return await self.build_context(context=task, **options)

    async def instructions(self, **options: Any) -> models.CompileInstructionsResponse:
        """Preferences and rules that hold now."""
        return await self.compile_instructions(**options)

    # Trash and changes

    async def trash(self, *, limit: int = 100) -> list[models.TrashEntry]:
        """Newest first."""
        return (await self.list_trash(limit=limit)).data

    async def restore(self, entry_id: str) -> models.RestoreTrashEntryResponse:
        """Takes an entry of `trash` back."""
        return await self.restore_trash_entry(entry_id)

    async def watch(self, since: str | None = "now") -> AsyncIterator[Change]:
        """Changes as they come, until the caller stops or the service ends the stream; then go on from the last `cursor`."""
        request: dict[str, Any] = {"params": query_of({"since": since}), "timeout": httpx.Timeout(30, read=None)}
        async with self._http.stream("GET", "/api/events", **request) as response:
            if not response.is_success:
                await response.aread()
                raise self._error_of(response)
            said: dict[str, str] = {}
            async for line in response.aiter_lines():
                name, _, text = line.partition(":")
                said[name] = text.strip()
                if line == "":
                    if said.get("event") == "change":
                        yield Change.model_validate({"cursor": said.get("id", ""), **json.loads(said["data"])})
                    said = {}

    # The service

    async def me(self) -> models.User:
        return (await self.get_current_user()).data

    async def health(self) -> models.Health:
        return await self.get_health()
