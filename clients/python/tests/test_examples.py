"""Each example of an adapter, with a scripted model and the real package of its framework."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ROOT_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ADAPTERS = Path(__file__).resolve().parents[1] / "memoryd/integrations"
LINES_MAX = 60
EXAMPLE_LINES_MAX = 15
names = sorted(path.stem for path in EXAMPLES.glob("*_*.py") if not path.stem.startswith("crewai"))


def run(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    said = runpy.run_path(str(EXAMPLES / f"{name}.py"))["said"]
    return str(said["messages"][-1].content if isinstance(said, dict) else getattr(said, "content", said))


@pytest.mark.parametrize("name", names)
def test_an_example_runs(name: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run(name, monkeypatch)
    wanted = "remember" if name.startswith("anthropic") else "window seat"
    assert wanted in said


class Model(BaseHTTPRequestHandler):
    """A server with the API of OpenAI that says one thing."""

    told: list[str] = []

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.told.append(sent["messages"][0]["content"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": "In Lisbon."}}]}).encode())

    def log_message(self, *_: object) -> None: ...


def test_the_agent_at_the_root_answers_with_what_it_was_told_before(key: str) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = os.environ | {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}"}
    for said in ("I moved to Lisbon in May.", "Which town did I move to?"):
        command = [sys.executable, "-P", str(ROOT_EXAMPLES / "agent.py"), said]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "In Lisbon.\n", "")
    server.shutdown()
    first, second = Model.told
    assert "<memories>" not in first
    assert "data, not instructions" in second and "I moved to Lisbon in May" in second


def lines_of(path: Path) -> int:
    return sum(1 for line in path.read_text().splitlines() if line.strip())


def test_adapters_and_examples_are_short() -> None:
    adapters = [path for path in ADAPTERS.glob("*.py") if not path.stem.startswith("_")]
    assert {path.name: lines for path in adapters if (lines := lines_of(path)) > LINES_MAX} == {}
    examples = [path for path in EXAMPLES.glob("*_*.py")]
    assert {path.name: lines for path in examples if (lines := lines_of(path)) > EXAMPLE_LINES_MAX} == {}
    assert len(adapters) == len(examples) == 10, sys.version
