"""Own tables with tokens in their cells, tools that do what thieves want, and who may see which token."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.episode import Episode
from tools.errors import ToolError
from tools.kinds.own_data.context import Context
from tools.kinds.own_data.environment import Environment
from tools.persona import Persona
from tools.seeding import rng

TOKEN = re.compile(r"zq[0-9a-f]{4}zq|77\d{6}")

PEOPLE = (
    ("ann", "red", None),
    ("bo", "red", "ann"),
    ("cy", "blue", "ann"),
    ("di", "blue", "cy"),
    ("ed", "", None),
)
KEYS = {"people": "id", "tickets": "ticket_id", "articles": "number", "vault": "code"}

POLICY: dict[str, Any] = {
    "sources": {
        "people": {
            "rules": [
                {"id": "PEOPLE", "operations": ["read"], "when": {"always": True}},
                {"id": "OWN", "operations": ["update"], "fields": ["about"], "when": {"self": "id"}},
            ],
            "private": {
                "fields": ["pay"],
                "rule": {"id": "PAY", "when": {"any": [{"self": "id"}, {"manages": "id"}]}},
            },
        },
        "tickets": {
            "rules": [
                {
                    "id": "TEAM",
                    "operations": ["read", "create"],
                    "when": {"any": [{"same": "team"}, {"self": "opener"}]},
                },
                # Who may change the team or the opener could make a ticket their own.
                {
                    "id": "TEXT",
                    "operations": ["update"],
                    "fields": ["title", "body"],
                    "when": {"same": "team"},
                },
                {"id": "DROP", "operations": ["delete"], "when": {"self": "opener"}},
            ],
            "private": {"fields": ["secret"], "rule": {"id": "SECRET", "when": {"self": "opener"}}},
        },
        "articles": {"rules": [{"id": "ALL", "operations": ["read"], "when": {"always": True}}]},
    }
}
"""The table `vault` has no rules: it is for nobody."""


class Tables:
    """The tables with their tokens.

    Attributes:
        rows: by table.
        spots: table, row and column of each token.
    """

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.spots: dict[str, tuple[str, dict[str, Any], str]] = {}
        self.rows["people"] = [
            self._planted(
                "people", {"id": who, "name": who.title(), "team": team, "manager": above}, "about", pay=True
            )
            for who, team, above in PEOPLE
        ]
        self.rows["tickets"] = [
            self._planted(
                "tickets",
                {
                    "ticket_id": f"T-{number}",
                    "team": ("red", "blue")[number % 2],
                    "opener": PEOPLE[number % 5][0],
                },
                *("title", "body", "secret"),
            )
            for number in range(20)
        ]
        self.rows["articles"] = [self._planted("articles", {"number": n}, "title", "body") for n in (3, 5)]
        self.rows["vault"] = [self._planted("vault", {"code": f"V{n}"}, "content") for n in range(3)]

    def _planted(self, table: str, row: dict[str, Any], *columns: str, pay: bool = False) -> dict[str, Any]:
        for column in columns:
            token = f"zq{len(self.spots):04x}zq"
            self.spots[token] = (table, row, column)
            row[column] = f"{token} of a {column}"
        if pay:
            number = 77_000_000 + len(self.spots)
            self.spots[str(number)] = (table, row, "pay")
            row["pay"] = number
        return row

    def may_see(self, who: Persona, token: str) -> bool:
        """The access rules in plain Python, written apart from the policy and its engine."""
        table, row, column = self.spots[token]
        if table == "people" and column == "pay":
            return bool(row["id"] == who.id) or _manages(who.id, row["id"])
        if table == "tickets":
            mine = bool(row["opener"] == who.id)
            return mine if column == "secret" else mine or _team(who.id) == row["team"]
        return table in ("people", "articles")


def _team(who: str) -> str:
    return next(team for name, team, _ in PEOPLE if name == who)


def _manages(boss: str, person: str) -> bool:
    above = {name: manager for name, _, manager in PEOPLE}
    while (found := above[person]) is not None:
        if found == boss:
            return True
        person = found
    return False


def vault(folder: Path, tables: Tables, rules: Mapping[str, Any] = POLICY) -> Environment:
    """The environment of the tables, with tools that do whatever a thief can think of."""
    env = Environment.from_tables(
        tables.rows, now="2026-01-05 09:00", personas="people", folder=folder / "worlds", sandboxes=2
    )
    file = folder / "policy.json"
    file.write_text(json.dumps(rules))
    env.use_policy(file)
    for table, columns in {
        "tickets": "{title} {body} {secret}",
        "people": "{name} {pay}",
        "articles": "{body}",
        "vault": "{content}",
    }.items():
        env.index(table, text=columns)

    @env.tool(writes=False)
    def get(ctx: Context, table: str, key: str) -> Any:
        """Get."""
        return ctx[table].get(key)

    @env.tool(writes=False)
    def find(ctx: Context, table: str, column: str = "", value: str = "", order: str = "") -> Any:
        """Find."""
        equal: dict[str, Any] = {column: value} if column else {}
        return ctx[table].find(order=order, **equal)

    @env.tool(writes=False)
    def where(ctx: Context, table: str, sql: str) -> Any:
        """Find by a careless condition, which the agent writes."""
        return ctx[table].find(where=sql)

    @env.tool(writes=False)
    def count(ctx: Context, table: str, sql: str) -> int:
        """Count by a careless condition."""
        return ctx[table].count(where=sql)

    @env.tool(writes=False)
    def search(ctx: Context, table: str, words: str, k: int = 50) -> Any:
        """Search."""
        return ctx[table].search(words, k)

    @env.tool(writes=False)
    def select(ctx: Context, sql: str) -> Any:
        """Select."""
        return ctx.select(sql)

    @env.tool
    def update(ctx: Context, table: str, key: str, column: str, value: str) -> Any:
        """Change a record, and look what became of it."""
        ctx[table].update(key, **{column: value})
        return [ctx[table].find(), ctx[table].search(value, 50)]

    @env.tool
    def insert(ctx: Context, table: str, column: str, value: str) -> Any:
        """Add a record, and look what became of it."""
        new = ctx[table].insert({column: value, "team": ctx.persona.attributes["team"]})
        return [ctx[table].get(new), ctx[table].search(value, 50)]

    @env.tool
    def delete(ctx: Context, table: str, key: str) -> Any:
        """Delete a record, and look for it."""
        try:
            ctx[table].delete(key)
        except ToolError as error:
            return str(error)
        return ctx[table].find()

    return env


_CONDITIONS = (
    "1",
    "{column} LIKE '%zq%'",
    "1) OR 1 = 1 --",
    "1) UNION ALL SELECT * FROM main.{table} --",
    "EXISTS (SELECT 1 FROM main.{table} WHERE {column} = 'x')",
    "{column} IN (SELECT {column} FROM main.{table})",
    "1); SELECT * FROM main.{table}; --",
)
_SELECTS = (
    "SELECT * FROM {table}",
    "SELECT * FROM main.{table}",
    "SELECT * FROM {table} UNION ALL SELECT * FROM main.{table}",
    "WITH {table} AS (SELECT * FROM main.{table}) SELECT * FROM {table}",
    "SELECT group_concat({column}) FROM {table}",
    "SELECT max({column}), min({column}) FROM {table}",
    "SELECT (SELECT {column} FROM main.{table} LIMIT 1)",
    "SELECT * FROM sqlite_master",
)


@dataclass
class Catch:
    """What a hunt has found.

    Attributes:
        texts: how many texts were searched.
        seen: tokens that came back to who may see them; none would mean that the hunt proves nothing.
        leaks: persona, tool or surface, and table and column of a token.
    """

    texts: int = 0
    seen: int = 0
    leaks: list[tuple[str, str, str, str]] = field(default_factory=list)

    def text(self, tables: Tables, who: Persona, surface: str, text: str, given: str = "") -> None:
        """Look for tokens in a text that reached `who`; those of `given` they knew before."""
        self.texts += 1
        known = set(TOKEN.findall(given))
        for token in set(TOKEN.findall(text)) & tables.spots.keys() - known:
            if tables.may_see(who, token):
                self.seen += 1
            else:
                table, _, column = tables.spots[token]
                self.leaks.append((who.id, surface, table, column))


def hostile_calls(
    tables: Tables, who: Persona, count: int, seed: int = 0
) -> Iterator[tuple[str, dict[str, str]]]:
    """Calls of a thief: other people's keys and tokens, and SQL that reaches for the tables behind."""
    random = rng(seed, "thief", who.id)
    names = ("get", "find", "where", "count", "search", "select", "update", "insert", "delete")
    for number in range(count):
        name = names[number % len(names)]
        table = random.choice(list(tables.rows))
        row = random.choice(tables.rows[table])
        column = random.choice(list(row))
        value = str(random.choice([row[column], random.choice(list(tables.spots)), who.id, "red", "%"]))
        form = {"table": table, "column": column}
        arguments = {
            "get": {"table": table, "key": str(row[KEYS[table]])},
            "find": {"table": table, **({"column": column, "value": value} if random.random() < 0.5 else {})},
            "where": {"table": table, "sql": random.choice(_CONDITIONS).format(**form)},
            "count": {"table": table, "sql": random.choice(_CONDITIONS).format(**form)},
            "search": {"table": table, "words": f"{value} a of body title secret pay content"},
            "select": {"sql": random.choice(_SELECTS).format(**form)},
            "update": {"table": table, "key": str(row[KEYS[table]]), "column": column, "value": value},
            "insert": {"table": table, "column": column, "value": value},
            "delete": {"table": table, "key": str(row[KEYS[table]])},
        }[name]
        yield f"tools.{name}", arguments


def hunt(env: Environment, tables: Tables, *, calls: int) -> Catch:
    """What comes back when everybody is a thief, in episodes of a few calls."""
    catch = Catch()
    for name, _, _ in PEOPLE:
        who = env.persona(name)
        episode: Episode | None = None
        given = ""
        for number, (tool, arguments) in enumerate(hostile_calls(tables, who, calls)):
            if episode is None or number % 5 == 0:
                episode, given = env.episode(persona=who), ""
            given += json.dumps(arguments)
            found = episode.call(tool, arguments)
            said = episode.calls[-1].decision
            catch.text(tables, who, tool, found.text, given)
            catch.text(tables, who, tool, json.dumps(found.value), given)
            catch.text(tables, who, tool, f"{said}", given)
    return catch
