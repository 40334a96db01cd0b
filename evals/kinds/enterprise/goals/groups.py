"""Groups of goals, each with a data file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from worksmith.evals.kinds.enterprise.goals.goal import (
    REGISTERS,
    DrawFunction,
    Goal,
    Logic,
    Solvable,
    Solve,
    Who,
    Wording,
)
from worksmith.evals.kinds.enterprise.goals.paths import Ask, Link
from worksmith.evals.kinds.enterprise.goals.questions import Drawer, Questions
from worksmith.evals.kinds.enterprise.goals.steps import Finder, Steps
from worksmith.evals.tasks.task import Split
from worksmith.tools.files.data_files import read_toml

_HEAD = ("acts", "says", "starts", "links", "counts")
_FEWEST: dict[Split, int] = {"test": REGISTERS, "train": 2, "dev": 1}


class GoalGroup:
    """The goals of one module.

    A data file has their wording and all attributes except functions, by name. At its head are the
    `subarea` of goals without their own, and the `areas` with the departments of their personas;
    a goal is in each of these areas. Goals with a `plan` or with `asks` are there as a whole, see `Steps` and
    `Questions`; `who` names who could ask them.

    Args:
        file: the data file.
        draws, finds, who: functions that goals of the file name, by their own names.
        links, asks: see `Questions`.

    Attributes:
        questions: of the file.
    """

    def __init__(
        self,
        file: str,
        draws: Iterable[Drawer] = (),
        finds: Iterable[Finder] = (),
        who: Iterable[Who] = (),
        *,
        links: Mapping[str, Link] | None = None,
        asks: Mapping[str, Ask] | None = None,
    ) -> None:
        data = read_toml(__package__, file)
        head = {name: data.pop(name, {}) for name in _HEAD}
        self._areas, self._entries = read_entries(file, data)
        drawers, finders, askers = _by_name(draws), _by_name(finds), _by_name(who)
        self.questions = Questions(head, drawers, finders, links or {}, asks or {})
        self._logics: dict[str, tuple[Solvable, Who | None]] = {}
        for name, goal in data.items():
            asker = askers[goal["who"]] if "who" in goal else None
            if "plan" in goal:
                self.add(asker, **{name: Steps(goal, head, drawers, finders)})
            elif "asks" in goal:
                self.add(asker, **{name: self.questions.of(goal)})
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

    def logic(self, name: str) -> Solvable:
        """The draw and the solution of a goal."""
        return self._logics[name][0]

    def read_also(self, name: str, *readings: Solve) -> None:
        """Declare other ways to understand the text of a goal, see `Goal.readings`."""
        self._readings[name] = readings


def read_entries(file: str, data: dict[str, Any]) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    """The areas with their departments, taken out of the data of a file, and the attributes of its goals.

    Raises:
        ValueError: too few phrasings, or the same in two splits; a mistake in this package, not in input.
    """
    areas, subarea = data.pop("areas"), data.pop("subarea")
    return areas, {name: _attributes(f"{file}: {name}", subarea, table) for name, table in data.items()}


def _by_name(functions: Iterable[Callable[..., Any]]) -> dict[Any, Any]:
    return {function.__name__.removeprefix("_"): function for function in functions}


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
