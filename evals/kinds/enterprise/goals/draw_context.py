"""What a goal's draw is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from evals.kinds.enterprise.facts import Facts, Record, ref
from evals.tasks.task import Action, Entity


@dataclass(frozen=True)
class Draw:
    """The parameters of one task and what is true of them.

    Attributes:
        slots: the words of its text.
        answer: the values asked for.
        nothing: whether the honest answer is that there is nothing.
        actions: the changes asked for.
        mentions: what free text in the changes must contain.
        about: the records that the task is about, `source/key`; no other split gets them.
        subject: the employee acted upon, if any.
    """

    slots: Mapping[str, str]
    answer: tuple[Entity, ...] = ()
    nothing: bool = False
    actions: tuple[Action, ...] = ()
    mentions: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True)
class DrawContext:
    """Where and for whom a task is drawn.

    Attributes:
        facts: what is true in the world.
        rng: the only source of chance.
        me: the persona's own record.
        empty: whether the task is to have the answer that there is nothing.
        free: whether a record (`source/key`) may be used in this split.
    """

    facts: Facts
    rng: Random
    me: Record
    empty: bool
    free: Callable[[str], bool]

    def pick(self, source: str, rows: Sequence[Record] | None = None) -> Record | None:
        """A record of the source (one of these rows, if given) that no other split has; None if unlucky."""
        rows = self.facts.all(source) if rows is None else rows
        if not rows:
            return None
        for _ in range(4):
            row = self.rng.choice(rows)
            if self.free(ref(source, row)):
                return row
        return None

    def pick_two(self, source: str, rows: Sequence[Record] | None = None) -> tuple[Record, Record] | None:
        """Two different ones."""
        first, second = self.pick(source, rows), self.pick(source, rows)
        return (first, second) if first and second and first is not second else None

    def colleague(self) -> Record | None:
        """Anybody else who works here and is known by name."""
        row = self.rng.choice(self.facts.active)
        return self.facts.colleague(row["emp_id"]) if row["emp_id"] != self.me["emp_id"] else None

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
    ) -> Draw | None:
        """A draw; None where it is not of the kind wanted: with nothing to be found, or with something."""
        if nothing != self.empty:
            return None
        return Draw(
            slots=slots,
            answer=tuple(answer),
            nothing=nothing,
            actions=tuple(actions),
            mentions=tuple(mentions),
            about=tuple(ref(source, row) for source, row in about),
            subject=subject,
        )


def action(tool: str, **arguments: str) -> Action:
    """A call that changes something."""
    return Action(tool=tool, arguments=arguments)
