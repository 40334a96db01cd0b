"""Goals: kinds of enterprise tasks with their wording, draw and solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import Any, Literal, NamedTuple, Protocol, Required, TypedDict, Unpack

from evals.kinds.enterprise.facts import Facts, Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.tasks.task import Split
from tools.files.data_files import read_toml

Slots = Mapping[str, str]
Values = tuple[str, ...]
Solve = Callable[[Slots, PlanRecorder], Values]
DrawFunction = Callable[[DrawContext], Draw]
Who = Callable[[Facts, Record], bool]
GoalType = Literal["search", "crud"]

REGISTERS = 3
"""Casual, brisk, formal."""

_FEWEST: dict[Split, int] = {"test": REGISTERS, "train": 2, "dev": 1}


@dataclass(frozen=True)
class Wording:
    """How a goal is said.

    Attributes:
        phrasings: by split.
        says: the answer in a sentence.
        empty: the sentence for an answer that there is nothing.
    """

    phrasings: Mapping[Split, tuple[str, ...]]
    says: str = ""
    empty: str = ""

    @cached_property
    def slots(self) -> frozenset[str]:
        """The slots of which each phrasing uses some."""
        return frozenset(
            name
            for phrasings in self.phrasings.values()
            for phrasing in phrasings
            for _, name, _, _ in Formatter().parse(phrasing)
            if name is not None
        )


@dataclass(frozen=True)
class Goal:
    """One kind of task.

    Attributes:
        id: `area.name` in lower case, the beginning of its tasks' ids.
        steps: how many calls its gold plan has.
        departments: where its personas work; anywhere, if empty.
        levels: of its personas; any, if empty.
        needs: (operation, source) pairs that a persona must in principle be allowed.
        who: whether an employee could ask this at all; everybody could, if None.
        empty: whether it may be drawn with nothing to be found.
        denials: the reasons for which somebody else may be denied.
    """

    id: str
    area: str
    subarea: str
    steps: int
    draw: DrawFunction
    solve: Solve
    wording: Wording
    type: GoalType = "search"
    departments: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    who: Who | None = None
    empty: bool = False
    denials: tuple[str, ...] = ()


class Solvable(Protocol):
    """Anything with a draw and a solution."""

    @property
    def draw(self) -> DrawFunction:
        """Draw a task."""
        ...

    @property
    def solve(self) -> Solve:
        """Solve it through the tools."""
        ...


class Logic(NamedTuple):
    """A draw and a solution that were written apart."""

    draw: DrawFunction
    solve: Solve


class GoalOptions(TypedDict, total=False):
    """The attributes of a goal beside its name, wording and logic; see `Goal`."""

    steps: Required[int]
    type: GoalType
    departments: tuple[str, ...]
    levels: tuple[str, ...]
    needs: tuple[tuple[str, str], ...]
    who: Who
    empty: bool
    denials: tuple[str, ...]


@dataclass
class GoalGroup:
    """The goals of one module with their wording.

    Attributes:
        area: the field of work.
        file: the data file with the wording.
        departments: where the personas of the area work.
        goals: the goals that the module declares, by `goal` and `add`.
    """

    area: str
    file: str
    departments: tuple[str, ...] = ()
    goals: list[Goal] = field(default_factory=list)

    @cached_property
    def wordings(self) -> dict[str, Wording]:
        """The wording of each goal in the file."""
        return read_wordings(self.file)

    @property
    def in_order(self) -> list[Goal]:
        """The goals in the order of the data file."""
        names = [f"{self.area.lower()}.{name}" for name in self.wordings]
        return sorted(self.goals, key=lambda goal: names.index(goal.id))

    def goal(
        self, subarea: str, *, draw: DrawFunction, **options: Unpack[GoalOptions]
    ) -> Callable[[Solve], Solve]:
        """Make the decorated `solve` a goal of this group, called as the function."""

        def add(solve: Solve) -> Solve:
            self.add(solve.__name__, subarea, Logic(draw, solve), **options)
            return solve

        return add

    def add(self, name: str, subarea: str, logic: Solvable, **options: Unpack[GoalOptions]) -> None:
        """Make a draw and a solution a goal of this group."""
        options.setdefault("departments", self.departments)
        goal = Goal(
            id=f"{self.area.lower()}.{name}",
            area=self.area,
            subarea=subarea,
            draw=logic.draw,
            solve=logic.solve,
            wording=self.wordings[name],
            **options,
        )
        self.goals.append(goal)


def read_wordings(file: str) -> dict[str, Wording]:
    """The wordings in one data file of this package.

    Raises:
        ValueError: too few phrasings, or the same in two splits; a mistake in this package, not in input.
    """
    tables: dict[str, dict[str, Any]] = read_toml(__package__, file)
    return {name: _wording(f"{file}: {name}", table) for name, table in tables.items()}


def _wording(where: str, table: Mapping[str, Any]) -> Wording:
    phrasings: dict[Split, tuple[str, ...]] = {split: tuple(table[split]) for split in _FEWEST}
    for split, fewest in _FEWEST.items():
        if len(phrasings[split]) < fewest:
            raise ValueError(f"{where} has fewer than {fewest} phrasings for {split}")
    every = [phrasing for split in phrasings.values() for phrasing in split]
    if len(set(every)) < len(every):
        raise ValueError(f"{where} has a phrasing twice")
    return Wording(phrasings, table.get("says", ""), table.get("empty", ""))
