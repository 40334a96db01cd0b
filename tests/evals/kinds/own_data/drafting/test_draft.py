from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.tables import each_row
from worksmith.evals.authoring.checking.check import repeated, task_findings
from worksmith.evals.kinds.own_data.drafting.draft import draft_tasks
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.task_kind import Drafting, scorers_for
from worksmith.evals.tasks.task import Task
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.kinds.own_data.sources.nouns import singular

PEOPLE = [
    {"id": name, "department": "IT" if n % 2 else "HR"} for n, name in enumerate(("ann", "bo", "cy", "di"))
]
TICKETS = [
    {
        "ticket_id": f"T-{n}",
        "title": f"Printer {n} jams",
        "status": "closed" if n % 3 == 0 else "open",
        "department": "IT" if n % 2 else "HR",
        "priority": n % 4 + 1,
        "urgent": n % 5 == 0,
        "note": None,
    }
    for n in range(1, 31)
]
POLICY = {
    "format": "worksmith-policy/1",
    "sources": {
        "tickets": {
            "rules": [
                {"id": "own", "operations": ["read", "update", "create"], "when": {"same": "department"}}
            ]
        },
        "people": {"rules": [{"id": "all", "operations": ["read"], "when": {"always": True}}]},
    },
}


def make(folder: Path, *, policy: bool = False) -> Environment:
    env = Environment.from_tables(
        {"tickets": TICKETS, "people": PEOPLE},
        now="2026-01-05 09:00",
        personas="people",
        folder=folder / "worlds",
    )

    @env.tool(writes=False)
    def find_tickets(ctx: Context, title: str = "", status: str = "") -> list[dict[str, Any]]:
        """Find tickets."""
        equal: dict[str, Any] = {
            name: value for name, value in (("title", title), ("status", status)) if value
        }
        return ctx["tickets"].find(equal)

    @env.tool(writes=False)
    def read_ticket(ctx: Context, ticket_id: str) -> dict[str, Any]:
        """Read a ticket."""
        return ctx["tickets"].get(ticket_id)

    @env.tool
    def set_status(ctx: Context, ticket: str, status: Literal["open", "closed", "waiting"]) -> None:
        """Set the status of a ticket."""
        ctx["tickets"].update(ticket, status=status)

    @env.tool
    def open_ticket(ctx: Context, title: str, priority: int) -> None:
        """Open a ticket."""
        ctx["tickets"].insert({"title": title, "priority": priority, "department": ctx.persona.department})

    @env.tool
    def close_all(ctx: Context, status: str) -> None:
        """Close all tickets of a status."""
        for ticket in ctx["tickets"].find(status=status):
            ctx["tickets"].update(ticket["ticket_id"], status="closed")

    if policy:
        (folder / "policy.json").write_text(json.dumps(POLICY))
        env.use_policy(folder / "policy.json")
    return env


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make(tmp_path_factory.mktemp("guarded"), policy=True)


@pytest.fixture(scope="module")
def lines(guarded: Environment) -> list[dict[str, Any]]:
    return draft_tasks(guarded, Drafting(60, 3))


def test_every_draft_holds_when_it_is_executed(guarded: Environment, lines: list[dict[str, Any]]) -> None:
    tasks = read_own_tasks(guarded, lines)
    scorers = scorers_for(guarded)
    wrong = [each for task in tasks for each in task_findings(guarded, scorers, task) if each.level != "note"]
    assert not wrong
    assert not list(repeated(tasks))
    assert len(tasks) == 60


def test_there_are_questions_changes_and_denials_of_several_people(lines: list[dict[str, Any]]) -> None:
    assert {line["persona"] for line in lines} == {"ann", "bo", "cy", "di"}
    denied = [line for line in lines if line.get("answer") == {"status": "denied"}]
    assert 0 < len(denied) <= 60 / 8 + 1
    tools = {line["plan"][-1]["tool"] for line in lines}
    assert tools == {"tools.find_tickets", "tools.read_ticket", "tools.set_status", "tools.open_ticket"}
    assert any(len(line["plan"]) == 2 for line in lines)
    assert any(isinstance(line.get("answer"), bool) for line in lines)


def test_counts_are_those_of_what_the_persona_may_read(lines: list[dict[str, Any]]) -> None:
    counts = [line for line in lines if line["query"].startswith("How many")]
    assert counts
    for line in counts:
        (department,) = (each["department"] for each in PEOPLE if each["id"] == line["persona"])
        status = line["plan"][0]["arguments"]["status"]
        readable = [t for t in TICKETS if t["status"] == status and t["department"] == department]
        assert line["answer"] == len(readable)


def test_values_of_changes_are_those_that_the_tool_allows(lines: list[dict[str, Any]]) -> None:
    given = {
        s["arguments"]["status"] for line in lines for s in line["plan"] if s["tool"] == "tools.set_status"
    }
    assert given <= {"open", "closed", "waiting"}


def test_the_same_seed_gives_the_same_lines(guarded: Environment, lines: list[dict[str, Any]]) -> None:
    assert draft_tasks(guarded, Drafting(60, 3)) == lines
    assert draft_tasks(guarded, Drafting(20, 3)) == lines[:20]
    assert draft_tasks(guarded, Drafting(60, 4)) != lines


def test_without_rules_nothing_is_denied(tmp_path: Path) -> None:
    assert not [
        line
        for line in draft_tasks(make(tmp_path), Drafting(40))
        if line.get("answer") == {"status": "denied"}
    ]


def test_fewer_lines_than_asked_for_are_all_that_there_are(tmp_path: Path) -> None:
    env = Environment.from_tables({"pets": [{"id": "a", "age": 3}]}, now="2026-01-05", folder=tmp_path)

    @env.tool(writes=False)
    def read_pet(ctx: Context, pet_id: str) -> dict[str, Any]:
        """Read a pet."""
        return ctx["pets"].get(pet_id)

    (line,) = draft_tasks(env, Drafting(10))
    assert (line["query"], line["answer"], line["id"]) == ("What is the age of pet a?", 3, "d001")


def test_results_of_keys_alone_are_counted_and_people_are_named(tmp_path: Path) -> None:
    env = Environment.from_tables(
        {
            "pets": [{"id": f"p{n}", "kind": "cat" if n % 2 else "dog", "owner": None} for n in range(8)],
            "people": [{"id": n, "name": name} for n, name in enumerate(("Ann Lee", "Bo Day"))],
        },
        now="2026-01-05",
        folder=tmp_path,
    )

    @env.tool(writes=False)
    def find_pets(ctx: Context, kind: Literal["cat", "dog"]) -> dict[str, Any]:
        """Find pets."""
        return {"found": [pet["id"] for pet in ctx["pets"].find(kind=kind)]}

    @env.tool
    def give_pet(ctx: Context, pet_id: str, person: str) -> None:
        """Give a pet to a person."""
        (found,) = ctx["people"].find(name=person)
        ctx["pets"].update(pet_id, owner=found["name"])

    lines = draft_tasks(env, Drafting(8))
    answers = [line["answer"] for line in lines if "answer" in line]
    assert 4 in answers
    given = [change for line in lines for change in line.get("changes", {}).get("pets", {}).values()]
    assert {change["owner"] for change in given} == {"Ann Lee", "Bo Day"}


def test_tools_whose_arguments_name_no_column_are_told(tmp_path: Path) -> None:
    env = Environment.from_tables({"pets": [{"id": "a", "age": 3}]}, now="2026-01-05", folder=tmp_path)

    @env.tool
    def call(ctx: Context, phone: str) -> None:
        """Call somebody."""

    with pytest.raises(InputError, match="no tool has arguments that name columns"):
        draft_tasks(env, Drafting(10))


@each_row(
    ("table", "row"),
    [
        ("tickets", "ticket"),
        ("people", "person"),
        ("companies", "company"),
        ("boxes", "box"),
        ("address", "address"),
        ("order_details", "order_detail"),
        ("employeeTerritories", "employeeTerritory"),
        ("addresses", "address"),
        ("statuses", "status"),
        ("warehouses", "warehouse"),
        ("cases", "case"),
        ("NEWS", "NEWS"),
    ],
)
def test_rows_are_called_in_the_singular(table: str, row: str) -> None:
    assert singular(table) == row


def test_reworded_queries_keep_plan_and_expectation(
    guarded: Environment, lines: list[dict[str, Any]]
) -> None:
    asked: list[dict[str, str]] = []

    def reword(tasks: Sequence[Task]) -> list[Task]:
        asked.extend(task.slots for task in tasks)
        return [task.model_copy(update={"query": f"Please: {task.query}"}) for task in tasks]

    found = draft_tasks(guarded, Drafting(60, 3, reword=reword))
    assert found == [{**line, "query": f"Please: {line['query']}"} for line in lines]
    assert all(
        value in line["query"] for slots, line in zip(asked, lines, strict=True) for value in slots.values()
    )
    assert any(slots.get("ticket_id", "").startswith("T-") for slots in asked)
