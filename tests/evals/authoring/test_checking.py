"""Checks of tasks over a help desk, some of which contradict themselves or the desk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals import help_desk
from tests.evals.kinds.own_data.desk import CLOSE, env, task
from tests.tables import each_row
from worksmith.evals.authoring.checking.check import repeated, task_findings
from worksmith.evals.authoring.checking.reach import mentions
from worksmith.evals.kinds.own_data.reading import read_own_tasks
from worksmith.evals.kinds.own_data.scorer import OwnScorer
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment as OwnEnvironment

READ = {"tool": "read", "arguments": {"ticket_id": "1002"}}
SALARY = {"tool": "salary", "arguments": {"emp_id": "emp_0002"}}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return env(tmp_path_factory.mktemp("desk"))


def found(desk: Environment, **fields: Any) -> list[tuple[str, str, str]]:
    return [(each.level, each.part, each.said) for each in _findings(desk, task(desk, **fields))]


def _findings(desk: Environment, checked: Any) -> Any:
    return task_findings(desk, [OwnScorer(desk)], checked)


@each_row(
    "fields",
    [
        {"answer": "resolved", "plan": [READ]},
        {"plan": [CLOSE]},
        {"plan": [CLOSE], "changes": {"tickets": {"1001": {"status": "resolved"}}}},
        {"calls": [CLOSE]},
        {"changes": {"tickets": {"1001": {"status": "resolved"}}}},
        {"answer": {"status": "denied"}, "plan": [SALARY]},
        {"answer": {"status": "not_found"}, "plan": [{"tool": "read", "arguments": {"query": "coffee"}}]},
        {"answer": {"pattern": "^res"}, "reference": "resolved", "plan": [READ]},
        {"answer": {"number": 3}, "metric": lambda example, prediction: prediction.answer == "3"},
        {"judge": "It is polite."},
        {"plan": []},
        {"plan": [], "changes": {}},
        {"plan": [], "answer": {"status": "denied"}},
    ],
)
def test_right_tasks_have_no_findings(desk: Environment, fields: dict[str, Any]) -> None:
    assert found(desk, **fields) == []


def closing(**arguments: str) -> dict[str, Any]:
    return {**CLOSE, "arguments": arguments}


def changed(key: str, status: str, **more: Any) -> dict[str, Any]:
    return {"changes": {"tickets": {key: {"status": status}}}, **more}


OTHER_TABLE = "no writing tool on offer has to do with the table tickets"


@each_row(
    ("fields", "found_at", "said"),
    [
        ({"plan": [{"tool": "read", "arguments": {"ticket": "1"}}]}, "wrong plan.0", "bad arguments"),
        ({"plan": [closing(ticket_id="7", status="x")]}, "wrong plan.0", "No such ticket"),
        ({"plan": [SALARY], "answer": "1"}, "wrong plan.0", "Salaries are for HR"),
        ({"plan": [READ], "toolkits": ["mail"], "answer": "1"}, "wrong plan.0", "not a valid tool"),
        ({"plan": [READ], "answer": {"status": "denied"}}, "wrong plan", "no step is denied"),
        (changed("1001", "closed", plan=[CLOSE]), "wrong plan", "status resolved instead of closed"),
        (changed("1003", "resolved", plan=[CLOSE]), "wrong plan", "missing: update in tickets"),
        (
            changed("1001", "x", plan=[{**READ, "tool": "salary"}, CLOSE]),
            "wrong plan",
            "status resolved instead of x",
        ),
        (changed("1001", "x", plan=[]), "wrong plan", "missing: update in tickets, 1001"),
        ({"plan": [READ], "answer": "gone"}, "wrong plan", "no step shows 'gone'"),
        ({"plan": [READ], "answer": {"number": 7}}, "note plan", "no step shows '7'"),
        ({"plan": [READ], "answer": {"pattern": "^res"}}, "wrong plan", "give `reference`"),
        (
            {"plan": [READ], "answer": {"pattern": "^res"}, "reference": "gone"},
            "wrong plan",
            "matches '^res'",
        ),
        ({"calls": [closing(ticket_id="1002", status="x")]}, "wrong calls.0", "TIC-U1"),
        (changed("1001", "open"), "wrong changes", "change nothing"),
        ({"changes": {}}, "wrong ", "doing nothing fulfils it"),
        ({"metric": lambda _e, _p: True}, "wrong ", "doing nothing fulfils it"),
        ({"metric": lambda _e, _p: 1 / 0}, "wrong ", "division by zero"),
        ({"plan": [READ]}, "note ", "doing nothing fulfils it"),
        ({"query": "Is it open or resolved?", "answer": "open"}, "note answer", "stands in the query"),
        (changed("1001", "x", toolkits=["mail"]), "unsolvable changes.tickets", OTHER_TABLE),
        (
            changed("1001", "x", toolkits=["staff"]),
            "unsolvable changes",
            "no tool on offer changes anything",
        ),
    ],
)
def test_what_is_wrong_is_said(desk: Environment, fields: dict[str, Any], found_at: str, said: str) -> None:
    findings = found(desk, **fields)
    assert [f"{each[0]} {each[1]}" for each in findings if said in each[2]] == [found_at], findings


def test_repeated_requests_are_wrong_across_splits(desk: Environment) -> None:
    line = {"query": "What is 1002?", "answer": "resolved"}
    tasks = read_own_tasks(
        desk,
        [
            {**line, "split": "train"},
            {**line, "query": " what IS 1002?", "split": "test"},
            {**line, "split": "train"},
            {**line, "persona": "emp_0001", "split": "test"},
            {**line, "context": "Today only.", "split": "test"},
            {**line, "now": "2022-12-30 09:00", "split": "test"},
        ],
    )
    assert [(each.level, each.task) for each in repeated(tasks)] == [("wrong", "t2"), ("note", "t3")]


def test_published_tasks_are_checked_too(desk: Environment) -> None:
    for checked in help_desk.TASKS:
        assert [each for each in _findings(desk, checked) if each.level != "note"] == []


TABLE = "mail"


def _helper(connection: Any) -> None:
    connection.execute(f"UPDATE {TABLE} SET body = ''")


def _tool(ctx: Any) -> None:
    _helper(ctx)


def test_a_tool_has_to_do_with_the_tables_that_its_helpers_name(desk: Environment, tmp_path: Path) -> None:
    tools = desk.episode().toolset
    assert mentions(tools["tickets.update"], "tickets")
    assert not mentions(tools["tickets.update"], "status of")
    assert not mentions(tools["mail.send"], "tickets")

    class Made:
        function = staticmethod(_tool)

    assert mentions(Made, TABLE)  # type: ignore[arg-type]


POLICY = {
    "format": "worksmith-policy/1",
    "sources": {
        "tickets": {
            "rules": [
                {"id": "all", "operations": ["read"], "when": {"always": True}},
                {"id": "own", "operations": ["update", "create", "delete"], "when": {"same": "department"}},
            ]
        }
    },
}


@pytest.mark.parametrize(
    ("persona", "change", "said"),
    [
        ("ann", {"T-1": {"status": "closed"}}, ""),
        ("bo", {"T-1": {"status": "closed"}}, "bo may not update this record"),
        ("ann", {"T-1": {"department": "HR"}}, "ann may not update this record"),
        ("bo", {"T-1": None}, "bo may not delete this record"),
        ("ann", {"new": [{"department": "IT", "status": "open"}]}, ""),
        ("bo", {"new": [{"department": "IT", "status": "open"}]}, "bo may not create this record"),
    ],
)
def test_changes_that_the_rules_deny_are_unsolvable(
    tmp_path: Path, persona: str, change: Any, said: str
) -> None:
    own = OwnEnvironment.from_tables(
        {
            "tickets": [{"id": "T-1", "department": "IT", "status": "open"}],
            "people": [{"id": "ann", "department": "IT"}, {"id": "bo", "department": "HR"}],
        },
        now="2026-01-05",
        personas="people",
        folder=tmp_path,
    )

    @own.tool
    def change_ticket(ctx: Context, ticket_id: str, status: str) -> None:
        """Change a ticket."""
        ctx["tickets"].update(ticket_id, status=status)

    (tmp_path / "policy.json").write_text(json.dumps(POLICY))
    own.use_policy(tmp_path / "policy.json")
    line = {"query": "q", "persona": persona, "changes": {"tickets": change}}
    findings = list(_findings(own, read_own_tasks(own, [line])[0]))
    assert [each.level for each in findings] == (["unsolvable"] if said else [])
    assert all(said in each.said for each in findings)
