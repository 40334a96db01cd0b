"""Own data with columns of every type under rules of every form, tools and tasks, and its hidden cells."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.soundness.interference.table_tools import declare_tools
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.policy import private_part
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.cells import CellType

if TYPE_CHECKING:
    import random

PEOPLE = 20
"""Those who own records; a few more have none."""

ASKED = "7"
"""The answer to all tasks that programs are chosen by: a model's replies do not depend on what is varied."""

Rows = list[dict[str, Any]]
World = dict[str, Rows]

RULES: Mapping[str, Any] = {
    "open_": {"always": True},
    "own": {"any": [{"self": "owner"}, {"self": ["owner", "deputy"]}]},
    "same_": {"same": "department"},
    "crew": {"any": [{"self": "owner"}, {"manages": "owner"}]},
    "grants": {"same": {"persona": "team", "record": "team"}},
    "ranked": {"any": [{"self": "owner"}, {"outranks": "owner"}]},
    "granted": {
        "any": [
            {"exists": {"source": "grants", "on": {"id": "record"}, "when": {"self": "owner"}}},
            {"may": {"operation": "read", "source": "same_", "on": {"id": "id"}}},
        ]
    },
    "few": {
        "all": [
            {"level": {"min": 3}},
            {"not": {"department": ["closed"]}},
            {"record": {"field": "status", "in": ["open", "late"]}},
        ]
    },
    "codes": {"all": [{"persona": {"field": "team", "in": ["t0", "t1"]}}, {"same": "department"}]},
}
_PRIVATE: Mapping[str, Any] = {
    "people": ({"any": [{"self": "id"}, {"manages": "id"}]}, ["salary", "clearance"]),
    "open_": ({"same": "department"}, ["amount", "urgent", "detail"]),
    "same_": ({"self": "owner"}, ["ratio", "note"]),
}
_OPERATIONS = ["read", "update", "create", "delete"]


def made_world(rows: int) -> World:
    """People and one table for each form of rules, with columns of every type."""
    draw = rng(0, "interference")
    people = [
        {
            "id": f"p{at:02}",
            "name": f"Fn{_word(draw)} Ln{_word(draw)}",
            "email": f"{_word(draw)}@x.org",
            "department": f"d{at % 4}",
            "level": at % 5 + 1,
            "manager": None if at < 2 else f"p{at // 4:02}",
            "team": f"t{at % 3}",
            "active": True,
            "salary": draw.randint(100_000, 999_999),
            "clearance": draw.choice(("low", "high")),
        }
        for at in range(PEOPLE + 4)
    ]
    tables = {}
    for table in RULES:
        tables[table] = [_row(table, at, draw) for at in range(rows)]
    return {"people": people, **tables}


def _row(table: str, at: int, draw: random.Random) -> dict[str, Any]:
    owner, deputy = (draw.randrange(PEOPLE) for _ in range(2))
    return {
        "id": _key(table, at),
        "owner": f"p{owner:02}",
        "deputy": f"p{deputy:02}",
        "department": f"d{draw.randrange(4)}",
        "team": f"t{draw.randrange(3)}",
        "status": draw.choice(("open", "late", "closed")),
        "record": _key("granted", draw.randrange(10)),
        **{column: make(draw) for column, make in _FREE.items()},
    }


def _key(table: str, at: int) -> str | int:
    """Keys of many kinds, also such as look like marks of references."""
    if table == "ranked":
        return 1_000 + at
    number = 100_000 + 7_919 * at
    odd = {1: f"{table}-0#private", 2: f"{table}#private/0", 3: "*", 4: "@denied", 5: f"{table}/5"}
    return odd.get(at, f"{table}-{number}") if table == "codes" else f"{table}-{number}"


def _word(draw: random.Random) -> str:
    return "".join(draw.choice("bcdfghklmnprstvwz") + draw.choice("aeiou") for _ in range(draw.randint(2, 5)))


def _or_nothing(make: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    return lambda draw: make(draw) if draw.random() < 0.8 else None


_FREE: Mapping[str, Callable[[Any], Any]] = {
    "title": _word,
    "note": _or_nothing(lambda draw: " ".join(_word(draw) for _ in range(draw.randint(1, 12)))),
    "amount": _or_nothing(lambda draw: draw.choice((draw.randint(1, 9), draw.randint(100_000, 999_999)))),
    "ratio": _or_nothing(lambda draw: draw.randint(1, 9_999) / 8),
    "urgent": _or_nothing(lambda draw: draw.random() < 0.5),
    "opened": _or_nothing(lambda draw: f"2025-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"),
    "detail": _or_nothing(
        lambda draw: json.dumps({_word(draw): draw.randint(1, 99), "ok": draw.random() < 0.5})
    ),
}
"""Columns that no rule looks at."""

_PERSONAL: Mapping[str, Callable[[Any], Any]] = {
    "name": lambda draw: f"Fn{_word(draw)} Ln{_word(draw)}",
    "email": _or_nothing(lambda draw: f"{_word(draw)}@y.org"),
    "salary": lambda draw: draw.randint(10, 999_999),
    "clearance": _or_nothing(lambda draw: draw.choice(("low", "high", "none"))),
}

_DECIDING: Mapping[str, Callable[[Any], Any]] = {
    "owner": lambda draw: f"p{draw.randrange(PEOPLE):02}",
    "deputy": _or_nothing(lambda draw: f"p{draw.randrange(PEOPLE):02}"),
    "department": lambda draw: f"d{draw.randrange(4)}",
    "team": lambda draw: f"t{draw.randrange(3)}",
    "status": lambda draw: draw.choice(("open", "late", "closed")),
    "level": lambda draw: draw.randint(1, 5),
    "active": lambda draw: draw.random() < 0.8,
    "record": lambda draw: _key("granted", draw.randrange(10)),
}
"""Columns that rules look at."""


def opened(world: World, folder: Path) -> Environment:
    """The environment over a world, with tools of every kind."""
    env = Environment.from_tables(
        world,
        now="2026-01-05 09:00",
        personas="people",
        sandboxes=1,
        types={name: _types(name) for name in world},
    )
    sources = {**RULES, "people": {"any": [{"self": "id"}, {"manages": "id"}]}}
    rules: dict[str, dict[str, Any]] = {
        name: {
            "announce": place % 2 == 0,
            "rules": [{"id": f"R-{name}", "operations": _OPERATIONS, "when": when}],
        }
        for place, (name, when) in enumerate(sources.items())
    }
    for name, (when, fields) in _PRIVATE.items():
        rules[name]["private"] = {"fields": fields, "rule": {"id": f"P-{name}", "when": when}}
    file = folder / "policy.json"
    file.write_text(json.dumps({"groups": {"closed": ["d9"]}, "sources": rules}))
    env.use_policy(file)
    for name in RULES:
        env.index(name, text="{title} {note}")
    declare_tools(env)
    return env


def _types(table: str) -> dict[str, CellType]:
    if table == "people":
        return {"salary": "integer", "level": "integer", "active": "boolean"}
    return {"amount": "integer", "ratio": "real", "urgent": "boolean"}


def made_tasks(world: World, readers: Sequence[str]) -> list[dict[str, Any]]:
    """Tasks for training in which everybody works on many records, and for each reader some to be asked."""
    draw, found = rng(0, "tasks"), []
    people = [person["id"] for person in world["people"]][:PEOPLE]
    for table in RULES:
        rows = world[table]
        for number, row in enumerate(rows[:6]):
            who, key = row["owner"], str(row["id"])
            read = {"table": table, "key": key}
            plan, answer, slots = [{"tool": "tools.read", "arguments": read}], str(row["title"]), {"key": key}
            query = f"What is the title of the record {key} of {table}?"
            if number == 1:
                plan.insert(0, {"tool": "tools.tell", "arguments": read})
            elif number == 2:
                plan.insert(0, {"tool": "tools.find", "arguments": {"table": table, "status": "open"}})
            elif number == 3:
                plan = [{"tool": "tools.count", "arguments": {"table": table, "status": "open"}}]
                query, answer = f"How many of {table} are open, apart from {key}?", "3"
            elif number == 4:
                plan = [
                    {"tool": "tools.totals", "arguments": {"table": table}},
                    {"tool": "tools.me", "arguments": {}},
                ]
                query, answer = f"Who in {table} has the record {key} and what am I?", str(row["amount"])
            elif number == 5:
                words = {"table": table, "text": str(row["title"])}
                plan = [{"tool": "tools.look_for", "arguments": words}]
                query, slots = f"Which record of {table} is called {row['title']}?", {"title": row["title"]}
            found.append(_task(f"train-{table}-{number}", "train", who, query, plan, answer, slots))
        closing = {"table": table, "key": str(rows[0]["id"]), "note": "solved"}
        query = f"Close {closing['key']} of {table} with the note solved."
        plan = [{"tool": "tools.close", "arguments": closing}]
        changing = _task(
            f"train-{table}-close", "train", rows[0]["owner"], query, plan, None, {"key": closing["key"]}
        )
        found.append(changing)
    for person in readers:
        for number in range(2):
            table = draw.choice(tuple(RULES))
            query = f"What is the title of the record {table}-{number + 90} of {table}?"
            found.append(_task(f"test-{person}-{number}", "test", person, query, [], "none", {}))
    for number in range(4):
        table = tuple(RULES)[number]
        found.append(
            _task(f"dev-{number}", "dev", people[number], f"How many records has {table}?", [], ASKED, {})
        )
    return found


def _task(
    name: str, split: str, who: str, query: str, plan: Rows, answer: str | None, slots: Mapping[str, Any]
) -> dict[str, Any]:
    expected: dict[str, Any] = {"answer": answer} if answer is not None else {}
    return {
        "id": name,
        "split": split,
        "intent": name.rpartition("-")[2],
        "persona": who,
        "query": query,
        "slots": {name: str(value) for name, value in slots.items()},
        **({"plan": [{**step, "why": "This tells what is asked."} for step in plan]} if plan else {}),
        **expected,
    }


def readable(env: Environment, world: World, reader: str) -> frozenset[str]:
    """The references to what a reader may read, private parts apart."""
    references = frozenset(f"{table}/{row['id']}" for table, rows in world.items() for row in rows)
    references |= frozenset(map(private_part, references))
    return references - env.unreadable(env.persona(reader), references)


def varied(
    world: World, env: Environment, reader: str, again: Callable[[World], Environment]
) -> tuple[World, Counter[str]]:
    """The world with other cells where the reader may not read them, and how many there are by type.

    Cells that rules look at are changed table by table, as long as the reader may read the same as before.
    """
    draw = rng(0, "varied", reader)
    seen, counted = readable(env, world, reader), Counter[str]()
    other = {table: [dict(row) for row in rows] for table, rows in world.items()}
    makers = {**_FREE, **_PERSONAL}
    for table, rows in other.items():
        private = _PRIVATE.get(table, (None, ()))[1]
        for at, row in enumerate(rows):
            reference = f"{table}/{row['id']}"
            hidden = makers if reference not in seen else () if private_part(reference) in seen else private
            for column in (name for name in hidden if name in row):
                _change(row, column, makers[column](draw), counted)
            if reference not in seen and table != "people":
                _change(row, "id", 50_000 + at if table == "ranked" else f"{table}-other-{at}", counted)
    for table in world:
        tried, deciding = {**other, table: [dict(row) for row in other[table]]}, Counter[str]()
        for old, row in zip(world[table], tried[table], strict=True):
            if f"{table}/{old['id']}" not in seen:
                for column in (name for name in _DECIDING if name in row):
                    _change(row, column, _DECIDING[column](draw), deciding)
        if readable(again(tried), tried, reader) == seen:
            other, counted = tried, counted + deciding
    return other, counted


def _change(row: dict[str, Any], column: str, value: Any, counted: Counter[str]) -> None:
    if row[column] != value:
        counted["null" if None in (value, row[column]) else type(value).__name__] += 1
        row[column] = value


def hidden_values(world: World, other: World) -> set[str]:
    """The values of the cells in which two worlds differ, of those that nothing else has or is made up as."""
    rows = [pair for table in world for pair in zip(world[table], other[table], strict=True)]
    cells = [(value, new[column]) for row, new in rows for column, value in row.items()]
    common = {str(value) for value, new in cells if value == new}
    values = {value for value, new in cells if value != new}
    return {str(value) for value in values if len(str(value)) > (5 if isinstance(value, int) else 6)} - common
