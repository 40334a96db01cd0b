"""Finding text with a pattern that a model wrote."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from time import thread_time
from typing import Any

import regex  # type: ignore[import-untyped]

from worksmith.tools.errors import ToolError

Match = Callable[[str | None], bool]

SECONDS = 0.5
"""Processor time that all searches with one pattern may take together.

Not time by the clock: a tool's result must not depend on the load of the machine.
"""

LONGEST = 1000
"""A longer pattern is refused: compiling it alone could take long."""

_BACKTRACKING = frozenset("*+?{(|\\")
"""Without any of these a pattern takes linear time and needs no watch, which is ten times dearer."""


def containing(pattern: str) -> Match:
    """A test whether a cell contains the regular expression `pattern` anywhere, ignoring case.

    An empty cell contains nothing.

    Raises:
        ToolError: if the pattern is not one; later, from the test, if its searches take too long.
    """
    compiled = _compiled(pattern)
    if _BACKTRACKING.isdisjoint(pattern):
        return lambda cell: cell is not None and compiled.search(cell) is not None
    return _watched(compiled)


def where(rows: Iterable[dict[str, Any]], columns: tuple[str, ...], pattern: str) -> list[dict[str, Any]]:
    """The rows of which at least one of `columns` contains `pattern`, in their order."""
    if not pattern:
        return list(rows)
    found = containing(pattern)
    return [row for row in rows if any(found(row[column]) for column in columns)]


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    if len(pattern) > LONGEST:
        raise ToolError(f"The search pattern is longer than {LONGEST} characters.")
    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ToolError(f"{pattern!r} is not a valid regular expression: {error}") from error


def _watched(compiled: regex.Pattern[str]) -> Match:
    deadline = thread_time() + SECONDS

    def found(cell: str | None) -> bool:
        if cell is None:
            return False
        try:
            return compiled.search(cell, timeout=max(deadline - thread_time(), 0.0)) is not None
        except TimeoutError as error:
            raise ToolError(f"The search pattern {compiled.pattern!r} takes too long.") from error

    return found
