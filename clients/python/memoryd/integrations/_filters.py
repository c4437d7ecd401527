"""Filters of LangGraph: equality and comparisons of members, and patterns of namespaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_MEMBERS_MAX = 10
_TEXT_MAX = 200

_operators: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: bool(have == want),
    "$ne": lambda have, want: bool(have != want),
    "$gt": lambda have, want: have is not None and float(have) > float(want),
    "$gte": lambda have, want: have is not None and float(have) >= float(want),
    "$lt": lambda have, want: have is not None and float(have) < float(want),
    "$lte": lambda have, want: have is not None and float(have) <= float(want),
}


def scalars(value: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the service filters by: the first few short members. Everything is compared again by `matches`."""
    short = {
        name: one
        for name, one in sorted((value or {}).items())
        if isinstance(one, (bool, int, float)) or (isinstance(one, str) and len(one) <= _TEXT_MAX)
    }
    return dict(list(short.items())[:_MEMBERS_MAX])


def matches(value: Any, wanted: Any) -> bool:
    if wanted is None and isinstance(value, dict):
        return True
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_operators[name](value, one) for name, one in wanted.items())
    return isinstance(value, dict) and all(matches(value.get(name), one) for name, one in wanted.items())


def fits(rule: Any, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends as a condition says; "*" is any label."""
    path = tuple(rule.path)
    part = namespace[: len(path)] if rule.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", have) for want, have in zip(path, part, strict=True))
