"""Rules over columns of numbers and booleans, and over the persona's own fields."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from tests.tables import each_row
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.checks import Surroundings
from worksmith.tools.access.guard import Guard
from worksmith.tools.access.reading import read_document
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.persona import Attributes, Persona, Value
from worksmith.tools.policy import AccessDeniedError
from worksmith.tools.sqlite.cells import CellType, CellValue
from worksmith.tools.sqlite.memory import open_memory
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool_context import ToolContext

TABLES = (
    Table(
        "people",
        ("id", "manager", "level"),
        types={"id": "integer", "manager": "integer", "level": "integer"},
    ),
    Table(
        "jobs",
        ("id", "owner", "team", "urgent", "size", "weight", "team_text"),
        types={
            "owner": "integer",
            "team": "integer",
            "urgent": "boolean",
            "size": "integer",
            "weight": "real",
        },
    ),
)
PEOPLE: list[tuple[CellValue, ...]] = [(1, None, 500), (7, 1, 120), (8, 7, -2), (9, 8, None)]
JOBS: list[tuple[CellValue, ...]] = [
    ("a", 7, 3, True, 3, 3.0, "3"),
    ("b", 8, 4, False, 1, 2.5, "true"),
    ("c", 9, None, None, None, None, None),
]
OWN: dict[str, CellType] = {
    "id": "text",
    "level": "integer",
    "team": "integer",
    "rate": "real",
    "vip": "boolean",
}


def guard(when: dict[str, Any], persona: Persona) -> Guard:
    people = {"source": "people", "id": "id", "manager": "manager", "level": "level"}
    rule = {"id": "R", "operations": ["read", "create"], "when": when}
    text = json.dumps({"people": people, "sources": {"jobs": {"rules": [rule]}}})
    around = Surroundings({table.name: table for table in TABLES}, keys={"jobs": "id"}, persona=OWN)
    connection = open_memory()
    for table, rows in zip(TABLES, (PEOPLE, JOBS), strict=True):
        for statement in table.ddl():
            connection.execute(statement)
        connection.executemany(table.insert_sql(), rows)
    policy = AccessPolicy(read_document(text, around), TABLES)
    return Guard(ToolContext(connection, datetime(2026, 1, 5), persona, policy), TABLES)


def seven(**attributes: Value) -> Persona:
    return Persona(id="7", name="Seven", level=120, attributes=Attributes(attributes))


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"self": "owner"}, ["a"]),
    ({"same": {"persona": "id", "record": "owner"}}, ["a"]),
    ({"manages": "owner"}, ["b", "c"]),
    ({"outranks": "owner"}, ["b"]),
    ({"same": "team"}, ["a"]),
    ({"not": {"same": "team"}}, ["b", "c"]),
    ({"same": {"persona": "team", "record": "weight"}}, ["a"]),
    ({"same": {"persona": "rate", "record": "size"}}, []),
    ({"same": {"persona": "vip", "record": "urgent"}}, ["b"]),
    ({"record": {"field": "urgent", "in": [True]}}, ["a"]),
    ({"record": {"field": "urgent", "in": [True, False]}}, ["a", "b"]),
    ({"record": {"field": "size", "in": [1, 3.0]}}, ["a", "b"]),
    ({"record": {"field": "weight", "in": [2.5, 3]}}, ["a", "b"]),
    ({"record": {"field": "team_text", "in": ["true"]}}, ["b"]),
    ({"persona": {"field": "vip", "in": [False]}}, ["a", "b", "c"]),
    ({"persona": {"field": "vip", "in": [True]}}, []),
    ({"persona": {"field": "team", "in": [2, 3]}}, ["a", "b", "c"]),
]


@each_row(("when", "expected"), CASES)
def test_values_are_compared_by_type(when: dict[str, Any], expected: list[str]) -> None:
    found = guard(when, seven(team=3, rate=2.5, vip=False))
    assert found.keys("jobs") == expected
    assert [row["id"] for row in found.select("SELECT id FROM jobs")] == expected
    records = [dict(zip(TABLES[1].columns, row, strict=True)) for row in JOBS]
    assert [r["id"] for r in records if found.allows("jobs", "read", r).allow] == expected


@pytest.mark.parametrize("persona", [seven(), seven(team=None)])
def test_a_missing_field_equals_nothing(persona: Persona) -> None:
    """Neither another missing field nor an empty cell."""
    assert guard({"same": "team"}, persona).keys("jobs") == []
    text = {"same": {"persona": "id", "record": "team_text"}}
    assert guard(text, Persona(id="", name="nobody")).keys("jobs") == []


def test_a_new_record_is_judged_by_what_will_be_stored() -> None:
    """The text `3` is stored as the number."""
    not_three = guard({"not": {"record": {"field": "size", "in": [3]}}}, seven())
    for three in ("3", 3, 3.0, " 3 "):
        with pytest.raises(AccessDeniedError):
            not_three.insert("jobs", {"id": "new", "size": three})
    with pytest.raises(ToolError, match="integer"):
        not_three.insert("jobs", {"id": "new", "size": "three"})
    not_three.insert("jobs", {"id": "new", "size": "4"})


@each_row(
    ("when", "message"),
    [
        ({"self": "weight"}, "jobs.weight is real and holds no id"),
        ({"manages": "team_text"}, "jobs.team_text is text and people.id is integer: they are never equal"),
        ({"same": {"persona": "team", "record": "team_text"}}, "team is integer and jobs.team_text is text"),
        ({"same": {"persona": "vip", "record": "size"}}, "vip is boolean and jobs.size is integer"),
        ({"record": {"field": "size", "in": [2.5]}}, "size is integer; 2.5 can never be its value"),
        ({"record": {"field": "size", "in": [10**20]}}, "can never be its value"),
        ({"record": {"field": "urgent", "in": [1]}}, "write true or false without quotes"),
        ({"department": ["x"]}, "personas have no field 'department': there are id, level"),
        (
            {"exists": {"source": "people", "on": {"team_text": "id"}}},
            "jobs.team_text is text and people.id is integer",
        ),
    ],
)
def test_what_can_never_be_equal_is_an_error(when: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        guard(when, seven())
    assert message in error.value.message
    assert error.value.where
    assert error.value.where.startswith("policy: sources.jobs.rules[0].when")


def test_long_rules_are_no_trouble_and_deep_ones_an_error() -> None:
    sizes = [{"record": {"field": "size", "in": [number]}} for number in range(3000)]
    assert guard({"any": sizes}, seven()).keys("jobs") == ["a", "b"]
    assert guard({"not": {"all": sizes}}, seven()).keys("jobs") == ["a", "b", "c"]

    def nested(depth: int) -> dict[str, Any]:
        inner = nested(depth - 1) if depth else {"always": True}
        return {"exists": {"source": "jobs", "on": {"id": "id"}, "when": inner}}

    assert guard(nested(9), seven()).keys("jobs") == ["a", "b", "c"]
    with pytest.raises(InputError, match="exists is nested more than 10 deep"):
        guard(nested(12), seven())
