"""Values that the platform asks for in a new record and those that it makes up (`rules.toml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import apsw

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.kinds.crm.ids import ORG, make_id, number_of
from worksmith.tools.kinds.crm.schema import OBJECTS, CrmObject, Field
from worksmith.tools.sqlite.schema import quoted


@dataclass(frozen=True)
class Made:
    """The origin of an unset value; see the head of `rules.toml`."""

    by: Literal["number", "join", "equal", "product", "parent", "fixed", "id", "contact"]
    of: tuple[str, ...] = ()
    value: str = ""
    prefix: str = ""
    width: int = 0


@dataclass(frozen=True)
class Rules:
    """The rules of one object. `audit`: see the head of `rules.toml`."""

    required: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    audit: tuple[str, ...] = ()
    made: Mapping[str, Made] = field(default_factory=dict)

    def writable(self, name: str, *, creating: bool, audit: bool) -> bool:
        """Whether a client may set a field.

        Args:
            audit: whether the org lets dates be set that are the system's own; only in a new record.
        """
        if name == "Id" or name in self.made:
            return False
        return name not in self.audit or (creating and audit)

    def given(self, field: Field) -> bool:
        """Whether every record has a value there although no client need give one."""
        return field.name == "Id" or field.name in self.defaults or field.name in self.made


@cache
def rules(name: str) -> Rules:
    """The rules of the object called `name`, exactly."""
    return _all()[name]


@cache
def _all() -> dict[str, Rules]:
    data = read_toml(__package__, "rules.toml")
    assert data.keys() == OBJECTS.keys()
    return {name: _rules(entry) for name, entry in data.items()}


def _rules(entry: dict[str, Any]) -> Rules:
    made = {name: _made(how) for name, how in entry.get("made", {}).items()}
    lists = {name: tuple(entry.get(name, ())) for name in ("required", "audit")}
    return Rules(lists["required"], entry.get("defaults", {}), lists["audit"], made)


def _made(how: dict[str, Any]) -> Made:
    of = how.get("of", ())
    return Made(**{**how, "of": (of,) if isinstance(of, str) else tuple(of)})


Cells = dict[str, str | None]

_DIGITS = re.compile(r"\d+$", re.ASCII)


class Numbers:
    """The running numbers of a served org. None is given twice, not even after a delete.

    Not thread-safe.
    """

    def __init__(self, last: Mapping[str, int]) -> None:
        self._last = dict(last)

    @classmethod
    def of(cls, connection: apsw.Connection) -> Numbers:
        last: dict[str, int] = {}
        for entity in OBJECTS.values():
            last[entity.name] = _highest_id(connection, entity.name, "Id", entity.prefix)
            for name, made in rules(entity.name).made.items():
                if made.by == "number":
                    last[_series(entity.name, name)] = _highest_number(connection, entity.name, name)
                if made.by == "id":
                    last[_series(entity.name, name)] = _highest_id(connection, entity.name, name, made.prefix)
        return cls(last)

    def next(self, series: str) -> int:
        self._last[series] += 1
        return self._last[series]

    def id(self, entity: CrmObject) -> str:
        return make_id(entity.prefix, self.next(entity.name))

    def once(self, entity: CrmObject, name: str, made: Made) -> str:
        match made.by:
            case "number":
                return made.prefix + str(self.next(_series(entity.name, name))).zfill(made.width)
            case "id":
                return make_id(made.prefix, self.next(_series(entity.name, name)))
            case "contact":
                return self.id(OBJECTS["Contact"])
        return made.value


def fill_in(connection: apsw.Connection, entity: CrmObject, cells: Cells, numbers: Numbers | None) -> None:
    """Set the values that the platform makes. `numbers`: for a new record; None after a change."""
    for name, made in rules(entity.name).made.items():
        match made.by:
            case "join":
                cells[name] = " ".join(text for part in made.of if (text := cells.get(part))) or None
            case "equal":
                cells[name] = "true" if cells.get(made.of[0]) == made.value else "false"
            case "product":
                cells[name] = _product(cells, made)
            case "parent":
                cells[name] = _of_parent(connection, entity, cells, made)
            case _ if numbers:
                cells[name] = numbers.once(entity, name, made)


def contact_of(account: Cells) -> Cells:
    contact: Cells = dict.fromkeys(OBJECTS["Contact"].columns)
    contact |= {name: account[name] for name in ("Name", "FirstName", "LastName")}
    return contact | {
        "Id": account["PersonContactId"],
        "AccountId": account["Id"],
        "Email": account["PersonEmail"],
    }


def _series(table: str, column: str) -> str:
    return f"{table}.{column}"


def _highest_id(connection: apsw.Connection, table: str, column: str, prefix: str) -> int:
    """The number of the last id that was made as `make_id` makes them; 0 without one."""
    name = quoted(column)
    sql = f"SELECT max({name}) FROM {quoted(table)} WHERE {name} GLOB ?"
    last: str | None = connection.execute(sql, (f"{prefix}{ORG}*",)).get
    return number_of(last) if last else 0


def _highest_number(connection: apsw.Connection, table: str, column: str) -> int:
    last: str | None = connection.execute(f"SELECT max({quoted(column)}) FROM {quoted(table)}").get
    digits = _DIGITS.search(last or "")
    return int(digits[0]) if digits else 0


def _product(cells: Cells, made: Made) -> str | None:
    first, second = (cells.get(name) for name in made.of)
    return None if first is None or second is None else f"{float(first) * float(second):.2f}"


def _of_parent(connection: apsw.Connection, entity: CrmObject, cells: Cells, made: Made) -> str | None:
    field = OBJECTS[entity.name].field(made.of[0])
    assert field is not None
    sql = f'SELECT {quoted(made.value)} FROM {quoted(field.targets[0])} WHERE "Id" = ?'
    found: str | None = connection.execute(sql, (cells.get(field.name),)).get
    return found
