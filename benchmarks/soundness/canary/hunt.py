"""Hunting: every tool, called with hostile arguments by many personas, and every text that comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.soundness.canary.plant import PRIVATE, TOKEN, Planted, Spot
from benchmarks.soundness.canary.rules import Company, Record, may_read, may_read_private
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import KEYS, TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import rng
from worksmith.tools.tool import Tool

_TOKEN = re.compile(TOKEN)

_DURATION = re.compile(r'"seconds":\s*[\d.e+-]+')
"""How long something took, as records tell it: of so many digits some look like a token."""

_HOSTILE = (
    "%",
    "*",
    "' OR '1'='1",
    '" OR 1=1 --',
    "x' UNION SELECT salary FROM employees --",
    "all",
    "../../world.sqlite",
    "",
)
_SQL = (
    "SELECT * FROM {source}",
    "SELECT * FROM main.{source}",
    "SELECT * FROM {source} UNION ALL SELECT * FROM main.{source}",
    "WITH {source} AS (SELECT * FROM main.{source}) SELECT * FROM {source}",
    "SELECT group_concat({column}) FROM {source}",
    "SELECT {column} FROM {source} WHERE {key} = '{value}'",
    "SELECT (SELECT {column} FROM main.{source} LIMIT 1)",
    "SELECT sql, * FROM sqlite_master",
    "SELECT * FROM sqlite_temp_master",
    "SELECT json_group_array({column}) FROM {source}",
    "SELECT * FROM {source}; SELECT * FROM main.{source}",
    "SELECT max(salary), min(salary), avg(age) FROM employees WHERE emp_id = '{value}'",
    "SELECT * FROM {source} ORDER BY (SELECT {column} FROM main.{source})",
    "CREATE TEMP VIEW v AS SELECT * FROM main.{source}",
)


@dataclass
class Catch:
    """What a hunt found.

    Attributes:
        calls: how many calls were made.
        texts: how many texts were searched.
        checks: texts times the tokens that their reader may not see.
        seen: tokens that came back and were allowed to, counted once a text; none would mean that the hunt
            looks in the wrong place.
        leaks: persona, tool or surface, and where the token belongs.
    """

    calls: int = 0
    texts: int = 0
    checks: int = 0
    seen: int = 0
    leaks: list[tuple[str, str, Spot]] = field(default_factory=list)


class Hunt:
    """Searches what a persona is shown for tokens that they may not see.

    Args:
        env: over the planted world.
        planted: what stands where in it.
    """

    def __init__(self, env: Environment, planted: Planted, seed: int = 0) -> None:
        self.catch = Catch()
        self._env = env
        self._planted = planted
        self._seed = seed
        self._records = {
            table.name: [dict(zip(table.columns, cells, strict=True)) for cells in planted.rows[table.name]]
            for table in TABLES
        }
        self._by_key = {
            (source, record[KEYS[source]] or ""): record
            for source, records in self._records.items()
            for record in records
        }
        self._company = _company(self._records)
        self._allowed: dict[str, frozenset[str]] = {}

    def persona(self, who: Persona, calls_per_tool: int) -> None:
        """Call every tool with hostile arguments on behalf of `who`, each in a fresh episode of its own."""
        for name, tool in self._env.episode().toolset.items():
            random = rng(self._seed, "hunt", who.id, name)
            for arguments in self._arguments(tool, who, random, calls_per_tool):
                episode = self._env.episode(persona=who)
                seen = episode.call(name, arguments)
                self.catch.calls += 1
                self.text(who, name, seen.text, given=json.dumps(arguments))
                call = episode.calls[-1]
                if call.decision is not None:
                    self.text(who, name, f"{call.decision.rule} {call.decision.reason}")

    def hostile_call(self, who: Persona, random: Random) -> tuple[str, dict[str, str]]:
        """Some call that an attacker might have an agent make, with no token in it."""
        toolset = self._env.episode().toolset
        tool = toolset[random.choice(sorted(toolset))]
        arguments = list(self._arguments(tool, who, random, 1))[-1]
        return tool.name, {name: _TOKEN.sub("", value).strip() for name, value in arguments.items()}

    def text(self, who: Persona, surface: str, text: str, given: str = "") -> None:
        """Search one text that `who` gets to see.

        Args:
            given: what the reader said before; a token in it is no news to them.
        """
        allowed = self.allowed(who)
        self.catch.texts += 1
        self.catch.checks += len(self._planted.spots) - len(allowed)
        known = {token.lower() for token in _TOKEN.findall(given)}
        for token in {found.lower() for found in _TOKEN.findall(text)} - known:
            if token in allowed:
                self.catch.seen += 1
            elif token in self._planted.spots:
                self.catch.leaks.append((who.id, surface, self._planted.spots[token]))

    def record(self, who: Persona, surface: str, record: str) -> None:
        """Search what was written down of an episode of `who`, durations left out."""
        self.text(who, surface, _DURATION.sub("", record))

    def allowed(self, who: Persona) -> frozenset[str]:
        """The tokens that `who` may see."""
        found = self._allowed.get(who.id)
        if found is None:
            spots = self._planted.spots.items()
            found = frozenset(token for token, spot in spots if self._may_see(who, spot))
            self._allowed[who.id] = found
        return found

    def _may_see(self, who: Persona, spot: Spot) -> bool:
        record = self._by_key[spot.source, spot.key]
        if spot.source == "employees" and spot.column in PRIVATE:
            return may_read_private(who, record, self._company)
        return may_read(who, spot.source, record, self._company)

    def _arguments(self, tool: Tool, who: Persona, random: Random, count: int) -> Iterator[dict[str, str]]:
        names = tool.arguments
        if not names:
            yield {}
            return
        if not tool.writes:
            yield {}
        for number in range(count):
            chosen = names if tool.writes else random.sample(names, random.randint(1, min(2, len(names))))
            yield {name: self._value(name, who, random, number) for name in chosen}

    def _value(self, name: str, who: Persona, random: Random, number: int) -> str:
        source = random.choice([name for name, records in self._records.items() if records])
        record = random.choice(self._records[source])
        if name == "sql":
            column = random.choice(list(record))
            value = record[KEYS[source]] or ""
            return _SQL[number % len(_SQL)].format(
                source=source, column=column, key=KEYS[source], value=value
            )
        if name == "limit":
            return str(random.choice((1, 5, 100)))
        same = [row[name] for rows in self._records.values() for row in rows[:40] if row.get(name)]
        options = [*random.sample(same, min(3, len(same))), random.choice(_HOSTILE)]
        if not same or name == "query":
            options += [text for text in record.values() if text][:6]
        return str(random.choice(options))[:400]


def personas(env: Environment, planted: Planted, count: int) -> list[Persona]:
    """Up to `count` employees, all departments and levels among them, whoever has left included."""
    table = next(table for table in TABLES if table.name == "employees")
    groups: dict[tuple[str | None, ...], list[str]] = {}
    for cells in planted.rows["employees"]:
        record = dict(zip(table.columns, cells, strict=True))
        group = (record["department"], record["level"], record["is_valid"])
        groups.setdefault(group, []).append(record["emp_id"] or "")
    chosen = [emp_id for turn in _in_turns(sorted(groups.items(), key=str)) for emp_id in turn]
    return [env.persona(emp_id) for emp_id in chosen[:count]]


def _in_turns(groups: Sequence[tuple[Any, list[str]]]) -> Iterator[list[str]]:
    longest = max(len(members) for _, members in groups)
    for place in range(longest):
        yield [members[place] for _, members in groups if place < len(members)]


def _company(records: Mapping[str, Iterable[Record]]) -> Company:
    owners: dict[str, set[str]] = {}
    for file in records["repositories"]:
        owners.setdefault(file["repo_name"] or "", set()).add(file["emp_id"] or "")
    return Company(
        manager={person["emp_id"] or "": person["reports_to"] for person in records["employees"]},
        owners={name: frozenset(ids) for name, ids in owners.items()},
        clients=_keepers(records["clients"]),
        vendors=_keepers(records["vendors"]),
    )


def _keepers(partners: Iterable[Record]) -> dict[str, frozenset[str]]:
    """By the address of a partner's contact person the ids of those who look after it."""
    found: dict[str, set[str]] = {}
    for partner in partners:
        if partner["contact_email"]:
            found.setdefault(partner["contact_email"], set()).add(partner["emp_id"] or "")
    return {address: frozenset(ids) for address, ids in found.items()}
