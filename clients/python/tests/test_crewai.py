"""CrewAI has an environment of its own."""

from __future__ import annotations

import pytest
from test_examples import run

from memoryd import Client


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")


def test_an_example_runs(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "window seat" in run("crewai_tools", monkeypatch)


def test_tools_store_and_find(client: Client) -> None:
    from memoryd.integrations.crewai import memory_tools

    search, add = memory_tools(client)
    assert "Nothing is known" in search.run(query="trains")
    assert add.run(content="Ana takes night trains", topics=["travel"]).startswith("Stored as ")
    assert "Ana takes night trains" in search.run(query="trains")
