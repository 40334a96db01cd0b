"""The records of an org in an SQLite file: a table for each object, a column for each field, by API names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from worksmith.tools.errors import InputError
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.kinds.crm.generate.draft import written_moment
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.moments import read_moment
from worksmith.tools.kinds.crm.schema import IDS, NUMBERS, OBJECTS, CrmObject, Field
from worksmith.tools.kinds.own_data.sources.sqlite_files import SqliteTable, sqlite_tables
from worksmith.tools.sqlite.schema import columns_sql, quoted
from worksmith.tools.world import World

Cells = tuple[str | None, ...]
_TRUE, _FALSE = frozenset({"true", "1"}), frozenset({"false", "0"})


@dataclass
class OrgFile:
    """The records of a file, and what does not fit the objects of an org.

    Attributes:
        rows: by object, in the order of its table's columns.
        missing: objects that the file has no table for, and fields (`Case.Subject`) without a column.
        unknown: tables and columns outside the objects and fields.
        odd: by field the number of values that are not of its type; they are kept as they are.
        dropped: by object the number of rows without an id, or with one that another row has.
    """

    rows: dict[str, list[Cells]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    odd: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)


def read_org(path: Path) -> OrgFile:
    """The records in a file. Names count in any case.

    Raises:
        InputError: it is not an SQLite database, or has no table of an object.
    """
    tables = {name.lower(): table for name, table in sqlite_tables(path).items()}
    found = OrgFile()
    for each in OBJECTS.values():
        table = tables.pop(each.name.lower(), None)
        if table is None:
            found.missing.append(each.name)
        else:
            _read(each, table, found)
    found.unknown[:0] = sorted(table.where.rpartition(", table ")[2] for table in tables.values())
    if not found.rows:
        raise InputError(
            "no table is called like an object", where=str(path), hint=f"such as {', '.join(OBJECTS)}"
        )
    return found


def _read(each: CrmObject, table: SqliteTable, found: OrgFile) -> None:
    columns = {str(name).lower(): place for place, name in enumerate(table.names())}
    places = [columns.pop(name.lower(), None) for name in each.columns]
    found.missing += [f"{each.name}.{n}" for n, at in zip(each.columns, places, strict=True) if at is None]
    found.unknown += [f"{each.name}.{table.names()[at]}" for at in columns.values()]
    rows = found.rows.setdefault(each.name, [])
    seen: set[str | None] = {None}
    for _, cells in table.rows():
        made = tuple(
            None if at is None else _cell(cells[at], part, each, found)
            for at, part in zip(places, each.queryable, strict=True)
        )
        if made[0] in seen:
            found.dropped[each.name] = found.dropped.get(each.name, 0) + 1
            continue
        seen.add(made[0])
        rows.append(made)


def _cell(value: object, part: Field, each: CrmObject, found: OrgFile) -> str | None:
    """A value in the form in which query results print it."""
    if value is None or value == "":
        return None
    text = str(value).strip()
    made = _FORMS.get(part.type, str)(text)
    if made is None:
        name = f"{each.name}.{part.name}"
        found.odd[name] = found.odd.get(name, 0) + 1
        return text
    return made


def _boolean(text: str) -> str | None:
    return "true" if text.lower() in _TRUE else "false" if text.lower() in _FALSE else None


def _number(text: str) -> str | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return text.removesuffix(".0") if value.is_integer() and "e" not in text.lower() else repr(value)


def _day(text: str) -> str | None:
    moment = read_moment(text, lenient=True)
    return moment.date().isoformat() if moment else None


def _moment(text: str) -> str | None:
    moment = read_moment(text, lenient=True)
    return written_moment(moment) if moment else None


_FORMS: Mapping[str, Callable[[str], str | None]] = {
    "boolean": _boolean,
    "date": _day,
    "datetime": _moment,
    **dict.fromkeys(NUMBERS, _number),
    **dict.fromkeys(IDS, canonical),
}


def write_org(world: World, out: Path) -> dict[str, int]:
    """Write the records of a world to a file that `read_org` reads; returns their number by object.

    Raises:
        InputError: the file cannot be written.
    """
    counts: dict[str, int] = {}
    with closing(apsw.Connection(":memory:")) as file:
        for each in OBJECTS.values():
            file.execute(f"CREATE TABLE {quoted(each.name)} ({columns_sql(each.columns)})")
            rows = [tuple(row.values()) for row in world.rows(each.name, each.columns)]
            marks = ", ".join("?" * len(each.columns))
            file.executemany(f"INSERT INTO {quoted(each.name)} VALUES ({marks})", rows)
            counts[each.name] = len(rows)
        write_atomically(out, file.serialize("main"))
    return counts
