"""Goals: kinds of enterprise tasks with their wording, draw and solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from string import Formatter
from typing import Any, Literal, NamedTuple, Protocol

from worksmith.evals.kinds.enterprise.facts import Facts, Record
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.tasks.task import Split
from worksmith.tools.files.data_files import read_toml

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
        own: phrasings for a persona who asks it of their own record.
    """

    phrasings: Mapping[Split, tuple[str, ...]]
    says: str = ""
    empty: str = ""
    own: Mapping[Split, tuple[str, ...]] = field(default_factory=dict)

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
        denials: the reasons for which somebody else may be denied.
        uses: reading tools of its plan that few other goals use.
        readings: other ways to understand the text. Each finds the same as `solve`, or nothing, or the draw
            is not asked.
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
    denials: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    readings: tuple[Solve, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it may be drawn with nothing to be found."""
        return bool(self.wording.empty)


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

    @classmethod
    def given(cls, draw: Callable[..., Draw], solve: Callable[..., Values], **parameters: Any) -> Logic:
        """A draw and a solution with further parameters."""
        return cls(partial(draw, **parameters), partial(solve, **parameters))


class GoalGroup:
    """The goals of one module.

    A data file has their wording and all attributes that are no functions, by name. At its head are the
    `subarea` of goals that have none of their own, and the `areas` with the departments of their personas;
    a goal is in each of these areas.

    Args:
        file: the data file.
    """

    def __init__(self, file: str) -> None:
        self._areas, self._entries = read_entries(file)
        self._logics: dict[str, tuple[Solvable, Who | None]] = {}
        self._readings: dict[str, tuple[Solve, ...]] = {}

    @property
    def in_order(self) -> list[Goal]:
        """The goals by area, in each in the order of the data file."""
        return [
            Goal(
                id=f"{area.lower()}.{name}",
                area=area,
                draw=self._logics[name][0].draw,
                solve=self._logics[name][0].solve,
                who=self._logics[name][1],
                readings=self._readings.get(name, ()),
                **{"departments": tuple(departments), **self._entries[name]},
            )
            for area, departments in self._areas.items()
            for name in sorted(self._logics, key=[*self._entries].index)
        ]

    def goal(self, draw: DrawFunction, who: Who | None = None) -> Callable[[Solve], Solve]:
        """Make the decorated `solve` a goal of this group, called as the function."""

        def add(solve: Solve) -> Solve:
            self.add(who, **{solve.__name__: Logic(draw, solve)})
            return solve

        return add

    def add(self, who: Who | None = None, /, **logics: Solvable) -> None:
        """Make draws and solutions goals of this group, by name."""
        self._logics |= {name: (logic, who) for name, logic in logics.items()}

    def read_also(self, name: str, *readings: Solve) -> None:
        """Declare other ways to understand the text of a goal, see `Goal.readings`."""
        self._readings[name] = readings


def read_entries(file: str) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    """The areas with their departments in one data file of this package, and the attributes of its goals.

    Raises:
        ValueError: too few phrasings, or the same in two splits; a mistake in this package, not in input.
    """
    data = read_toml(__package__, file)
    areas, subarea = data.pop("areas"), data.pop("subarea")
    return areas, {name: _attributes(f"{file}: {name}", subarea, table) for name, table in data.items()}


def _attributes(where: str, subarea: str, table: Mapping[str, Any]) -> dict[str, Any]:
    lists = {
        name: tuple(table[name]) for name in ("departments", "levels", "denials", "uses") if name in table
    }
    return {
        "subarea": table.get("subarea", subarea),
        "steps": table["steps"],
        "type": table.get("type", "search"),
        "needs": tuple((operation, source) for operation, source in table.get("needs", ())),
        "wording": _wording(where, table),
        **lists,
    }


def _wording(where: str, table: Mapping[str, Any]) -> Wording:
    phrasings: dict[Split, tuple[str, ...]] = {split: tuple(table[split]) for split in _FEWEST}
    for split, fewest in _FEWEST.items():
        if len(phrasings[split]) < fewest:
            raise ValueError(f"{where} has fewer than {fewest} phrasings for {split}")
    own: dict[Split, tuple[str, ...]] = {split: tuple(said) for split, said in table.get("own", {}).items()}
    every = [phrasing for said in (phrasings, own) for split in said.values() for phrasing in split]
    if len(set(every)) < len(every):
        raise ValueError(f"{where} has a phrasing twice")
    return Wording(phrasings, table.get("says", ""), table.get("empty", ""), own)
