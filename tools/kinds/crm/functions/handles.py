"""Handles: `#3` stands for the result of the third call of an episode, so that agents need not repeat it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from worksmith.tools.errors import ToolError
from worksmith.tools.tool_context import Shown

SHOWN = 600
"""Characters of a result that are shown beside its handle."""

Shape = Literal["records", "ids", "numbers"]
"""What an argument holds: a list of records, a list of ids (or of what else is text), numbers by id."""

_HANDLE = re.compile(r"#([1-9][0-9]{0,5})", re.ASCII)
_WANTED = {"records": "a list of records", "ids": "a list of ids", "numbers": "numbers by id"}


def resolved(name: str, given: Any, shape: Shape, results: Sequence[Any]) -> Any:
    """The data that an argument stands for, as a private copy.

    Args:
        given: a handle, or the data itself, which may be written as JSON text.
        results: the results of the episode's calls, None for failed ones; see
        `ToolContext.results`.

    Raises:
        ToolError: the handle stands for nothing, or for data of another shape.
    """
    if not isinstance(given, str):
        return _shaped(name, given, shape, "the value")
    match = _HANDLE.fullmatch(given.strip())
    if match is None:
        return _shaped(name, _from_text(name, given, shape), shape, "the value")
    number = int(match[1])
    if number > len(results):
        raise ToolError(f"{name}: {given.strip()} stands for nothing, {_so_far(len(results))}")
    return _shaped(name, results[number - 1], shape, given.strip())


def shown(value: Any, number: int, limit: int = SHOWN, notes: Iterable[str] = ()) -> Any:
    """A result with its handle: a list or dictionary cut to what fits, anything else as it is.

    Args:
        number: of the call that returned it.
        limit: characters of the part that is shown; one entry is shown however long it is.
    """
    if not isinstance(value, list | dict):
        return value
    entries = [{key: each} for key, each in value.items()] if isinstance(value, dict) else value
    fitting = _fitting(entries, limit)
    part = value
    if fitting < len(value):
        part = dict(list(value.items())[:fitting]) if isinstance(value, dict) else value[:fitting]
    about = {"handle": f"#{number}", "size": len(value), "first" if fitting < len(value) else "all": part}
    note = "; ".join(notes)
    return Shown(value, json.dumps({**about, **({"note": note} if note else {})}, ensure_ascii=False))


def _fitting(entries: Sequence[Any], limit: int) -> int:
    """How many entries have no more than `limit` characters together; at least one, if there is one."""
    left = limit
    for count, entry in enumerate(entries):
        left -= len(json.dumps(entry, ensure_ascii=False)) + 2
        if left < 0:
            return max(1, count)
    return len(entries)


def _so_far(calls: int) -> str:
    if calls < 2:
        return "there has been 1 call" if calls else "there has been no call yet"
    return f"there have been {calls} calls"


def _from_text(name: str, text: str, shape: Shape) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list | dict):
        return found
    raise ToolError(f"{name} must be {_WANTED[shape]}, or the handle of an earlier result, such as #3")


def _shaped(name: str, value: Any, shape: Shape, what: str) -> Any:
    if isinstance(value, dict) and isinstance(value.get("records"), list):
        value = value["records"]  # of a query
    found = _SHAPES[shape](value)
    if found is None:
        raise ToolError(f"{name} must be {_WANTED[shape]}, and {what} is {_kind(value)}")
    return found


def _records(value: Any) -> list[dict[str, Any]] | None:
    fits = isinstance(value, list) and all(isinstance(each, dict) for each in value)
    return [dict(each) for each in value] if fits else None


def _ids(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    given = [each.get("Id") if isinstance(each, dict) else each for each in value]
    found = [each for each in given if isinstance(each, str)]
    return found if len(found) == len(given) else None


def _numbers(value: Any) -> dict[str, float] | None:
    if not isinstance(value, dict):
        return None
    fits = all(isinstance(each, int | float) and not isinstance(each, bool) for each in value.values())
    return dict(value) if fits else None


_SHAPES = {"records": _records, "ids": _ids, "numbers": _numbers}


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a dictionary"
    if isinstance(value, list):
        entries = {"records" if isinstance(each, dict) else "values" for each in value}
        return f"a list of {' and '.join(sorted(entries))}"
    return "nothing" if value is None else "a single value"
