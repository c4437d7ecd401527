"""The calls, against a running service."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest

import memoryd
from memoryd import AsyncClient, AsyncDocuments, Client, Documents

CHAT = [
    {"role": "system", "content": "You are a travel agent."},
    {"role": "user", "content": "I prefer the window seat on night trains."},
    {"role": "assistant", "content": [{"type": "text", "text": "Noted: a window seat."}]},
]


def test_a_memory_is_stored_found_changed_and_restored(client: Client) -> None:
    memory = client.add("Ana prefers the window seat on night trains", topics=["travel"], metadata={"app": "a"})
    assert (memory.topics, memory.metadata) == (["travel"], {"app": "a"})
    assert client.search("which seat does ana like")[0].id == memory.id
    assert client.search("seat", metadata={"app": "b"}) == []
    changed = client.update(memory.id, content="Ana prefers the aisle seat")
    assert changed.content == client.get(memory.id).content == "Ana prefers the aisle seat"
    assert [version.memory.content for version in client.versions(memory.id)] == [changed.content, memory.content]
    client.delete(memory.id)
    with pytest.raises(memoryd.NotFound):
        client.get(memory.id)
    client.restore(client.trash()[0].id)
    assert client.get(memory.id).id == memory.id


def test_a_memory_with_an_external_id_is_stored_once(client: Client) -> None:
    first = client.add("The gateway timeout is 30 seconds", external_id="notes:17")
    assert client.add("something else", external_id="notes:17").id == first.id
    found = client.find("notes:17")
    assert found is not None and found.id == first.id
    assert client.find("notes:18") is None


def test_a_chat_becomes_turns_and_is_stored_once(client: Client) -> None:
    made = client.add_messages(CHAT, thread="t1")
    assert (made.meta.created, made.meta.left_out) == (2, {"system message": 1})
    again = client.add_messages([*CHAT, {"role": "user", "content": "Thanks"}], thread="t1")
    assert (again.meta.created, again.meta.existing) == (1, 2)
    turns = client.turns(made.meta.conversation_id or "")
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    conversation = client.find_conversation("t1")
    assert conversation is not None and conversation.id == made.meta.conversation_id


def test_memories_are_listed_over_pages(client: Client) -> None:
    made = client.add_many([{"content": f"memory {i}"} for i in range(250)])
    assert made.meta.created == 250
    assert len(list(client.memories())) == 250
    assert [one.content for one in client.memories(limit=3)] == ["memory 249", "memory 248", "memory 247"]


def test_a_named_memory_has_its_versions(client: Client) -> None:
    assert client.get_named("release-plan") is None
    client.put_named("release-plan", "Ship on Monday")
    client.put_named("release-plan", "Ship on Tuesday")
    client.append_named("release-plan", "Ana writes the notes")
    named = client.get_named("release-plan")
    assert named is not None and named.content.startswith("Ship on Tuesday")
    assert len(client.named_history("release-plan")) == 3


def test_briefing_facts_and_the_user(client: Client) -> None:
    client.add("We decided to use PostgreSQL for the sessions")
    fact = client.add_fact("sessions", "stored in", "PostgreSQL")
    assert client.facts("sessions").data[0].id == fact.id
    assert client.digest("sessions").digest is not None
    assert client.context("move the sessions") is not None
    assert client.instructions() is not None
    assert client.me().id
    assert client.health().status in ("ok", "healthy", "degraded")
    assert isinstance(client.topics(), list) and isinstance(client.entities(), list)


def test_documents_are_texts_under_any_key(client: Client) -> None:
    files = Documents(client, "files")
    files.write("/memories/a b.md", "first\n", within=["/memories"], data={"kind": "note"})
    files.write("/memories/a b.md", "second\n", within=["/memories"], data={"kind": "note"})
    files.write("/other/c.md", "")
    read = files.read("/memories/a b.md")
    assert read is not None and (read.text, read.data) == ("second\n", {"kind": "note"})
    assert [one.key for one in files.find()] == ["/other/c.md", "/memories/a b.md"]
    assert [one.key for one in files.find(within="/memories", data={"kind": "note"})] == ["/memories/a b.md"]
    assert next(iter(files.find("second"))).text == "second\n"
    empty = files.read("/other/c.md")
    assert empty is not None and empty.text == ""
    assert files.delete("/other/c.md") and not files.delete("/other/c.md")
    files.write("/other/c.md", "again")


def test_null_clears_and_none_is_not_sent(client: Client) -> None:
    memory = client.add("x", metadata={"a": 1})
    assert client.update(memory.id, content="y").metadata == {"a": 1}
    assert client.update(memory.id, metadata=None).metadata is None


def test_errors_say_the_sentence_of_the_service(client: Client) -> None:
    with pytest.raises(memoryd.InvalidInput) as refused:
        client.add("")
    assert str(refused.value) == "content must not be empty"
    assert (refused.value.field, refused.value.rule, refused.value.status) == ("content", "must not be empty", 422)
    assert refused.value.code == "INPUT_INVALID" and refused.value.request_id
    memory = client.add("x")
    with pytest.raises(memoryd.PreconditionFailed):
        client.update(memory.id, content="z", if_match='"other"')
    with pytest.raises(memoryd.Unauthorized), Client(key="cmk_live_wrong") as stranger:
        stranger.me()
    with pytest.raises(memoryd.ConnectionFailed, match="does not answer at http://127.0.0.1:9"):
        Client("http://127.0.0.1:9", "k", retries=0).me()


def test_another_user_finds_nothing(client: Client, service: tuple[str, str]) -> None:
    memory = client.add("mine")
    with Client(service[0], service[1]) as other, pytest.raises(memoryd.NotFound):
        other.get(memory.id)


def test_a_client_without_a_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYD_KEY", raising=False)
    with pytest.raises(memoryd.MemorydError, match="set MEMORYD_KEY"):
        Client("http://127.0.0.1:9")


class Scripted(httpx.BaseTransport):
    """Answers with each of its responses in turn, and keeps the requests."""

    def __init__(self, *answers: httpx.Response | httpx.TransportError) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer


def busy(status: int = 503) -> httpx.Response:
    return httpx.Response(
        status, headers={"retry-after": "0"}, json={"error": "Busy.", "code": "BUSY", "retryAfter": 0}
    )


def test_a_post_is_sent_again_under_the_same_key() -> None:
    lost = httpx.ReadTimeout("lost")
    made = httpx.Response(200, json={"data": [], "meta": {"created": 0, "existing": 0, "updated": 0, "refused": 0}})
    script = Scripted(busy(429), lost, made)
    Client("http://m", "k", transport=script).add_many([{"content": "x"}])
    keys = {request.headers["idempotency-key"] for request in script.requests}
    assert len(script.requests) == 3 and len(keys) == 1


def test_a_change_without_a_key_is_sent_again_only_where_nothing_was_done() -> None:
    script = Scripted(httpx.ReadTimeout("lost"))
    with pytest.raises(memoryd.ConnectionFailed):
        Client("http://m", "k", transport=script).delete("x")
    script = Scripted(httpx.ConnectError("refused"), busy(), httpx.Response(204))
    Client("http://m", "k", transport=script).delete("x")
    assert len(script.requests) == 3


def test_retries_end() -> None:
    script = Scripted(busy(), busy(), busy())
    with pytest.raises(memoryd.Unavailable) as failed:
        Client("http://m", "k", transport=script).me()
    assert (str(failed.value), failed.value.retry_after) == ("Busy.", 0)
    script = Scripted(httpx.Response(502, text="<html>"), httpx.Response(404, text="<html>"))
    with pytest.raises(memoryd.NotFound, match="404 Not Found"):
        Client("http://m", "k", transport=script).me()


async def test_the_async_client_does_the_same(aclient: AsyncClient) -> None:
    memory = await aclient.add("Ana prefers the window seat", topics=["travel"])
    assert (await aclient.search("seat"))[0].id == memory.id
    assert [one.id async for one in aclient.memories()] == [memory.id]
    documents = AsyncDocuments(aclient, "d")
    await documents.write("k", "text")
    assert [one.key async for one in documents.find()] == ["k"]


async def test_changes_are_watched(aclient: AsyncClient) -> None:
    async def first() -> memoryd.Change:
        async for change in aclient.watch():
            return change
        raise AssertionError

    watching = asyncio.create_task(first())
    memory = None
    while not watching.done():
        memory = await aclient.add("seen")
        await asyncio.wait({watching}, timeout=0.2)
    assert memory is not None and (await watching).kind in ("memory", "conversation")


def test_every_operation_of_the_document_is_a_method() -> None:
    from pathlib import Path

    document = json.loads((Path(__file__).resolve().parents[3] / "docs/openapi.json").read_text())
    ids = [o["operationId"] for path in document["paths"].values() for o in path.values() if "operationId" in o]
    assert len(ids) > 100
    import re

    snake = {re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", i)).lower() for i in ids}
    lacking = {name for name in snake if not hasattr(Client, name) or not hasattr(AsyncClient, name)}
    # Streams and MCP, which have calls of their own or none.
    assert lacking <= {"post_mcp_message", "get_mcp_events", "end_mcp_session", "get_open_api", "stream_changes", "stream_memory_digest"}
