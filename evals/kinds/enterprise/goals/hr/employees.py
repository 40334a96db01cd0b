"""What the goals about employees and policies share: the subjects, and looking them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    PERSONNEL,
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Action, Entity

SENIOR = ("10", "12", "14")
"""Levels of who may change personnel records."""

HIGH = ("12", "14")
"""Levels of persons who may remove a record."""


def someone(ctx: DrawContext, *, departments: Sequence[str] = (), levels: Sequence[str] = ()) -> Record:
    """Another employee who is known by name."""
    row = ctx.rng.choice(ctx.facts.staff(departments, levels))
    if row["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return need(ctx.facts.colleague(row["emp_id"]))


def several(ctx: DrawContext, number: int) -> list[Record]:
    """Pick `number` different colleagues."""
    rows = [row for row in [attempt(someone, ctx) for _ in range(number)] if row is not None]
    if len({row["emp_id"] for row in rows}) < number:
        raise UnfitError
    return rows


def names(rows: Sequence[Record]) -> dict[str, str]:
    """The slots of several people: name, name2, name3 and so on."""
    return {f"name{place + 1 if place else ''}": row["name"] for place, row in enumerate(rows)}


def named(slots: Slots, number: int) -> list[str]:
    """The names of `number` people in the slots."""
    return [slots[f"name{place + 1 if place else ''}"] for place in range(number)]


def subject(ctx: DrawContext, levels: Sequence[str] = SENIOR) -> Record:
    """The subject of a change: often a senior of the personnel department."""
    own = ctx.rng.random() < 0.5
    return someone(ctx, departments=PERSONNEL if own else (), levels=levels if own else ())


def changing(
    ctx: DrawContext,
    slots: Slots,
    row: Record,
    *actions: Action,
    answer: Iterable[Entity] = (),
    mentions: Iterable[str] = (),
    levels: Sequence[str] = SENIOR,
) -> Draw:
    """A draw that changes a person's record.

    Args:
        levels: of who may do it; only such a person is denied it merely for being the one concerned.
    """
    protected = row["department"] in PERSONNEL and row["level"] in levels
    return ctx.draw(
        slots,
        answer=answer,
        actions=actions,
        mentions=mentions,
        about=[("employees", row)],
        subject=row["emp_id"] if protected else "",
    )


def look(plan: PlanRecorder, name: str) -> Row:
    """A person's record, by name."""
    return plan.one("employees", f"I look {name} up.", name=name)


def myself(plan: PlanRecorder) -> Row:
    """The persona's own record."""
    return plan.one("employees", "I look at my own record.", emp_id="me")


def climb(plan: PlanRecorder, row: Row) -> Row:
    """The manager of a person, through the tools."""
    return plan.one("employees", f"I look up the manager of {row['name']}.", emp_id=row["reports_to"])
