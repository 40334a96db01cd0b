"""Offices in which some tables are made by hand, so that a test decides what is there."""

from __future__ import annotations

from pathlib import Path

from worksmith.evals.kinds.office.generate import execute, solve
from worksmith.evals.kinds.office.intents.registry import intent
from worksmith.evals.kinds.office.records import Records
from worksmith.evals.tasks.task import Action
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.world import write_world
from worksmith.tools.world_kind import world_kind

Row = tuple[str | None, ...]


class Office:
    """An office of Ada, Bea, Cem and Dov with the given tables, the rest generated.

    Today is Thursday, 2024-10-17.
    """

    def __init__(self, place: Path, /, **tables: list[Row]) -> None:
        world = write_world(
            place,
            world_kind("office").tables,
            {**build(0, 0.1, DEFAULT_NOW), "directory": DIRECTORY, **tables},
            kind="office",
            origin="generated",
            now=DEFAULT_NOW,
            persona=SAM,
        )
        self.records = Records.of(world)
        self.env = Environment(world, sandboxes=1)

    def answer(self, code: str, **slots: str) -> list[Action]:
        """The answer to a task, once it is sure that the gold plan does the same."""
        one = intent(code)
        actions = one.answer(self.records, slots)
        _, outcome = solve(one, slots, one.title, self.env)
        assert outcome.matches(execute(actions, self.env))
        return actions


DIRECTORY: list[Row] = [
    (f"{name}@office.example",) for name in ("ada.one", "bea.two", "cem.three", "dov.four")
]
ADA, BEA, CEM, DOV = (str(address) for (address,) in DIRECTORY)


def mail(number: int, sender: str, sent: str, subject: str = "News", body: str = "Hello Sam") -> Row:
    """A received mail."""
    return (f"{number:08}", "inbox", sender, subject, sent, body)


def event(number: int, participant: str, start: str, minutes: int = 60, name: str = "Talk") -> Row:
    """An event."""
    return (f"{number:08}", name, participant, start, str(minutes))


def task(number: int, assignee: str, list_name: str, due: str, board: str = "Front end") -> Row:
    """A project task."""
    return (f"{number:08}", f"Task {number}", assignee, list_name, due, board)


def customer(number: int, assignee: str, contact: str, status: str = "Lead", name: str = "") -> Row:
    """A customer."""
    called = name or f"Customer {number}"
    return (f"{number:08}", assignee, called, "c@c", None, contact, "Software", status, "2024-12-01", None)


def visits(**counts: int) -> list[Row]:
    """So many visits on each day, e.g. `oct16=3`."""
    return [
        (f"2024-10-{day.removeprefix('oct')}", f"{number:04}", "2", "20", "direct", "True")
        for day, count in counts.items()
        for number in range(count)
    ]


def ids(actions: list[Action]) -> list[str]:
    """The first argument of each call: for what changes a record, its id."""
    return [next(iter(action.arguments.values())) for action in actions]
