"""Questions about records that lead to one another, answered from the truth and through the tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row
from worksmith.evals.tasks.task import Entity
from worksmith.tools.kinds.enterprise.schema import KEYS

_R = TypeVar("_R", bound=Mapping[str, str])


@dataclass(frozen=True)
class Link:
    """A step from one record to another, taken twice independently.

    Attributes:
        truth: finds the other record in the truth.
        lookup: finds it through the tools.
        source: the other record's table, for a question about its text.
    """

    truth: Callable[[DrawContext, Record], Record]
    lookup: Callable[[PlanRecorder, Row], Row]
    source: str = ""


@dataclass(frozen=True)
class Path:
    """Links to follow from the record that a text names."""

    links: tuple[Link, ...] = ()

    def to(self, *links: Link) -> Path:
        """Go on by these links."""
        return Path((*self.links, *links))

    def column(self, name: str) -> Ask:
        """Ask for the value of a column."""
        kind = entities.kind_of(name)
        return Ask(
            self,
            lambda _, row: entities.of_column(row, name),
            lambda _, row: row[name][:10] if kind == "date" else row[name],
        )

    def count(self, source: str, why: str, column: str, argument: str = "", **cells: str) -> Ask:
        """Ask how many records of a source have the same value in a column; there must be some.

        Args:
            argument: of the reading tool for that column, if it has another name.
            cells: further conditions on the records.
        """

        def truth(ctx: DrawContext, row: Record) -> Entity:
            rows = ctx.facts.where(source, **{column: row[column]}, **cells)
            if not 0 < len(rows) <= MOST_READ:
                raise UnfitError
            return entities.number(len(rows))

        def value(plan: PlanRecorder, row: Row) -> str:
            return str(plan.every(source, why, **{argument or column: row[column]}, **cells).total)

        return Ask(self, truth, value)

    def fact(self, source: str, name: str, kind: Callable[[str], Entity]) -> Ask:
        """Ask for a fact that a record's text states."""
        return Ask(self, _fact(source, name, kind), lambda plan, row: plan.fact(row, name))

    def understood(self, source: str, name: str, kind: Callable[[str], Entity]) -> Ask:
        """Ask for a fact that a record's text states in other words."""
        return Ask(self, _fact(source, name, kind), lambda plan, row: plan.understood(row, name))


@dataclass(frozen=True)
class Ask:
    """A value of the answer: where its record is, the value in the truth, the value that tools show."""

    path: Path
    truth: Callable[[DrawContext, Record], Entity]
    value: Callable[[PlanRecorder, Row], str]


class Found(NamedTuple):
    """A record, the words that lead to it, and other records that the text is about."""

    row: Record
    slots: Mapping[str, str]
    about: Sequence[tuple[str, Record]] = ()


@dataclass(frozen=True)
class Start:
    """The record where paths begin.

    Attributes:
        source: the record's table; empty if the text is not about this record, but about others.
        draw: draws such a record.
        find: finds it through the tools.
    """

    source: str
    draw: Callable[[DrawContext], Found]
    find: Callable[[PlanRecorder, Slots], Row]


class Question:
    """Several values to be found along paths from one record.

    Args:
        asks: the values, in the order in which the plan looks for them.
        apart: pairs of paths that must end at different records.
    """

    def __init__(self, start: Start, *asks: Ask, apart: Sequence[tuple[Path, Path]] = ()) -> None:
        self._start = start
        self._asks = asks
        self._apart = apart

    def draw(self, ctx: DrawContext) -> Draw:
        """Work the answer out from the truth."""
        row, slots, about = self._start.draw(ctx)
        reach = _walk(row, lambda link, record: link.truth(ctx, record))
        answer = [ask.truth(ctx, reach(ask.path)) for ask in self._asks]
        if any(reach(first) is reach(second) for first, second in self._apart):
            raise UnfitError
        own = [(self._start.source, row)] if self._start.source else []
        return ctx.draw(slots, answer=answer, about=[*about, *own])

    def solve(self, slots: Slots, plan: PlanRecorder) -> Values:
        """Find the answer through the tools."""
        reach = _walk(self._start.find(plan, slots), lambda link, record: link.lookup(plan, record))
        return tuple(ask.value(plan, reach(ask.path)) for ask in self._asks)


def _walk(start: _R, follow: Callable[[Link, _R], _R]) -> Callable[[Path], _R]:
    """Follow paths from a record; links that paths share are followed once."""
    reached: dict[tuple[Link, ...], _R] = {(): start}

    def reach(path: Path) -> _R:
        for place, link in enumerate(path.links):
            walked = path.links[: place + 1]
            if walked not in reached:
                reached[walked] = follow(link, reached[walked[:-1]])
        return reached[path.links]

    return reach


HERE = Path()
MANAGER = Link(
    lambda ctx, row: ctx.above(row),
    lambda plan, row: plan.one(
        "employees", f"Now the person whom {row['name']} reports to.", emp_id=row["reports_to"]
    ),
)


def _fact(source: str, name: str, kind: Callable[[str], Entity]) -> Callable[[DrawContext, Record], Entity]:
    return lambda ctx, row: kind(need(ctx.facts.fact(source, row[KEYS[source]], name)))
