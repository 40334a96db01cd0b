"""A small shop with rules of its own: nothing of any world kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import apsw

from worksmith.tools.access.access_policy import AccessPolicy, load_policy
from worksmith.tools.access.guard import Guard
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.memory import open_memory
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool_context import ToolContext

TABLES = (
    Table("staff", ("id", "name", "boss", "rank", "pay"), indexes=("id", "boss")),
    Table("letters", ("letter_id", "writer", "reader", "status", "text")),
    Table("vault", ("item", "content")),
)

ROWS: dict[str, list[tuple[str | None, ...]]] = {
    "staff": [
        ("ann", "Ann", None, "14", "900"),
        ("bob", "Bob", "ann", "10", "800"),
        ("cy", "Cy", "bob", "09", "700"),
        ("dee", "Dee", "ann", "10", "600"),
    ],
    "letters": [
        ("L1", "ann", "bob", "open", "hello"),
        ("L2", "cy", "ann", "open", "SECRET-letter"),
        ("L3", "bob", "cy", "closed", "bye"),
    ],
    "vault": [("v1", "SECRET-vault")],
}


def document() -> dict[str, Any]:
    """The shop's rules, fresh, for a test to change."""
    return {
        "format": "worksmith-policy/1",
        "groups": {"TOP": ["CE"]},
        "people": {"source": "staff", "id": "id", "manager": "boss", "level": "rank"},
        "tools": {
            "staff.read": ["staff", "read"],
            "staff.update": ["staff", "update"],
            "letters.read": ["letters", "read"],
            "vault.read": ["vault", "read"],
            "llm.call": None,
        },
        "sources": {
            "staff": {
                "key": "id",
                "private": {
                    "fields": ["pay"],
                    "rule": {"id": "PAY", "when": {"any": [{"self": "id"}, {"manages": "id"}]}},
                },
                "rules": [
                    {"id": "S-READ", "operations": ["read"], "when": {"always": True}},
                    {"id": "S-PAY", "operations": ["update"], "fields": ["pay"], "when": {"manages": "id"}},
                    {"id": "S-NAME", "operations": ["update"], "fields": ["name"], "when": {"self": "id"}},
                ],
            },
            "letters": {
                "key": "letter_id",
                "rules": [
                    {"id": "L-READ", "operations": ["read"], "when": {"self": ["writer", "reader"]}},
                    {
                        "id": "L-WRITE",
                        "operations": ["create", "update", "delete"],
                        "when": {"self": "writer"},
                    },
                ],
            },
            "vault": {
                "key": "item",
                "rules": [{"id": "V-READ", "operations": ["read"], "when": {"department": ["TOP"]}}],
            },
        },
    }


def policy(rules: dict[str, Any] | None = None) -> AccessPolicy:
    """The engine over the shop's rules or others."""
    return load_policy(json.dumps(rules or document()), TABLES)


def database() -> apsw.Connection:
    """The shop's records."""
    connection = open_memory()
    for table in TABLES:
        for statement in table.ddl():
            connection.execute(statement)
        connection.executemany(table.insert_sql(), ROWS[table.name])
    return connection


def persona(name: str = "bob", level: int = 10, department: str = "SA", active: bool = True) -> Persona:
    """Somebody of the shop."""
    return Persona(id=name, name=name.title(), level=level, department=department, active=active)


def guard(who: Persona | None = None, connection: apsw.Connection | None = None, **rules: Any) -> Guard:
    """The guarded records of the shop, for somebody."""
    ctx = ToolContext(connection or database(), datetime(2022, 12, 31), who or persona(), policy(**rules))
    return Guard(ctx, TABLES)


@contextmanager
def unchanged(connection: apsw.Connection) -> Iterator[None]:
    """Nothing in the database changes in the block."""
    before = connection.serialize("main")
    yield
    assert connection.serialize("main") == before
