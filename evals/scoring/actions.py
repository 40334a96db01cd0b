"""Calls written as text: `calendar.delete_event.func(event_id="00000256")`.

The notation is Python's, but nothing is evaluated: only a plain call of a dotted name with named literals is
readable.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from functools import lru_cache

from worksmith.tools.errors import WorksmithError

Call = tuple[str, Mapping[str, str]]
"""A tool's name and its arguments, all of them text."""

_CALL = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?:\.func)?\((.*)\)", re.ASCII)
_ARGUMENT = re.compile(r'([A-Za-z_]\w*)="([^"]*)"(?:, |$)', re.ASCII)
_NEEDS_ESCAPE = re.compile(r'[\\"\n\r\0]')
_NEEDS_PARSER = re.compile(r"[\\\n\r\0]")


class UnreadableActionError(WorksmithError):
    """A text is not a call of a tool with named literals."""


@lru_cache(maxsize=16_384)
def parse_action(text: str) -> Call:
    """Parse a call; every value becomes text (`None` becomes "None").

    A line break counts as the two characters backslash and n; escapes inside quotes are interpreted.

    Raises:
        UnreadableActionError: the text is not `toolkit.function(name="value", ...)`, with or without `.func`.
    """
    if not _NEEDS_PARSER.search(text):
        call = _plain(text)
        if call is not None:
            return call
    return _parsed(text.replace("\n", "\\n").lstrip(" \t"))


@lru_cache(maxsize=4096)
def action_name(text: str) -> str:
    """The tool's name in `text`, readable or not: the first two parts before the parenthesis."""
    return ".".join(text.split("(", 1)[0].split(".")[:2])


def format_action(tool: str, arguments: Mapping[str, object]) -> str:
    """A call as text; `parse_action` gives it back with every value as text."""
    values = ", ".join(f'{name}="{_escaped(str(value))}"' for name, value in arguments.items())
    return f"{tool}.func({values})"


def _plain(text: str) -> Call | None:
    """The call, if it has no escapes and no quotes inside values, as most calls."""
    found = _CALL.fullmatch(text)
    if found is None:
        return None
    body = found[3]
    arguments: dict[str, str] = {}
    place = 0
    while place < len(body):
        argument = _ARGUMENT.match(body, place)
        if argument is None or argument[1] in arguments:
            return None
        arguments[argument[1]] = argument[2]
        place = argument.end()
    return f"{found[1]}.{found[2]}", arguments


def _parsed(text: str) -> Call:
    try:
        with warnings.catch_warnings():
            # Text that a model wrote holds escapes that Python does not know; it keeps them as they are.
            warnings.simplefilter("ignore")
            call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableActionError(f"not a call: {text[:80]!r}") from error
    if not isinstance(call, ast.Call) or call.args:
        raise UnreadableActionError(f"not a call with named arguments: {text[:80]!r}")
    arguments: dict[str, str] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments or not isinstance(keyword.value, ast.Constant):
            raise UnreadableActionError(f"not a call with named literals: {text[:80]!r}")
        arguments[keyword.arg] = str(keyword.value.value)
    return _dotted(call.func, text), arguments


def _dotted(function: ast.expr, text: str) -> str:
    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.insert(0, function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        parts.insert(0, function.id)
        if parts[2:] in ([], ["func"]) and len(parts) > 1:
            return ".".join(parts[:2])
    raise UnreadableActionError(f"not a tool's name: {text[:80]!r}")


def _escaped(value: str) -> str:
    if not _NEEDS_ESCAPE.search(value):
        return value
    value = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return value.replace("\r", "\\r").replace("\0", "\\x00")
