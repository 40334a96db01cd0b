"""A help desk of own tables with a token in every cell, rules, and tools that do what a stranger asks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellValue

Row = dict[str, CellValue]

WORD = re.compile(r"zq\d{4}x")
OVERFLOW = "abs(-9223372036854775808)"

PEOPLE = {  # id: department, role, manager, active
    "ann": ("IT", "lead", None, True),
    "bob": ("IT", "agent", "ann", True),
    "cy": ("HR", "agent", "ann", True),
    "dee": (None, "agent", None, True),
    "eve": ("IT", "lead", "bob", False),
}
POLICY: Mapping[str, Any] = json.loads(Path(__file__).with_name("canaries.json").read_text("utf-8"))
"""The vault has no rules, so nobody reads it."""


def rows() -> dict[str, list[Row]]:
    """The tables. Each free cell has a word of its own."""
    count = iter(range(10**6))

    def word() -> str:
        return f"zq{next(count):04d}x"

    people: list[Row] = [
        {
            "id": name,
            "name": word(),
            "department": department,
            "role": role,
            "manager": manager,
            "active": active,
            "salary": word(),
            "rating": word(),
        }
        for name, (department, role, manager, active) in PEOPLE.items()
    ]
    cases = [
        (number, owner, department, vip)
        for number, (owner, department, vip) in enumerate(
            (
                (owner, department, vip)
                for owner in (*PEOPLE, None)
                for department in ("IT", "HR", None)
                for vip in (True, False, None)
            ),
            start=1,
        )
    ]
    tickets: list[Row] = [
        {
            "number": number,
            "owner": owner,
            "department": department,
            "vip": vip,
            "title": f"{word()} printer",
            "secret": word(),
        }
        for number, owner, department, vip in cases
    ]
    notes: list[Row] = [
        {"id": f"N{t['number']}", "ticket": t["number"], "text": f"{word()} printer"} for t in tickets
    ]
    return {"people": people, "tickets": tickets, "notes": notes, "vault": [{"item": "v", "gold": word()}]}


def unseen(persona: Persona) -> dict[str, list[Row]]:
    """The tables with other words in every cell that the persona may not read."""
    data, cells = rows(), readable(persona)
    for name, records in data.items():
        key = KEYS[name]
        for record in records:
            for column in WORDS[name]:
                if (name, str(record[key]), column) not in cells:
                    record[column] = str(record[column]).translate(
                        str.maketrans("zqx0123456789", "akb9876543210")
                    )
    return data


KEYS = {"people": "id", "tickets": "number", "notes": "id", "vault": "item"}
WORDS = {
    "people": ("name", "salary", "rating"),
    "tickets": ("title", "secret"),
    "notes": ("text",),
    "vault": ("gold",),
}


def environment(
    folder: Path, policy: Mapping[str, Any] | None = POLICY, data: dict[str, list[Row]] | None = None
) -> Environment:
    env = Environment.from_tables(
        data or rows(),
        keys=KEYS,
        now="2026-01-05 09:00",
        personas="people",
        folder=folder / "worlds",
        sandboxes=1,
    )
    env.index("tickets", text="{title} {secret}")
    env.index("notes", text="{text}")
    for function in TOOLS:
        env.tool(function)
    if policy is not None:
        file = folder / "policy.json"
        file.write_text(json.dumps(policy))
        env.use_policy(file)
    return env


def get(ctx: Context, table: str, key: str) -> Any:
    """Get."""
    return ctx[table].get(key)


def find(ctx: Context, table: str, where: str = "", order: str = "", limit: int = 1000) -> Any:
    """Find."""
    return ctx[table].find(where=where or None, order=order, limit=limit)


def equal(ctx: Context, table: str, column: str, value: str) -> Any:
    """Equal."""
    given: Any = {column: value}
    return ctx[table].find(**given)


def count(ctx: Context, table: str, where: str = "") -> int:
    """Count."""
    return ctx[table].count(where=where or None)


def search(ctx: Context, table: str, text: str) -> Any:
    """Search."""
    return ctx[table].search(text, k=1000)


def select(ctx: Context, sql: str) -> Any:
    """Select."""
    return ctx.select(sql)


def update(ctx: Context, table: str, key: str, column: str, value: str) -> Any:
    """Update."""
    ctx[table].update(key, **{column: value})
    return ctx[table].get(key)


def insert(ctx: Context, table: str, values: dict[str, str]) -> Any:
    """Insert."""
    return ctx[table].get(ctx[table].insert(values))


def delete(ctx: Context, table: str, key: str) -> Any:
    """Delete."""
    ctx[table].delete(key)


def own(ctx: Context, attribute: str) -> Any:
    """Own."""
    return ctx.persona.attributes[attribute]


TOOLS = (own, get, find, equal, count, search, select, update, insert, delete)


def readable(persona: Persona) -> set[tuple[str, str, str]]:
    """The cells (table, key, column) that the rules let a persona read, in plain words."""
    if not persona.active:
        return set()
    data = rows()
    department, role, _, _ = PEOPLE[persona.id]
    found = set()
    for person in data["people"]:
        if department is None or person["department"] != department:
            continue
        shown = person["id"] == persona.id or persona.id in _above(str(person["id"]))
        hidden = set() if shown else {"salary", "rating"}
        found |= {("people", str(person["id"]), column) for column in person.keys() - hidden}
    for ticket in data["tickets"]:
        same = department is not None and ticket["department"] == department
        if ticket["owner"] == persona.id or (same and ticket["vip"] is False):
            number = str(ticket["number"])
            hidden = set() if role == "lead" else {"secret"}
            found |= {("tickets", number, column) for column in ticket.keys() - hidden}
            found |= {("notes", f"N{number}", column) for column in ("id", "ticket", "text")}
    return found


def _above(person: str) -> list[str]:
    manager = PEOPLE[person][2]
    return [manager, *_above(manager)] if manager else []


def foreign(persona: Persona, text: str, given: str = "") -> list[str]:
    """The words of a text that the persona may not read; it knew those of `given` before, and its name."""
    known = set(WORD.findall(f"{given} {persona.name}"))
    return sorted((set(WORD.findall(text)) - known) & _forbidden(persona))


@lru_cache
def _forbidden(persona: Persona) -> frozenset[str]:
    cells = readable(persona)
    return frozenset(
        str(record[column])[:7]
        for table, records in rows().items()
        for record in records
        for column in WORDS[table]
        if (table, str(record[KEYS[table]]), column) not in cells
    )


def calls() -> list[tuple[str, dict[str, Any]]]:
    """What a stranger might have an agent call."""
    found: list[tuple[str, dict[str, Any]]] = []
    for table, records in rows().items():
        key, columns = KEYS[table], list(records[0])
        found += [("get", {"table": table, "key": str(record[key])}) for record in records]
        found += [("get", {"table": table, "key": key}) for key in ("nobody", "1 OR 1", "", "1.0", "01")]
        found += [("find", {"table": table}), ("count", {"table": table})]
        for column in columns:
            found.append(("find", {"table": table, "order": column, "limit": 5}))
            found.append(("find", {"table": table, "order": f"{column} DESC, 1", "limit": 5}))
            for record in records[::7]:
                value = str(record[column])
                found.append(("equal", {"table": table, "column": column, "value": value}))
                for trick in (
                    f"{column} = '{value}'",
                    f"1 OR {column} = '{value}'",
                    f"CASE WHEN {column} = '{value}' THEN {OVERFLOW} ELSE 1 END",
                    f"{key} = '{record[key]}' AND CASE WHEN {column} >= '{value}' THEN {OVERFLOW} ELSE 1 END",
                    f"EXISTS (SELECT 1 FROM main.{table} WHERE {column} = '{value}')",
                    f"1) UNION SELECT * FROM main.{table} WHERE (1",
                ):
                    found += [
                        ("find", {"table": table, "where": trick}),
                        ("count", {"table": table, "where": trick}),
                    ]
                found.append(("find", {"table": table, "order": f"(SELECT {column} FROM main.{table})"}))
                found.append(
                    ("find", {"table": table, "order": f"CASE WHEN {column} = '{value}' THEN {OVERFLOW} END"})
                )
                found.append(("search", {"table": table, "text": value}))
                found += [
                    ("select", {"sql": sql.format(table=table, column=column, value=value)})
                    for sql in (
                        "SELECT {column} FROM {table}",
                        "SELECT * FROM main.{table}",
                        "SELECT count(*) AS n, max({column}) AS m FROM {table}",
                        "SELECT rowid FROM {table} WHERE {column} = '{value}'",
                        f"SELECT CASE WHEN {{column}} = '{{value}}' THEN {OVERFLOW} END FROM {{table}}",
                    )
                ]
        found.append(("search", {"table": table, "text": "printer"}))
        for record in records[::5]:
            at = {"table": table, "key": str(record[key])}
            found += [("update", {**at, "column": column, "value": "IT"}) for column in columns]
            found += [
                ("update", {**at, "column": column, "value": str(record[column])}) for column in columns
            ]
            found.append(("delete", at))
            found.append(("insert", {"table": table, "values": {key: str(record[key])}}))
        found.append(("insert", {"table": table, "values": {}}))
        found.append(("insert", {"table": table, "values": {"department": "IT", "vip": "false"}}))
    return list({json.dumps(call): call for call in found}.values())
