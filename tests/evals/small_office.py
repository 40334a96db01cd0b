"""An office of a few records, and suites over it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from worksmith.evals.suite import Suite, write_suite
from worksmith.evals.tasks.task import Action, Task
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.kinds.office.schema import TABLES
from worksmith.tools.world import World, write_world

NOW = datetime(2023, 11, 30)

Rows = dict[str, list[tuple[str | None, ...]]]


def customer(number: str, name: str, last: str, interest: str, status: str) -> tuple[str | None, ...]:
    return (number, "bo.ross@firm.com", name, "a@b", None, last, interest, status, "2023-12-10", None)


TABLE_ROWS: Rows = {
    "calendar": [
        ("00000000", "Budget talk", "ada.lane@firm.com", "2023-12-01 09:00:00", "30"),
        ("00000001", "Plan review", "bo.ross@firm.com", "2023-12-04 11:00:00", "60"),
    ],
    "email": [("00000000", "inbox", "ada.lane@firm.com", "Budget", "2023-11-28 10:00:00", "It is late.")],
    "analytics": [
        ("2023-11-27", "0001", "3", "12", "direct", "True"),
        ("2023-11-28", "0002", "1", "4", "referral", "False"),
        ("2023-11-28", "0003", "2", "20", "direct", "True"),
    ],
    "tasks": [
        ("00000000", "Fix login", "ada.lane@firm.com", "Backlog", "2023-11-28", "Back end"),
        ("00000001", "Draw logo", "bo.ross@firm.com", "In Review", "2023-12-01", "Design"),
        ("00000002", "Draw menu", "bo.ross@firm.com", "Backlog", "2023-12-04", "Design"),
    ],
    "customers": [
        customer("00000000", "Kim Day", "2023-11-20", "Software", "Lead"),
        customer("00000001", "Lee Fox", "2023-11-18", "Training", "Won"),
    ],
    "directory": [("ada.lane@firm.com",), ("bo.ross@firm.com",), ("cy.hart@firm.com",)],
}


def world(directory: Path) -> World:
    return write_world(directory, TABLES, TABLE_ROWS, kind="office", origin="workbench", now=NOW, persona=SAM)


def env(directory: Path) -> Environment:
    return Environment(world(directory))


def suite(directory: Path, *tasks: Task) -> Suite:
    return write_suite(world(directory), tasks)


def action(tool: str, **arguments: str) -> Action:
    return Action(tool=tool, arguments=arguments)


def task(*expected: Action, number: int = 0, **changes: object) -> Task:
    fields = {
        "id": f"task-{number}",
        "query": f"Do thing {number}",
        "domains": ("calendar",),
        "expected": expected,
    }
    return Task.model_validate({**fields, **changes})
