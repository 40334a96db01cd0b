"""Random policies, records and personas, and what rules mean in the plainest words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw
from hypothesis import strategies as st

from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.checks import Surroundings
from worksmith.tools.access.guard import Guard
from worksmith.tools.access.reading import read_document
from worksmith.tools.persona import Attributes, Persona, Value
from worksmith.tools.sqlite.cells import CellType
from worksmith.tools.sqlite.memory import open_memory
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool_context import ToolContext

Record = dict[str, Value]

TYPED: dict[str, CellType] = {"urgent": "boolean", "size": "integer", "weight": "real"}
TABLES = (
    Table(
        "people", ("id", "boss", "rank", "grade", "desk"), indexes=("id", "boss"), types={"grade": "integer"}
    ),
    Table("boxes", ("key", "owner", "shelf", "seal", "size"), indexes=("owner",), types={"size": "real"}),
    Table("things", ("key", "owner", "second", "shelf", "status", "secret", *TYPED), types=TYPED),
)
IDS = ("ann", "bob", "o'neil", 'di"e', "e--;", "fé\u200b", "", "x\0y", "%")
SHELVES = ("s1", "s'2", "")
STATUSES = ("open", "closed", "op'en")
RANKS = ("09", "9", "10", "12", "1 2", "-1", "007", "EN14", "\u0661")
DEPARTMENTS = ("EN", "HR", "NEW", "")
NUMBERS = (0, 1, 2, -3, 2**53 + 1)
WEIGHTS = (0.0, 1.0, 2.5, -3.0, 1e300)
CELLS: dict[CellType, tuple[Value, ...]] = {
    "text": (*SHELVES, "1", "true", "2.5"),
    "integer": NUMBERS,
    "real": WEIGHTS,
    "boolean": (True, False),
}
OWN: dict[str, CellType] = {"id": "text", "department": "text", "level": "integer", "shelf": "text", **TYPED}
"""Fields of personas, with their types."""
FIELDS = {"people": ("id", "boss"), "boxes": ("owner",), "things": ("owner", "second")}


def _cells(values: Sequence[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(st.sampled_from(values), st.none())


personas = st.builds(
    Persona,
    id=st.sampled_from(IDS),
    name=st.just("x"),
    department=st.sampled_from(DEPARTMENTS),
    level=st.integers(-1, 15),
    active=st.sampled_from([True, True, True, False]),
    attributes=st.fixed_dictionaries(
        {}, optional={name: _cells(CELLS[OWN[name]]) for name in ("shelf", *TYPED)}
    ).map(Attributes),
)


COLUMNS: dict[str, dict[str, Sequence[Value]]] = {
    "people": {"id": IDS, "boss": IDS, "rank": RANKS, "grade": NUMBERS, "desk": SHELVES},
    "boxes": {"owner": IDS, "shelf": SHELVES, "seal": STATUSES, "size": WEIGHTS},
    "things": {"owner": IDS, "second": IDS, "shelf": SHELVES, "status": STATUSES, "secret": SHELVES}
    | {"urgent": CELLS["boolean"], "size": NUMBERS, "weight": WEIGHTS},
}


def _records(table: str) -> st.SearchStrategy[list[Record]]:
    cells = {column: _cells(values) for column, values in COLUMNS[table].items()}
    return st.lists(st.fixed_dictionaries(cells), max_size=6).map(
        lambda rows: [
            {"key": f"{table}'{i}", **row} if table != "people" else row for i, row in enumerate(rows)
        ]
    )


worlds = st.fixed_dictionaries({table: _records(table) for table in COLUMNS})


def predicates(source: str) -> st.SearchStrategy[dict[str, Any]]:
    """Predicates on the records of a source; those on `things` look into `boxes` too, never back."""
    people = st.sampled_from(FIELDS[source])
    leaves: list[st.SearchStrategy[dict[str, Any]]] = [
        st.just({"always": True}),
        st.lists(st.sampled_from([*DEPARTMENTS[:3], "TOP"]), min_size=1, max_size=2).map(
            lambda d: {"department": d}
        ),
        st.integers(-1, 15).map(lambda n: {"level": {"min": n}}),
        st.integers(-1, 15).map(lambda n: {"level": {"max": n}}),
        st.lists(st.integers(-1, 15), min_size=1, max_size=3).map(lambda n: {"level": {"in": n}}),
        people.map(lambda f: {"self": f}),
        st.just({"self": list(FIELDS[source])}),
        people.map(lambda f: {"manages": f}),
        people.map(lambda f: {"outranks": f}),
    ]
    leaves += [_same(source), st.sampled_from([*OWN]).flatmap(lambda n: _one_of("persona", n, OWN[n]))]
    if source != "people":
        status = {"things": "status", "boxes": "seal"}[source]
        chosen = st.lists(st.sampled_from(STATUSES), min_size=1, max_size=2)
        leaves.append(chosen.map(lambda values: {"record": {"field": status, "in": values}}))
    if source == "things":
        leaves += [_one_of("record", name, kind) for name, kind in TYPED.items()]
        leaves += [st.sampled_from(JOINS).map(_may), st.sampled_from(JOINS).flatmap(_exists)]
    return st.recursive(
        st.one_of(leaves),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
            inner.map(lambda part: {"not": part}),
        ),
        max_leaves=5,
    )


def _one_of(whose: str, field: str, kind: CellType) -> st.SearchStrategy[dict[str, Any]]:
    chosen = st.lists(st.sampled_from(CELLS[kind]), min_size=1, max_size=2)
    return chosen.map(lambda values: {whose: {"field": field, "in": values}})


def _same(source: str) -> st.SearchStrategy[dict[str, Any]]:
    """A field of the persona and one of the record that can be equal."""
    table = next(table for table in TABLES if table.name == source)
    pairs = [
        (own, field)
        for own, kind in OWN.items()
        for field in table.columns
        if kind == table.type_of(field) or {kind, table.type_of(field)} == {"integer", "real"}
    ]
    return st.sampled_from(pairs).map(
        lambda pair: {"same": pair[0] if pair[0] == pair[1] else {"persona": pair[0], "record": pair[1]}}
    )


JOINS = (
    {"shelf": "shelf"},
    {"shelf": "shelf", "owner": "owner"},
    {"owner": "owner", "second": "owner"},
    {"size": "size"},
    {"weight": "size", "owner": "owner"},
)


def _may(on: dict[str, str]) -> dict[str, Any]:
    return {"may": {"operation": "read", "source": "boxes", "on": on}}


def _exists(on: dict[str, str]) -> st.SearchStrategy[dict[str, Any]]:
    fact = {"source": "boxes", "on": on}
    bare = st.just({"exists": fact})
    return st.one_of(
        bare, st.deferred(lambda: predicates("boxes")).map(lambda p: {"exists": {**fact, "when": p}})
    )


def _rule(name: str, operation: str, when: dict[str, Any], fields: list[str] | None = None) -> dict[str, Any]:
    return {"id": name, "operations": [operation], "when": when} | ({"fields": fields} if fields else {})


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Whole policies over `TABLES`."""
    things = [_rule(f"T{i}", "read", draw(predicates("things"))) for i in range(draw(st.integers(0, 2)))]
    updates = [
        _rule(f"U{i}", "update", draw(predicates("things")), fields)
        for i, fields in enumerate((None, ["status"], ["status", "owner"]))
        if draw(st.booleans())
    ]
    return {
        "format": "worksmith-policy/1",
        "groups": {"TOP": ["HR", "CE"]},
        "people": {
            "source": "people",
            "id": "id",
            "manager": "boss",
            "level": draw(st.sampled_from(["rank", "grade"])),
        },
        "sources": {
            "people": {"key": "id", "rules": [_rule("P", "read", draw(predicates("people")))]},
            "boxes": {"key": "key", "rules": [_rule("B", "read", draw(predicates("boxes")))]},
            "things": {
                "key": "key",
                "private": {"fields": ["secret"], "rule": {"id": "S", "when": draw(predicates("things"))}},
                "rules": things + updates,
            },
        },
    }


@dataclass
class Plain:
    """The rules in the plainest words: slow, literal, and sharing nothing with the engine."""

    document: Mapping[str, Any]
    world: Mapping[str, list[Record]]
    persona: Persona

    def may(self, source: str, operation: str, record: Record, field: str | None = None) -> bool:
        """Whether some rule allows it."""
        return self.persona.active and any(
            self.holds(rule["when"], record)
            for rule in self.document["sources"][source]["rules"]
            if operation in rule["operations"] and ("fields" not in rule or field in rule["fields"])
        )

    def sees(self, source: str, record: Record) -> bool:
        """Whether the private fields are shown."""
        when = self.document["sources"][source]["private"]["rule"]["when"]
        return self.persona.active and self.holds(when, record)

    def holds(self, when: Any, record: Record) -> bool:
        """Whether a predicate holds."""
        [(kind, value)] = when.items()
        return bool(getattr(self, f"_{kind}")(value, record))

    def _always(self, _value: Any, _record: Record) -> bool:
        return True

    def _all(self, parts: Any, record: Record) -> bool:
        return all(self.holds(part, record) for part in parts)

    def _any(self, parts: Any, record: Record) -> bool:
        return any(self.holds(part, record) for part in parts)

    def _not(self, part: Any, record: Record) -> bool:
        return not self.holds(part, record)

    def _department(self, names: Any, _record: Record) -> bool:
        codes = {code for name in names for code in (["HR", "CE"] if name == "TOP" else [name])}
        return self.persona.department in codes

    def _level(self, levels: Any, _record: Record) -> bool:
        level = self.persona.level
        if "in" in levels:
            return bool(level in levels["in"])
        return bool(level >= levels["min"] if "min" in levels else level <= levels["max"])

    def _self(self, fields: Any, record: Record) -> bool:
        return any(record[f] == self.persona.id for f in ([fields] if isinstance(fields, str) else fields))

    def _manages(self, field: str, record: Record) -> bool:
        reached: set[Value] = set()
        todo = [record[field]]
        while todo:
            person = todo.pop()
            for other in self.world["people"]:
                boss = other["boss"]
                if person is not None and other["id"] == person and boss is not None and boss not in reached:
                    reached.add(boss)
                    todo.append(boss)
        return self.persona.id in reached

    def _same(self, fields: Any, record: Record) -> bool:
        pair = {"persona": fields, "record": fields} if isinstance(fields, str) else fields
        own = self._own(pair["persona"])
        return own is not None and own == record[pair["record"]]

    def _persona(self, cell: Any, _record: Record) -> bool:
        return self._own(cell["field"]) in cell["in"]

    def _own(self, field: str) -> Value:
        if field in ("id", "department"):
            return str(getattr(self.persona, field)) or None
        own = self.persona.level if field == "level" else self.persona.attributes.get(field)
        return None if own == "" else own

    def _outranks(self, field: str, record: Record) -> bool:
        for person in self.world["people"]:
            rank = person[self.document["people"]["level"]]
            if record[field] is None or person["id"] != record[field]:
                continue
            if isinstance(rank, int) and rank < self.persona.level:
                return True
            if isinstance(rank, str):
                numeric = 1 <= len(rank) <= 2 and all(c in "0123456789" for c in rank)
                if numeric and int(rank) < self.persona.level:
                    return True
        return False

    def _record(self, cell: Any, record: Record) -> bool:
        return bool(record[cell["field"]] in cell["in"])

    def _joined(self, join: Any, record: Record) -> list[Record]:
        return [
            other
            for other in self.world[join["source"]]
            if all(
                record[here] is not None and record[here] == other[there]
                for here, there in join["on"].items()
            )
        ]

    def _may(self, join: Any, record: Record) -> bool:
        return any(self.may(join["source"], join["operation"], other) for other in self._joined(join, record))

    def _exists(self, join: Any, record: Record) -> bool:
        return any(
            "when" not in join or self.holds(join["when"], other) for other in self._joined(join, record)
        )


def database(world: Mapping[str, list[Record]]) -> apsw.Connection:
    """A database with these records."""
    connection = open_memory()
    for table in TABLES:
        for statement in table.ddl():
            connection.execute(statement)
        rows = [[record[column] for column in table.columns] for record in world[table.name]]
        connection.executemany(table.insert_sql(), rows)
    return connection


def policy_of(document: Mapping[str, Any]) -> AccessPolicy:
    """The engine over a document, checked against `TABLES`."""
    around = Surroundings({table.name: table for table in TABLES}, persona=OWN)
    return AccessPolicy(read_document(json.dumps(document), around), TABLES)


def guard_of(connection: apsw.Connection, persona: Persona, policy: AccessPolicy) -> Guard:
    """A guard over `TABLES`."""
    return Guard(ToolContext(connection, datetime(2022, 12, 31), persona, policy), TABLES)
