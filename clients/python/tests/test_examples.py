"""Each example of an adapter, with a scripted model and the real package of its framework."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
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


def lines_of(path: Path) -> int:
    return sum(1 for line in path.read_text().splitlines() if line.strip())


def test_adapters_and_examples_are_short() -> None:
    adapters = [path for path in ADAPTERS.glob("*.py") if not path.stem.startswith("_")]
    assert {path.name: lines for path in adapters if (lines := lines_of(path)) > LINES_MAX} == {}
    examples = [path for path in EXAMPLES.glob("*_*.py")]
    assert {path.name: lines for path in examples if (lines := lines_of(path)) > EXAMPLE_LINES_MAX} == {}
    assert len(adapters) == len(examples) == 10, sys.version
