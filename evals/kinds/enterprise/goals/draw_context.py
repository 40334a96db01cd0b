"""The input and the result of a goal's draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import ParamSpec, TypeVar

from worksmith.evals.kinds.enterprise.facts import Facts, Record, ref
from worksmith.evals.tasks.task import Action, Entity, HiddenTests
from worksmith.tools.errors import WorksmithError

PERSONNEL = ("HR",)
"""The departments that change personnel records."""

_T = TypeVar("_T")
_P = ParamSpec("_P")


class UnfitError(WorksmithError):
    """The draw or the plan does not come out as the goal intends; another draw must be made."""

    def __init__(self, message: str = "an unlucky draw") -> None:
        super().__init__(message)


def need(value: _T | None) -> _T:
    """Return a value that a task cannot do without.

    Raises:
        UnfitError: it is None.
    """
    if value is None:
        raise UnfitError
    return value


def attempt(draw: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
    """Call a function that may raise `UnfitError`; return None if it does."""
    try:
        return draw(*args, **kwargs)
    except UnfitError:
        return None


_MOST_LISTED = 8
_PICKS = 4
"""How often a record is picked before a draw is given up."""


@dataclass(frozen=True)
class Draw:
    """The parameters of one task and their facts.

    Attributes:
        slots: the words of its text.
        answer: the values asked for.
        nothing: whether the true answer is empty.
        actions: the changes asked for.
        mentions: what free text in the changes must contain.
        about: the records that the task is about, `source/key`; no other split gets them.
        subject: the employee acted upon, if any.
        hidden_tests: of the code that the changes write.
    """

    slots: Mapping[str, str]
    answer: tuple[Entity, ...] = ()
    nothing: bool = False
    actions: tuple[Action, ...] = ()
    mentions: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    subject: str = ""
    hidden_tests: HiddenTests | None = None

    def adding(
        self, *actions: Action, slots: Mapping[str, str] | None = None, mentions: Iterable[str] = ()
    ) -> Draw:
        """Return the same draw with more changes, words, and things to mention."""
        return replace(
            self,
            slots={**self.slots, **(slots or {})},
            actions=(*self.actions, *actions),
            mentions=(*self.mentions, *mentions),
        )


@dataclass(frozen=True)
class DrawContext:
    """Where and for whom a task is drawn.

    Attributes:
        facts: the facts of the world.
        rng: the only source of chance.
        me: the persona's own record.
        empty: whether the answer must be empty.
        free: whether a record (`source/key`) may be used in this split.
        drawn, words: the records by source and the slots that earlier parts of the draw have given.
    """

    facts: Facts
    rng: Random
    me: Record
    empty: bool
    free: Callable[[str], bool]
    drawn: Mapping[str, Record] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def pick(self, source: str, rows: Sequence[Record] | None = None) -> Record:
        """Pick a record of a source, or one of these rows, that no other split has.

        Raises:
            UnfitError: there is none, or the draws found none.
        """
        rows = self.facts.all(source) if rows is None else rows
        for _ in range(_PICKS if rows else 0):
            row = self.rng.choice(rows)
            if self.free(ref(source, row)):
                return row
        raise UnfitError

    def pick_two(self, source: str, rows: Sequence[Record] | None = None) -> tuple[Record, Record]:
        """Pick two different records."""
        first, second = attempt(self.pick, source, rows), attempt(self.pick, source, rows)
        if first is second:
            raise UnfitError
        return need(first), need(second)

    def colleague(self) -> Record:
        """Pick another employee who is known by name."""
        row = self.other(self.rng.choice(self.facts.active))
        return need(self.facts.colleague(row["emp_id"]))

    def other(self, person: Record | None) -> Record:
        """Return an employee who is not the persona.

        Raises:
            UnfitError: it is the persona, or nobody.
        """
        found = need(person)
        if found["emp_id"] == self.me["emp_id"]:
            raise UnfitError
        return found

    def above(self, row: Record, levels: int = 1) -> Record:
        """Climb from an employee `levels` levels up.

        Raises:
            UnfitError: somebody on the way has left, or shares a name with others.
        """
        for _ in range(levels):
            row = need(self.facts.manager(row["emp_id"]))
        return row

    def listing(
        self,
        slots: Mapping[str, str],
        rows: Sequence[Record],
        column: str,
        about: Iterable[tuple[str, Record]],
    ) -> Draw:
        """Put a draw together whose answer is the ids of some rows, or an empty one.

        Raises:
            UnfitError: there are too many, or the draw is not to have this answer.
        """
        if len(rows) > _MOST_LISTED:
            raise UnfitError
        answer = [Entity(type=column, value=row[column]) for row in rows]
        return self.draw(slots, answer=answer, nothing=not rows, about=about)

    def draw(
        self,
        slots: Mapping[str, str],
        *,
        answer: Iterable[Entity] = (),
        nothing: bool = False,
        actions: Iterable[Action] = (),
        mentions: Iterable[str] = (),
        about: Iterable[tuple[str, Record]] = (),
        subject: str = "",
        hidden_tests: HiddenTests | None = None,
    ) -> Draw:
        """Put a draw together.

        Raises:
            UnfitError: something is to be found where nothing should be, or the other way round.
        """
        if nothing != self.empty:
            raise UnfitError
        return Draw(
            slots=slots,
            answer=tuple(answer),
            nothing=nothing,
            actions=tuple(actions),
            mentions=tuple(mentions),
            about=tuple(ref(source, row) for source, row in about),
            subject=subject,
            hidden_tests=hidden_tests,
        )


def action(tool: str, **arguments: str) -> Action:
    return Action(tool=tool, arguments=arguments)


def only(rows: Sequence[Record]) -> Record:
    """Return the one record of a list.

    Raises:
        UnfitError: there are none or several.
    """
    if len(rows) != 1:
        raise UnfitError
    return rows[0]


def in_year(rows: Iterable[Record], column: str, wanted: str) -> list[Record]:
    return [row for row in rows if row[column].startswith(wanted)]


def span(wanted: str) -> dict[str, str]:
    """The arguments of a call for one year."""
    return {"date_from": f"{wanted}-01-01", "date_to": f"{wanted}-12-31"}


def latest(rows: Iterable[Record], column: str) -> Record:
    """The row with the last day, if no other has the same."""
    order = sorted(rows, key=lambda row: row[column], reverse=True)
    if not order or (len(order) > 1 and order[0][column] == order[1][column]):
        raise UnfitError
    return order[0]


def clear_best(scores: Mapping[str, float]) -> str:
    """The key with the highest score if it leads the next by at least a tenth."""
    order = sorted(scores, key=lambda key: scores[key], reverse=True)
    if len(order) < 2:
        raise UnfitError
    best, second = scores[order[0]], scores[order[1]]
    if not abs(best - second) >= 0.1 * max(abs(best), abs(second)):
        raise UnfitError
    return order[0]
