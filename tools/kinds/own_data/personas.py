"""Personas from a user's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worksmith.tools.access.document import People
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.persona import FIELDS, Attributes, Persona, Value
from worksmith.tools.sqlite.cells import CellType, CellValue, cell_text, typed_cell
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world import World

_MANAGER = ("manager", "manager_id", "reports_to")
_OWN_FIELDS = ("name", "email", "department", "level", "active")


class Personas:
    """The people of one table of a world. Its key is their id.

    The columns `name`, `email`, `department`, `level`, `active` and `manager` (or `manager_id`, `reports_to`)
    have this meaning, in any letter case. All others are attributes, and so is the manager. Without `active`
    everybody is active; with it, an empty cell means inactive.

    Args:
        table: with its key as the first index.

    Attributes:
        fields: the fields that rules can compare, with their types.
        people: where the hierarchy is recorded.

    Raises:
        InputError: a manager is not in the table or manages themselves, directly or not, or a cell does not
            fit its column.
    """

    def __init__(self, world: World, table: Table) -> None:
        self._table = table
        self._key = key = table.indexes[0]
        named = {column.lower(): column for column in table.columns if column != key}
        self._columns = {field: named[field] for field in _OWN_FIELDS if field in named}
        self._manager = next((named[name] for name in _MANAGER if name in named), None)
        level = self._columns.get("level")
        self.people = People(
            source=table.name,
            id=key,
            manager=self._manager,
            level=level if level and table.type_of(level) == "integer" else None,
        )
        self._rows = _rows(world, table, key)
        self._check()

    @property
    def fields(self) -> Mapping[str, CellType]:
        fields: dict[str, CellType] = {"id": "text"}
        named = {name: column for name, column in self._columns.items() if name != "active"}
        named |= {column: column for column in self._attributes}
        return fields | {name: self._table.type_of(column) for name, column in named.items()}

    @property
    def _attributes(self) -> list[str]:
        """The columns beyond the fields of every persona."""
        taken = {self._key, *self._columns.values()}
        return [column for column in self._table.columns if column not in taken]

    def ids(self) -> list[str]:
        """The ids of all personas."""
        return list(self._rows)

    def find(self, persona_id: str) -> Persona:
        """The persona with this id."""
        if persona_id not in self._rows:
            raise unknown("no persona", persona_id, self.ids(), f"{self._table.name}.{self._key}")
        return self._persona(persona_id, self._rows[persona_id])

    def _persona(self, persona_id: str, row: Mapping[str, CellValue]) -> Persona:
        own = {name: row[column] for name, column in self._columns.items()}
        texts = {name: cell_text(own[name]) for name in ("name", "email", "department") if name in own}
        level = own.get("level") if self.people.level else None
        # A field that no persona can hold as it stands is an attribute as well, which rules then compare.
        attributes = {column: row[column] for column in self._attributes}
        typed = {name: value for name, value in own.items() if name != "active" and not _fits(name, value)}
        return Persona(
            id=persona_id,
            name=texts.pop("name", "") or persona_id,
            **texts,
            level=level if isinstance(level, int) else 0,
            managers=self._managers(persona_id),
            active=bool(typed_cell(own.get("active", True), "boolean")),
            attributes=Attributes({name: _attribute(value) for name, value in (attributes | typed).items()}),
        )

    def _managers(self, persona_id: str) -> tuple[str, ...]:
        """All managers above, nearest first."""
        found: list[str] = []
        above = self._above.get(persona_id)
        while above is not None:
            found.append(above)
            above = self._above.get(above)
        return tuple(found)

    def _check(self) -> None:
        self._above: dict[str, str] = {}
        if self._manager:
            if self._table.type_of(self._manager) != self._table.type_of(self._key):
                kinds = self._table.type_of(self._manager), self._table.type_of(self._key)
                raise InputError(
                    f"{self._manager} is {kinds[0]} and {self._key} is {kinds[1]}: give both one type",
                    where=self._table.name,
                )
            for person, row in self._rows.items():
                if row[self._manager] not in (None, ""):
                    self._above[person] = cell_text(row[self._manager])
            self._check_managers()
        if active := self._columns.get("active"):
            for row in self._rows.values():
                try:
                    typed_cell(row[active], "boolean")
                except ValueError as error:
                    raise InputError(str(error), where=self._place(row[self._key], active)) from error

    def _check_managers(self) -> None:
        known = self._rows.keys()
        done: set[str] = set()
        for start, manager in self._above.items():
            if manager not in known:
                raise unknown("no such person", manager, sorted(known), self._place(start, self._manager))
            trail: dict[str, None] = {}
            person: str | None = start
            while person is not None and person not in done:
                if person in trail:
                    names = [*trail]
                    circle = " > ".join([*names[names.index(person) :], person])
                    raise InputError(
                        f"managers go in a circle: {circle}", where=self._place(person, self._manager)
                    )
                trail[person] = None
                person = self._above.get(person)
            done |= trail.keys()

    def _place(self, key: CellValue, column: str | None) -> str:
        return f"{self._table.name}, {self._key} {cell_text(key)}, column {column}"


class OnePersona:
    """The only persona of an environment, with the interface of `Personas`."""

    people = None

    def __init__(self, persona: Persona) -> None:
        self._persona = persona

    @property
    def fields(self) -> Mapping[str, CellType]:
        values = {name: self._persona.field(name) for name in (*FIELDS, *self._persona.attributes)}
        return {name: _type(value) for name, value in values.items() if value is not None}

    def ids(self) -> list[str]:
        return [self._persona.id]

    def find(self, persona_id: str) -> Persona:
        if persona_id != self._persona.id:
            raise InputError(f"no persona {persona_id!r}", hint="name the table of people: personas=...")
        return self._persona


def _type(value: CellValue) -> CellType:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "real"
    return "text"


def _attribute(value: CellValue) -> Value:
    """A cell as an attribute, which can be hashed: a nested value is its text."""
    return cell_text(value) if isinstance(value, list | dict) else value


def _fits(field: str, value: Any) -> bool:
    """Whether a field of every persona holds the value in its own type."""
    return value is None or (isinstance(value, int) and not isinstance(value, bool)) == (field == "level")


def _rows(world: World, table: Table, key: str) -> dict[str, dict[str, CellValue]]:
    """The rows by id."""
    rows = map(table.shown, world.rows(table.name, table.columns))
    return {cell_text(row[key]): row for row in rows if row[key] is not None}
