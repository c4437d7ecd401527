"""How arguments become parts of a request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final
from urllib.parse import quote


class Unset:
    """The default of arguments for which None has a meaning: it clears the field."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


_NULL: Final = object()


def or_null(value: Any) -> Any:
    """Of an argument whose default is UNSET: None is sent as null."""
    return _NULL if value is None else value


def segment(text: str) -> str:
    """A part of a path."""
    return quote(text, safe="")


def jsonable(value: Any) -> Any:
    """Times as ISO 8601; everything else as it is."""
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: jsonable(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(one) for one in value]
    return value


def body_of(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that are given; None is not, but through `or_null`."""
    given = {name: value for name, value in members.items() if value is not UNSET and value is not None}
    return {name: None if value is _NULL else jsonable(value) for name, value in given.items()}


def query_of(members: Mapping[str, Any]) -> dict[str, str]:
    """Booleans and lists as the service reads them."""
    return {name: _text(value) for name, value in body_of(members).items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_text(one) for one in value)
    return str(value)
