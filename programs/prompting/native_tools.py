"""Tools as chat APIs take them: functions with names, descriptions and schemas."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from dspy.lm15 import FunctionTool

from worksmith.tools.seeding import digest
from worksmith.tools.tool import FINISH, FinishCall

if TYPE_CHECKING:
    from worksmith.tools.tool import Tool

_LONGEST = 1024
"""Characters of a tool's description that all providers take."""

_LONGEST_NAME = 64
_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{_LONGEST_NAME}}}")
"""Names of tools that all providers take."""


@dataclass(frozen=True, eq=False)
class NativeTools:
    """The tools on offer, as chat APIs take them.

    Attributes:
        functions: with names without dots.
        notes: descriptions that are too long to go along with the functions, for the system message.
    """

    functions: tuple[FunctionTool, ...]
    names: Mapping[str, str]
    notes: str = ""

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """The names of the arguments of each tool, by its own name."""
        return {self.names[each.name]: (*each.parameters.get("properties", ()),) for each in self.functions}

    def arguments(self, name: str) -> Collection[str]:
        """The names of the arguments of a function; none of one that is not on offer."""
        found = (each.parameters.get("properties", {}) for each in self.functions if each.name == name)
        return next(found, ())


@lru_cache(maxsize=256)
def native_tools(tools: tuple[Tool, ...], finish: FinishCall) -> NativeTools:
    functions = [FunctionTool(native_name(tool.name), tool.summary, tool.parameters) for tool in tools]
    names = {native_name(tool.name): tool.name for tool in tools}
    long = [f"{f.name}: {f.description}" for f in functions if len(f.description or "") > _LONGEST]
    short = (replace(f, description=_shortened(f.description or "")) for f in functions)
    return NativeTools((*short, _finish(finish)), {**names, FINISH: FINISH}, "\n\n".join(long))


def native_name(tool: str) -> str:
    """The name of a tool in a chat API, which takes 64 letters, digits, `_` and `-` at most."""
    plain = tool.replace(".", "__")
    if _NAME.fullmatch(plain):
        return plain
    mark = f"_{digest(tool)[:8]}"
    return re.sub(r"[^A-Za-z0-9_-]", "_", plain)[: _LONGEST_NAME - len(mark)] + mark


def _shortened(description: str) -> str:
    """A description, or its first sentence if it is too long."""
    return (
        description if len(description) <= _LONGEST else f"{description.partition('. ')[0][: _LONGEST - 1]}."
    )


def _finish(call: FinishCall) -> FunctionTool:
    properties = {name: {"type": "string", "description": note} for name, note in call.arguments.items()}
    parameters = {"type": "object", "properties": properties, "required": list(call.arguments)}
    return FunctionTool(FINISH, call.summary, parameters)
