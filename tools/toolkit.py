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
        by_name_only: whether `all` tools are those of the other toolkits, since this one has them again in
            another form.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]
    by_name_only: bool = False

    @classmethod
    def of(
        cls, name: str, title: str, functions: Iterable[Callable[..., Any]], *, by_name_only: bool = False
    ) -> Toolkit:
        """A toolkit of marked functions, in the given order."""
        return cls(name, title, tuple(Tool(name, function) for function in functions), by_name_only)


def toolset(toolkits: Iterable[Toolkit], names: Iterable[str] | None = None) -> dict[str, Tool]:
    """The tools of the toolkits called `names`, in the toolkits' own order; None stands for all of them.

    Raises:
        InputError: if a name is not a toolkit's.
    """
    toolkits = tuple(toolkits)
    everything = {toolkit.name for toolkit in toolkits if not toolkit.by_name_only}
    wanted = everything if names is None else set(names)
    unknown = wanted - {toolkit.name for toolkit in toolkits}
    if unknown:
        raise InputError(
            f"no such toolkit: {', '.join(sorted(unknown))}",
            hint=f"there are {', '.join(toolkit.name for toolkit in toolkits)}",
        )
    return {t.name: t for toolkit in toolkits if toolkit.name in wanted for t in toolkit.tools}
