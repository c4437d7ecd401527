"""LangGraph: a `BaseStore` whose items are documents, each with its versions; a delete goes to the trash."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from .. import Client, Document, Documents
from ._filters import fits, matches, scalars

_FOUND_MAX = 1000


class MemorydStore(BaseStore):
    """Searches with a query go by meaning and words, over the whole value of an item: `index` has no effect."""

    def __init__(self, client: Client | None = None, *, space: str = "langgraph") -> None:
        self._items = Documents(client or Client(), space)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._items.read(json.dumps([*op.namespace, op.key]))
            return found and Item(**_fields(found))
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, SearchOp):
            hits = (SearchItem(**_fields(one), score=one.score) for one in self._search(op))
            return list(islice(hits, op.offset, op.offset + op.limit))
        if isinstance(op, ListNamespacesOp):
            known = {_fields(one)["namespace"] for one in self._items.find()}
            some = {one[: op.max_depth] for one in known if all(fits(rule, one) for rule in op.match_conditions or ())}
            return sorted(some)[op.offset : op.offset + op.limit]
        raise ValueError(f"unknown operation {op!r}")

    def _put(self, op: PutOp) -> None:
        key = json.dumps([*op.namespace, op.key])
        if op.value is None:
            self._items.delete(key)
            return
        above = [".".join(op.namespace[: i + 1]) for i in range(len(op.namespace))]
        self._items.write(key, json.dumps(op.value, ensure_ascii=False), within=above, data=scalars(op.value))

    def _search(self, op: SearchOp) -> Iterator[Document]:
        prefix = op.namespace_prefix
        found = self._items.find(
            op.query or None,
            within=".".join(prefix) or None,
            data=scalars(op.filter),
            limit=_FOUND_MAX if op.query else None,
        )
        return (
            one
            for one in found
            if _fields(one)["namespace"][: len(prefix)] == prefix and matches(json.loads(one.text), op.filter)
        )


def _fields(one: Document) -> dict[str, Any]:
    *namespace, key = json.loads(one.key)
    times = {"created_at": one.created_at, "updated_at": one.updated_at}
    return {"namespace": tuple(namespace), "key": key, "value": json.loads(one.text), **times}
