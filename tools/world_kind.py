"""World kinds: tables, tools, access rules and texts of the worlds of one kind.

A package that adds a kind writes one object and names it in its `pyproject.toml`:

    LOANS = Toolkit.of("loans", "lending", (lend, give_back))
    LENDING = WorldKind(name="lending", tables=(BOOKS, LENT), toolkits=(LOANS,), open_policy=..., ...)

    [project.entry-points."worksmith.world_kinds"]
    lending = "lending.world:LENDING"

Each world names its kind. `Environment` reads the toolkits, the rules and the personas when it opens a
world, so a kind is all that the core knows about a world. docs/how-to/add-a-world.md builds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.tools.errors import InputError, ToolError, unknown
from worksmith.tools.persona import Persona
from worksmith.tools.policy import Policy
from worksmith.tools.procedure import ProcedureRule
from worksmith.tools.registry import Registry
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool import WITHOUT_ANSWER, FinishCall, Toolkit, Toolset, toolset
from worksmith.tools.world import World

if TYPE_CHECKING:
    from worksmith.retrievers.index.library import Library
    from worksmith.tools.change_set import ChangeSet
    from worksmith.tools.tool_context import ToolContext


LIVE = "live"
"""The backend of an environment (see `Environment.connect`) whose tools make their calls outside."""


class PastReplies:
    """The backend of an episode that is made again: its calls outside get the replies that they had.

    Args:
        replies: by the name of the tool in their order, each `{"value": ...}` or `{"error": text}`, with
            `wrote`: whether the call changed rows, too.
    """

    def __init__(self, replies: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self._left = list(replies)

    def take(self, tool: str) -> tuple[Any, bool]:
        """The next reply to a tool, and whether the call changed rows.

        Raises:
            ToolError: it is an error, or no reply is left.
        """
        for place, (name, reply) in enumerate(self._left):
            if name == tool:
                del self._left[place]
                if "error" in reply:
                    raise ToolError(reply["error"])
                return reply["value"], reply["wrote"]
        raise ToolError(f"{tool} was not called so before.")


@dataclass(frozen=True)
class Explanation:
    """An explanation of access rules, as JSON-able data and as text."""

    data: Mapping[str, Any]
    text: str


ExplainAccess = Callable[["ToolContext", str | None, Sequence[str], str | None], Explanation]
"""Explains the rights of a context's persona.

Takes the context, a source (None for all), the operations, and the key of a record (None for no record).
"""


def no_library(_world: World) -> Library | None:
    """No library: for kinds whose tools do not search."""
    return None


def own_persona(world: World, persona_id: str) -> Persona:
    """The default persona, for kinds whose worlds have no other.

    Raises:
        InputError: another persona is asked for.
    """
    own = world.manifest.persona
    if persona_id != own.id:
        raise InputError(f"no persona {persona_id!r}", hint=f"there is {own.id}")
    return own


@dataclass(frozen=True)
class WorldKind:
    """The tables, tools, rules and texts of one kind of world.

    Attributes:
        name: the name in manifests and on the command line.
        tables: the schema of its worlds.
        toolkits: its toolkits, in the order of prompts.
        shared_toolkits: names of toolkits that every task gets in addition to its domains.
        open_policy: gives the access rules of a world.
        find_persona: gives the person of a world with an id; raises `InputError` for an unknown one.
        house_rules: the conventions that an agent must know, as text of a prompt.
        open_library: gives the search indexes of a world; None if its tools do not search.
        finish: the call that ends a task.
        toolset_for: the default toolset by name of the strategy. The empty name stands for all other
            strategies; without it those get all toolkits.
        departments: the names of departments by the codes in `Persona.department`, for prompts.
        categories: names of functions (without that of their toolkit) by category; an agent can be measured
            without the functions of a category.
        stand_ins: names of the toolkits that such an agent gets in their place.
        persona_ids: gives the ids of a world's personas for completion, if there are few.
        explain_access: explains access rules, for kinds whose rules are not a document.
        check_policy: checks a policy file, for such kinds.
        live_systems: by name a function that connects to a live system, on which tools then work instead of
            the world. It takes a file that maps that system's ids to the world's, or None.
        commit: makes approved changes in the system that the world is a copy of; None without one.
        settle: returns whether the change set of an id was committed, and from then on it never will be if
            not; None if unknown.
        people: the table of the personas; empty without any.
        outside: names of the tools that make calls outside where `LIVE` is the backend.
        digest: content address of tools and settings that are a user's own; empty for the kinds of packages.
        locale: the language of answers.
        procedure: the rules for the course of every episode.
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
    commit: Callable[[ChangeSet], Any] | None = None
    settle: Callable[[str], bool] | None = None
    people: str = ""
    outside: frozenset[str] = frozenset()
    digest: str = ""
    locale: str = "en"
    procedure: tuple[ProcedureRule, ...] = ()
    table_changes: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)

    @property
    def tools(self) -> Toolset:
        """All tools, also of toolkits that are only offered by name."""
        return {tool.name: tool for toolkit in self.toolkits for tool in toolkit.tools}

    def toolset(self, toolkits: Iterable[str] | None, without: Iterable[str] = ()) -> Toolset:
        """The tools of some toolkits and the shared ones.

        Args:
            toolkits: names of toolkits; None stands for all.
            without: categories whose functions are left out; the stand-ins are then added.

        Raises:
            InputError: the toolkit or the category is unknown.
        """
        left_out = {function for category in without for function in self._functions(category)}
        added = (*self.shared_toolkits, *(self.stand_ins if left_out else ()))
        found = toolset(self.toolkits, None if toolkits is None else (*toolkits, *added))
        return {name: tool for name, tool in found.items() if name.partition(".")[2] not in left_out}

    def _functions(self, category: str) -> tuple[str, ...]:
        if category not in self.categories:
            raise unknown("no category of tools", category, self.categories, "--without-tools")
        return self.categories[category]

    @property
    def judges_answers(self) -> bool:
        """Whether answers of agents are scored, and not the world's state alone."""
        return self.finish != WITHOUT_ANSWER


WORLD_KINDS = Registry("worksmith.world_kinds", WorldKind, "world kind")
"""Entry points of this group name the `WorldKind` objects of installed packages."""


def world_kind(name: str) -> WorldKind:
    """The kind called `name`.

    Raises:
        InputError: it is unknown, or its package is broken.
    """
    return WORLD_KINDS.get(name)
