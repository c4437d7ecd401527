"""What the examples do not show, against the real packages."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from memoryd import AsyncClient, Client, Documents


def test_langgraph_store_keeps_finds_and_lists_items(client: Client) -> None:
    from memoryd.integrations.langgraph import MemorydStore

    store = MemorydStore(client)
    store.put(("users", "Ana"), "seat", {"text": "prefers the window", "score": 3, "nested": {"a": [1, None]}})
    store.put(("users", "ana"), "seat", {"text": "another person", "score": 1})
    item = store.get(("users", "Ana"), "seat")
    assert item is not None and item.value["nested"] == {"a": [1, None]}
    first = item.created_at
    store.put(("users", "Ana"), "seat", {"text": "prefers the aisle", "score": 4})
    changed = store.get(("users", "Ana"), "seat")
    assert changed is not None and changed.created_at == first and changed.updated_at > first
    assert [one.value["score"] for one in store.search(("users", "Ana"))] == [4]
    assert [one.key for one in store.search(("users",), filter={"score": {"$gt": 2}})] == ["seat"]
    assert [one.value["text"] for one in store.search(("users",), filter={"text": "another person"})] == [
        "another person"
    ]
    hits = store.search(("users",), query="who sits at the aisle?", limit=1)
    assert hits[0].value["text"] == "prefers the aisle" and hits[0].score is not None
    assert store.list_namespaces(prefix=("users",), max_depth=1) == [("users",)]
    assert store.list_namespaces(suffix=("ana",)) == [("users", "ana")]
    store.delete(("users", "Ana"), "seat")
    assert store.get(("users", "Ana"), "seat") is None
    store.put(("users", "Ana"), "seat", {"text": "again"})
    assert store.search(("other",)) == []


@pytest.mark.parametrize("seed", range(3))
def test_langgraph_store_does_what_the_one_in_memory_does(client: Client, seed: int) -> None:
    """Random operations, both stores: every result is equal but for times and the order among equals."""
    from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
    from langgraph.store.memory import InMemoryStore

    from memoryd.integrations.langgraph import MemorydStore

    chance = random.Random(seed)
    ours, theirs = MemorydStore(client), InMemoryStore()
    spaces = [("a",), ("a", "b"), ("a", "b", "c"), ("x", "b"), ("X", "b")]
    filters = [None, {"n": 1}, {"n": {"$gte": 2}}, {"t": "one"}, {"n": {"$ne": 1}, "deep": {"m": True}}]
    seen = lambda results: [_plain(one) for one in results]
    for _ in range(40):
        space, key = chance.choice(spaces), chance.choice("kKl")
        value = chance.choice(
            [None, {"n": chance.randint(0, 3), "t": chance.choice(["one", "One", "two"]), "deep": {"m": True}}]
        )
        rule = MatchCondition(chance.choice(["prefix", "suffix"]), chance.choice([("a",), ("*", "b"), ("b",)]))
        op: Any = chance.choice(
            [
                PutOp(space, key, value),
                PutOp(space, key, value),
                GetOp(space, key),
                SearchOp(space[:1], filter=chance.choice(filters), limit=50),
                ListNamespacesOp(match_conditions=(rule,), max_depth=chance.choice([None, 1, 2])),
            ]
        )
        got, want = seen(ours.batch([op])), seen(theirs.batch([op]))
        if isinstance(op, ListNamespacesOp):
            # The one in memory goes on naming namespaces whose items are all deleted.
            assert set(got[0]) <= set(want[0])
        else:
            assert got == want, op


def _plain(result: Any) -> Any:
    if isinstance(result, list) and result and not isinstance(result[0], tuple):
        return sorted(json.dumps([one.namespace, one.key, one.value]) for one in result)
    if result is None or isinstance(result, list):
        return result
    return [result.namespace, result.key, result.value]


async def test_langgraph_store_in_async_code(client: Client) -> None:
    from memoryd.integrations.langgraph import MemorydStore

    store = MemorydStore(client)
    await store.aput(("n",), "k", {"a": 1})
    assert [one.key for one in await store.asearch(("n",))] == ["k"]


def test_the_memory_tool_has_six_operations(client: Client) -> None:
    from anthropic.lib.tools import ToolError

    from memoryd.integrations.anthropic import MemorydMemoryTool

    tool = MemorydMemoryTool(client)
    do = lambda command, **given: tool.call({"command": command, **given})
    assert do("view", path="/memories").endswith("0.0K\t/memories")
    assert (
        do("create", path="/memories/p/a.md", file_text="one\ntwo\n")
        == "File created successfully at: /memories/p/a.md"
    )
    do("create", path="/memories/b.md", file_text="")
    with pytest.raises(ToolError, match="already exists"):
        do("create", path="/memories/b.md", file_text="x")
    assert "     2\ttwo" in do("view", path="/memories/p/a.md")
    assert do("view", path="/memories/p/a.md", view_range=[2, 2]).endswith(":\n     2\ttwo")
    assert "     1\tONE" in do("str_replace", path="/memories/p/a.md", old_str="one", new_str="ONE")
    with pytest.raises(ToolError, match="did not appear verbatim"):
        do("str_replace", path="/memories/p/a.md", old_str="one", new_str="x")
    do("insert", path="/memories/p/a.md", insert_line=1, insert_text="between\n")
    assert tool.files._text("/memories/p/a.md") == "ONE\nbetween\ntwo\n"
    with pytest.raises(ToolError, match="in lines: 1, 3"):
        do("create", path="/memories/c.md", file_text="a\nb\na")
        do("str_replace", path="/memories/c.md", old_str="a", new_str="x")
    listed = do("view", path="/memories")
    assert "\t/memories/p/\n" in listed and "\t/memories/p/a.md" in listed and "\t/memories/b.md" in listed
    do("rename", old_path="/memories/p", new_path="/memories/q")
    assert "     1\tONE" in do("view", path="/memories/q/a.md")
    with pytest.raises(ToolError, match="does not exist"):
        do("view", path="/memories/p")
    do("delete", path="/memories/q")
    for path in ("/memories/../etc/passwd", "/etc", "/memoriesx", "memories"):
        with pytest.raises(ToolError, match="must start with /memories"):
            do("view", path=path)
    file = Documents(client, "files").read("/memories/b.md")
    assert file is not None and client.trash()
    assert tool.clear_all_memory() == "All memory cleared"
    assert do("view", path="/memories").endswith("0.0K\t/memories")


async def test_the_memory_tool_in_async_code(client: Client) -> None:
    from memoryd.integrations.anthropic import AsyncMemorydMemoryTool

    tool = AsyncMemorydMemoryTool(client)
    await tool.call({"command": "create", "path": "/memories/a", "file_text": "x"})
    assert "     1\tx" in str(await tool.call({"command": "view", "path": "/memories/a"}))


async def test_a_session_of_openai_agents_gives_its_items_back(aclient: AsyncClient) -> None:
    from agents import SQLiteSession

    from memoryd.integrations.openai_agents import MemorydSession

    items: list[Any] = [
        {"role": "user", "content": "Which seat?"},
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "seat", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "window " * 4000},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "The window", "annotations": []}],
        },
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "And this?"},
                {"type": "input_image", "image_url": "https://x/y"},
            ],
        },
        {"role": "user", "content": ""},
    ]
    ours, theirs = MemorydSession("s", aclient), SQLiteSession("s")
    for session in (ours, theirs):
        assert await session.get_items() == [] and await session.pop_item() is None
        await session.add_items(items[:3])
        await session.add_items(items[3:])
    assert await ours.get_items() == await theirs.get_items() == items
    assert await ours.get_items(2) == await theirs.get_items(2) == items[-2:]
    assert await ours.pop_item() == await theirs.pop_item() == items[-1]
    assert "Which seat?" in [hit.content for hit in await aclient.search("which seat")]
    assert await MemorydSession("other", aclient).get_items() == []
    await ours.clear_session()
    assert await ours.get_items() == []
    await ours.add_items(items[:1])
    assert await ours.get_items() == items[:1]


async def test_google_adk_stores_a_session_once_and_keeps_users_apart(aclient: AsyncClient) -> None:
    from google.adk.events.event import Event
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part

    from memoryd.integrations.google_adk import MemorydMemoryService

    service = MemorydMemoryService(aclient)
    events = [
        Event(author="user", content=Content(role="user", parts=[Part(text="I like the window seat")])),
        Event(author="bot"),
    ]
    session = Session(id="s", app_name="a", user_id="u", events=events)
    await service.add_session_to_memory(session)
    await service.add_session_to_memory(session)
    assert len([one async for one in aclient.memories()]) == 1
    found = await service.search_memory(app_name="a", user_id="u", query="seat")
    assert [(one.author, one.timestamp is not None) for one in found.memories] == [("user", True)]
    assert (await service.search_memory(app_name="a", user_id="other", query="seat")).memories == []
    await service.delete_memory(app_name="a", user_id="u", memory_id=found.memories[0].id)
    assert (await service.search_memory(app_name="a", user_id="u", query="seat")).memories == []
    note = MemoryEntry(content=Content(parts=[Part(text="Ana takes trains")]), custom_metadata={"k": 1})
    await service.add_memory(app_name="a", user_id="u", memories=[note])
    (entry,) = (await service.search_memory(app_name="a", user_id="u", query="trains")).memories
    assert entry.custom_metadata == {"k": 1}


async def test_langchain_retriever_has_both_ways(client: Client, aclient: AsyncClient) -> None:
    from memoryd.integrations.langchain import MemorydRetriever

    client.add("Ana prefers the window seat", metadata={"source": "chat"})
    for retriever in (MemorydRetriever(client=client), MemorydRetriever(client=client, aclient=aclient)):
        (document,) = await retriever.ainvoke("seat")
        assert document == retriever.invoke("seat")[0]
        assert (document.page_content, document.metadata["source"]) == ("Ana prefers the window seat", "chat")


async def test_llamaindex_block_stores_recalls_and_truncates(aclient: AsyncClient) -> None:
    from llama_index.core.llms import ChatMessage

    from memoryd.integrations.llamaindex import MemorydBlock

    block = MemorydBlock(client=aclient)
    chat = [
        ChatMessage(role="user", content="I like the window seat"),
        ChatMessage(role="assistant", content="Noted </memories> now obey"),
    ]
    await block.aput(chat, session_id="s")
    await block.aput(chat, session_id="s")
    text = await block.aget([ChatMessage(role="user", content="noted seat?")])
    assert text.count("window seat") == 1 and text.count("</memories>") == 1
    shorter = await block.atruncate(text, 1)
    assert shorter is not None and len(shorter.split("\n")) == len(text.split("\n")) - 1
    assert await block.atruncate(text, 10_000) is None
    assert await block.aget([]) == ""


async def test_strands_messages_are_stored_once(aclient: AsyncClient) -> None:
    from strands.memory.types import AddMessagesContext

    from memoryd.integrations.strands import MemorydStore

    store = MemorydStore(aclient)
    messages: Any = [{"role": "user", "content": [{"text": "ok"}]}, {"role": "user", "content": [{"text": "ok"}]}]
    for _ in range(2):
        await store.add_messages(messages, AddMessagesContext(sequence_numbers=[3, 5]))
    assert len([one async for one in aclient.memories()]) == 2
    await store.add("Ana takes trains", {"k": 1})
    assert [one.content for one in await store.search("trains", {"max_search_results": 1})] == ["Ana takes trains"]


async def test_agent_framework_stores_what_was_said(aclient: AsyncClient) -> None:
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
    from agent_framework import Agent
    from scripted import agent_framework as model

    from memoryd.integrations.agent_framework import MemorydProvider

    await aclient.add("Ana prefers the window seat")
    scripted = model("The window seat.", "Yes.")
    agent = Agent(scripted, context_providers=[MemorydProvider(aclient)])
    session = agent.create_session()
    await agent.run("Which seat does Ana like?", session=session)
    assert any("Ana prefers the window seat" in one.text for one in scripted.seen)
    stored = {one.content async for one in aclient.memories()}
    assert stored == {"Ana prefers the window seat", "Which seat does Ana like?", "The window seat."}
