"""A small org of random records, as Python values and as a database."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from worksmith.tools.kinds.crm.ids import make_id
from worksmith.tools.kinds.crm.schema import TABLES, CrmObject, Field, Schema, crm_schema
from worksmith.tools.kinds.crm.soql.literals import moment_cell

Org = dict[str, list[dict[str, Any]]]
"""By object its records, in the order of the table; cells as typed Python values."""

FIRST, LAST = date(2021, 12, 1), date(2023, 2, 1)
BUSY = date(2022, 12, 18)
"""Half of all days lie in the weeks after it, so that the edges of weeks, months and years are met often."""
WORDS = (
    "Alpha",
    "alpha",
    "ALPHA",
    "beta",
    "Beta x",
    "gamma_1",
    "100%",
    "O'Brien",
    "a\\b",
    "Élan",
    "élan",
    "z",
)


def random_org(chooser: random.Random, size: int = 12, schema: Schema | None = None) -> Org:
    """Up to `size` records of each object, some cells null, references to records that are there."""
    schema = schema or crm_schema()
    counts = {each.name: chooser.randint(1, size) for each in schema.objects}
    return {
        each.name: [_record(chooser, schema, each, counts, number) for number in range(counts[each.name])]
        for each in schema.objects
    }


def connect(org: Org) -> apsw.Connection:
    """A database with the records of `org`."""
    connection = apsw.Connection(":memory:")
    with connection:
        for table in TABLES:
            for statement in table.ddl():
                connection.execute(statement)
            rows = [[cell(record[name]) for name in table.columns] for record in org[table.name]]
            connection.executemany(table.insert_sql(), rows)
    return connection


def cell(value: Any) -> str | None:
    """A typed value as it stands in a table."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return moment_cell(value)
    return str(value)


def random_day(chooser: random.Random) -> date:
    """A day of the org's time."""
    if chooser.random() < 0.5:
        return BUSY + timedelta(days=chooser.randrange(21))
    return FIRST + timedelta(days=chooser.randrange((LAST - FIRST).days))


def moment(chooser: random.Random) -> datetime:
    """A point in time; often a midnight, where ranges begin and end."""
    day = random_day(chooser)
    seconds = chooser.choice((0, 0, 86_399, chooser.randrange(86_400)))
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=seconds)


def _record(
    chooser: random.Random, schema: Schema, each: CrmObject, counts: dict[str, int], number: int
) -> dict[str, Any]:
    values = {field.name: _value(chooser, schema, field, counts) for field in each.queryable}
    return values | {"Id": make_id(each.prefix, number)}


def _value(chooser: random.Random, schema: Schema, field: Field, counts: dict[str, int]) -> Any:
    if chooser.random() < 0.2:
        return None
    if field.type == "reference":
        target = schema.object(field.targets[0]) if field.targets else None
        return make_id(
            target.prefix if target else "0AA", chooser.randrange(counts[target.name] if target else 3)
        )
    return random_value(chooser, field)


def random_value(chooser: random.Random, field: Field) -> Any:
    """A value of a field's type that is no id."""
    match field.type:
        case "boolean":
            return chooser.random() < 0.5
        case "double" | "currency" | "int":
            return chooser.randint(-4, 12) / 4  # exact, so that sums are
        case "datetime":
            return moment(chooser)
        case "date":
            return moment(chooser).date()
        case _:
            return chooser.choice(field.values) if field.values else chooser.choice(WORDS)


def refusals(file: Path) -> list[tuple[str, str, str]]:
    """Code, message and statement by line; a statement has a mark where it is wrong."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    parts = [line.split(" | ", 2) for line in lines]
    return [(code, message, statement) for code, message, statement in parts]
