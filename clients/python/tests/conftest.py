"""A service for the tests, with an API key of a new user for each."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from memoryd import AsyncClient, Client

ROOT = Path(__file__).resolve().parents[3]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def service() -> Iterator[tuple[str, str]]:
    """Its address and a key with all scopes."""
    key = f"cmk_live_{secrets.token_hex(8)}.{secrets.token_hex(24)}"
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "w+") as log:
        env = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYD_")}
        env |= {
            "MEMORYD_HOST": "127.0.0.1",
            "MEMORYD_PORT": str(port),
            "MEMORYD_API_KEY": key,
            "MEMORYD_LOG_LEVEL": "error",
        }
        env |= {"MEMORYD_EMBEDDER": "static"}
        command = ["node", str(ROOT / "dist/main.js"), "serve"]
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            _wait_for(url, process, log)
            yield url, key
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: object) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/health").is_success:
                return
        except httpx.TransportError:
            pass  # It starts.
        time.sleep(0.1)
    log.seek(0)  # type: ignore[attr-defined]
    raise RuntimeError(f"the service does not start: {log.read()}")  # type: ignore[attr-defined]


@pytest.fixture
def key(service: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of a user without memories; the environment names it, as for a person's program."""
    url, operator = service
    name = f"u{secrets.token_hex(6)}"
    with Client(url, operator) as client:
        client.create_user(name=name)
        made = client.create_user_key(name, label="test", scopes=["read", "write"])
    monkeypatch.setenv("MEMORYD_URL", url)
    monkeypatch.setenv("MEMORYD_KEY", made.data.api_key or "")
    return made.data.api_key or ""


@pytest.fixture
def client(key: str) -> Iterator[Client]:
    with Client() as made:
        yield made


@pytest.fixture
async def aclient(key: str) -> AsyncIterator[AsyncClient]:
    async with AsyncClient() as made:
        yield made
