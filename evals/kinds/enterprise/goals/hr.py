"""What the goals about employees and policies share: who is asked about, and looking them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.goal import Slots, Values
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script
from evals.tasks.task import Action, Entity

PERSONNEL = ("HR",)
SENIOR = ("10", "12", "14")
"""Levels of who may change personnel records."""

HIGH = ("12", "14")
"""Levels of who may take somebody off the records."""

DIRECTORY = "employee DB"
POLICIES = "policies"


def someone(scene: Scene, *, departments: Sequence[str] = (), levels: Sequence[str] = ()) -> Record | None:
    """Somebody else who works here and is known by name."""
    row = scene.rng.choice(scene.facts.staff(departments, levels))
    return scene.facts.colleague(row["emp_id"]) if row["emp_id"] != scene.me["emp_id"] else None


def three(scene: Scene) -> list[Record]:
    """Three different colleagues; none if unlucky."""
    rows = [row for row in (someone(scene) for _ in range(3)) if row is not None]
    return rows if len({row["emp_id"] for row in rows}) == 3 else []


def subject(scene: Scene, levels: Sequence[str] = SENIOR) -> Record | None:
    """Somebody whose record is to be changed: often of the personnel department's own seniors."""
    own = scene.rng.random() < 0.5
    return someone(scene, departments=PERSONNEL if own else (), levels=levels if own else ())


def changing(
    scene: Scene,
    slots: Slots,
    row: Record,
    *actions: Action,
    answer: Iterable[Entity] = (),
    mentions: Iterable[str] = (),
    levels: Sequence[str] = SENIOR,
) -> Draw | None:
    """A draw that changes somebody's record.

    Args:
        levels: of who may do it; only such a person is denied it merely for being the one concerned.
    """
    protected = row["department"] in PERSONNEL and row["level"] in levels
    return scene.draw(
        slots,
        answer=answer,
        actions=actions,
        mentions=mentions,
        about=[("employees", row)],
        subject=row["emp_id"] if protected else "",
    )


def above(scene: Scene, row: Record, steps: int) -> list[Record]:
    """Who is above somebody, so many levels up; none if there are fewer, or one of them has left."""
    chain: list[Record] = []
    for _ in range(steps):
        row_above = scene.facts.manager(row["emp_id"])
        if row_above is None:
            return []
        chain.append(row_above)
        row = row_above
    return chain


def look(call: Script, name: str) -> Row:
    """Somebody's record, by name."""
    return call.one("employees", f"I look {name} up.", name=name)


def myself(call: Script) -> Row:
    """The persona's own record."""
    return call.one("employees", "I look at my own record.", emp_id="me")


def climb(call: Script, row: Row, steps: int = 1) -> Row:
    """Whoever is so many levels above."""
    for _ in range(steps):
        row = call.one("employees", f"I look up the manager of {row['name']}.", emp_id=row["reports_to"])
    return row


def do(call: Script, why: str, change: Action) -> Values:
    """Carry a change out; nothing is asked besides."""
    call.write(change.tool, why, **change.arguments)
    return ()
