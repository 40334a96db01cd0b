"""Checks of any record: ids, references, values of picklists."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.tools.kinds.crm.generate.draft import Built
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import IDS, OBJECTS, Field, crm_schema


def problems(built: Built) -> Iterator[str]:
    """Ids that are none or not unique, references to nothing, values outside their list."""
    ids = {name: {str(row[0]) for row in rows} for name, rows in built.rows.items()}
    schema = crm_schema("lookup")
    for name, rows in built.rows.items():
        if len(ids[name]) != len(rows):
            yield f"{name}: {len(rows) - len(ids[name])} ids are not unique"
        for place, field in enumerate(OBJECTS[name].columns):
            definition = schema.object(name).field(field)  # type: ignore[union-attr]
            assert definition is not None
            yield from _of_field(name, definition, (row[place] for row in rows), ids)


def _of_field(
    name: str, field: Field, values: Iterator[str | None], ids: dict[str, set[str]]
) -> Iterator[str]:
    allowed = set().union(*(ids.get(target, set()) for target in field.targets))
    for value in values:
        if value is None:
            continue
        if field.type in IDS and canonical(value) != value:
            yield f"{name}.{field.name}: {value} is no id"
        if field.targets and value not in allowed:
            yield f"{name}.{field.name}: {value} is no {' or '.join(field.targets)}"
        if field.values and value not in field.values:
            yield f"{name}.{field.name}: {value} is not in the list"
