"""World kinds: tables, tools, access rules and texts of the worlds of one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.errors import InputError
from tools.persona import Persona
from tools.policy import Policy
from tools.registry import Registry
from tools.sqlite.schema import Table
from tools.tool import WITHOUT_ANSWER, FinishCall, Toolkit, Toolset, toolset
from tools.world import World

if TYPE_CHECKING:
    from retrievers.index.library import Library
    from tools.tool_context import ToolContext


@dataclass(frozen=True)
class Explanation:
    """An explanation of access rules, as JSON-able data and as text."""

    data: Mapping[str, Any]
    text: str


ExplainAccess = Callable[["ToolContext", str | None, Sequence[str], str | None], Explanation]
"""Explains the rights of a context's persona: in one source or all, for operations, and on one record."""


def no_library(_world: World) -> Library | None:
    """For kinds whose tools search nothing."""
    return None


@dataclass(frozen=True)
class WorldKind:
    """Everything the core needs to know about one kind of world.

    Attributes:
        tables: its schema.
        toolkits: in the order in which prompts list them.
        shared_toolkits: names of toolkits that every task gets whatever its domains.
        open_policy: the access rules of a world of this kind.
        find_persona: somebody in such a world by id; raises `InputError` if there is nobody.
        house_rules: the conventions an agent has to know, as prompt text.
        open_library: the search indexes over a world, if its tools search.
        finish: the call that ends a task.
        toolset_for: names of toolsets by name of the strategy that is offered them where nobody says
            otherwise; the empty name stands for all other strategies, which else are offered all toolkits.
        departments: what the codes in `Persona.department` stand for, for prompts.
        categories: names of functions (without that of their toolkit) by what they are for; agents can be
            made to do without the functions of a category.
        persona_ids: ids to choose from where there are few, for completion.
        explain_access: replaces the explanation of access rules where these are no document of rules.
        check_policy: the same for the check of a policy file.
        live_systems: by name what connects to a live system, which tools then work on instead of the world;
            takes a file that says how that system calls our records, or None.
        stand_ins: names of the toolkits that such agents get in their place.
        table_changes: by origin of a world, a refused call (tool and observation) that changes the shape of a
            table in the published system.
    """

    name: str
    tables: tuple[Table, ...]
    toolkits: tuple[Toolkit, ...]
    shared_toolkits: tuple[str, ...]
    open_policy: Callable[[World], Policy]
    find_persona: Callable[[World, str], Persona]
    house_rules: str
    open_library: Callable[[World], Library | None] = no_library
    finish: FinishCall = WITHOUT_ANSWER
    toolset_for: Mapping[str, str] = field(default_factory=dict, hash=False)
    departments: Mapping[str, str] = field(default_factory=dict, hash=False)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    stand_ins: tuple[str, ...] = ()
    persona_ids: Callable[[World], Iterable[str]] = lambda _: ()
    explain_access: ExplainAccess | None = None
    check_policy: Callable[[Path], Explanation] | None = None
    live_systems: Mapping[str, Callable[[Path | None], object]] = field(default_factory=dict, hash=False)
    table_changes: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)

    def toolset(self, toolkits: Iterable[str] | None, without: Iterable[str] = ()) -> Toolset:
        """The tools of these toolkits and the shared ones; None stands for all of them.

        Args:
            without: categories whose functions are left out; the stand-ins are added.

        Raises:
            InputError: there is no such toolkit, or no such category.
        """
        left_out = {function for category in without for function in self._functions(category)}
        added = (*self.shared_toolkits, *(self.stand_ins if left_out else ()))
        found = toolset(self.toolkits, None if toolkits is None else (*toolkits, *added))
        return {name: tool for name, tool in found.items() if name.partition(".")[2] not in left_out}

    def _functions(self, category: str) -> tuple[str, ...]:
        if category not in self.categories:
            raise InputError(
                f"no category of tools {category!r}",
                where="--without-tools",
                hint=f"there are {', '.join(self.categories) or f'none in worlds of the kind {self.name}'}",
            )
        return self.categories[category]

    @property
    def judges_answers(self) -> bool:
        """Whether agents say how a task ended and their answers count, and not the world's state alone."""
        return self.finish != WITHOUT_ANSWER


WORLD_KINDS = Registry("worksmith.world_kinds", WorldKind, "world kind")
"""Entry points of this group name the `WorldKind` objects of installed packages."""


def world_kind(name: str) -> WorldKind:
    """The kind called `name`.

    Raises:
        InputError: there is none, or the package that offers it is broken.
    """
    return WORLD_KINDS.get(name)
