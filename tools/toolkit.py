"""Named groups of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.errors import InputError
from tools.tool import Tool

Toolset = Mapping[str, Tool]
"""The tools of one episode, by name, in the order in which a prompt lists them."""


@dataclass(frozen=True)
class Toolkit:
    """The tools of one source or subject.

    Attributes:
        name: the first half of its tools' names.
        title: what the toolkit is for, in a few words.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]

    @classmethod
    def of(cls, name: str, title: str, functions: Iterable[Callable[..., Any]]) -> Toolkit:
        """A toolkit of marked functions, in the given order."""
        return cls(name, title, tuple(Tool(name, function) for function in functions))


def toolset(toolkits: Iterable[Toolkit], names: Iterable[str] | None = None) -> dict[str, Tool]:
    """The tools of the toolkits called `names` (of all, if None), in the toolkits' own order.

    Raises:
        InputError: if a name is not a toolkit's.
    """
    toolkits = tuple(toolkits)
    wanted = {toolkit.name for toolkit in toolkits} if names is None else set(names)
    unknown = wanted - {toolkit.name for toolkit in toolkits}
    if unknown:
        raise InputError(
            f"no such toolkit: {', '.join(sorted(unknown))}",
            hint=f"there are {', '.join(toolkit.name for toolkit in toolkits)}",
        )
    return {t.name: t for toolkit in toolkits if toolkit.name in wanted for t in toolkit.tools}
