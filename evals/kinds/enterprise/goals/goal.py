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

Slots = Mapping[str, str]
Values = tuple[str, ...]
Solve = Callable[[Slots, PlanRecorder], Values]
DrawFunction = Callable[[DrawContext], Draw]
Who = Callable[[Facts, Record], bool]
GoalType = Literal["search", "crud"]

REGISTERS = 3
"""Casual, brisk, formal."""


@dataclass(frozen=True)
class Wording:
    """The wording of a goal.

    Attributes:
        phrasings: by split.
        says: the answer in a sentence.
        empty: the sentence for an empty answer.
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
        denials: the reasons to deny another persona.
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
