"""Texts under keys of any form (paths, namespaces): named memories, so that each has its versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from .._document import Document, content_of, document_of, metadata_of
from ..errors import Conflict, NotFound
from .client import AsyncClient


class AsyncDocuments:
    """The documents of one space, 1 to 20 small letters and digits."""

    def __init__(self, client: AsyncClient, space: str) -> None:
        self.client = client
        self.space = space

    def _name(self, key: str) -> str:
        return f"{self.space}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"

    async def read(self, key: str) -> Document | None:
        try:
            memory = (await self.client.get_memory_by_name(self._name(key))).data
        except NotFound as error:
            # Another memory was found to say something newer: for a document that changes nothing.
            head = error.details.get("headId") if isinstance(error.details, dict) else None
            if head is None:
                return None
            memory = await self.client.get(head)
        return document_of(memory)

    async def write(
        self, key: str, text: str, *, within: Sequence[str] = (), data: Mapping[str, Any] | None = None
    ) -> None:
        """
        Makes it or a new version of it.

        :param within: labels, such as the folders above it, by which `find` finds it
        :param data: values to filter by; 16 KB of metadata with the labels
        """
        metadata = metadata_of(self.space, key, text, within, data)
        known = await self.read(key)
        if known is None:
            try:
                await self.client.add(content_of(text), name=self._name(key), metadata=metadata)
                return
            except Conflict:
                known = await self.read(key)  # Another writer was first.
                if known is None:
                    raise
        await self.client.update(known.id, content=content_of(text), metadata=metadata)

    async def delete(self, key: str) -> bool:
        """To the trash. Whether it was there."""
        document = await self.read(key)
        if document is not None:
            await self.client.delete(document.id)
        return document is not None

    async def find(
        self,
        query: str | None = None,
        *,
        within: str | None = None,
        data: Mapping[str, Any] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Document]:
        """With a query the best first, at most 1,000; else all, the newest first."""
        given = {f"data.{name}": value for name, value in (data or {}).items()}
        metadata = {"space": self.space, **({} if within is None else {"within": within}), **given}
        if query is not None:
            for hit in await self.client.search(query, metadata=metadata, limit=limit or 100, include_topics=False):
                yield document_of(hit)
            return
        async for memory in self.client.memories(metadata=json.dumps(metadata), limit=limit):
            yield document_of(memory)
