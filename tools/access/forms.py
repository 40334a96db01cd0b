"""The compiled forms of a condition: Python over one record, and SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from worksmith.tools.access.conditions import (
    Below,
    Both,
    Condition,
    Constant,
    Either,
    OneOf,
    Opposite,
    Related,
    Under,
)
from worksmith.tools.access.lookup import Lookup, Record
from worksmith.tools.access.values import Stored
from worksmith.tools.sqlite.schema import quoted


def holds(condition: Condition, record: Record, lookup: Lookup) -> bool:
    """The Python form."""
    match condition:
        case Constant():
            return condition.value
        case OneOf():
            return record.get(condition.field) in condition.values
        case Under():
            value = record.get(condition.field)
            return isinstance(value, int | float) and value < condition.limit
        case Both():
            return all(holds(part, record, lookup) for part in condition.parts)
        case Either():
            return any(holds(part, record, lookup) for part in condition.parts)
        case Opposite():
            return not holds(condition.part, record, lookup)
        case Related():
            return _some_related(condition, record, lookup)
        case Below():
            return _is_below(condition, record.get(condition.field), lookup)
    assert_never(condition)


def _some_related(condition: Related, record: Record, lookup: Lookup) -> bool:
    match: dict[str, Stored] = {}
    for here, there in condition.on:
        value = record.get(here)
        if value is None or match.setdefault(there, value) != value:
            return False
    related = lookup.records(condition.source, match)
    return any(holds(condition.condition, other, lookup) for other in related)


def _is_below(condition: Below, employee: Stored | None, lookup: Lookup) -> bool:
    above = {employee} if employee is not None else set()
    seen: set[Stored] = set()
    while above:
        seen |= above
        found = {
            record.get(condition.manager_field)
            for person in sorted(above, key=str)
            for record in lookup.records(condition.source, {condition.id_field: person})
        }
        if condition.manager in found:
            return True
        above = {person for person in found if person is not None} - seen
    return False


def sql(condition: Condition, alias: str = "r") -> str:
    """The SQL form: a boolean over the row called `alias`.

    It is true exactly where the condition holds. Where it does not, it may be NULL as well as false, so it
    must not be negated from outside.
    """
    match condition:
        case Constant():
            return "1" if condition.value else "0"
        case OneOf():
            column = f"{alias}.{quoted(condition.field)}"
            if len(condition.values) == 1:
                return f"{column} = {literal(condition.values[0])}"
            return f"{column} IN ({', '.join(map(literal, condition.values))})"
        case Under():
            return f"{alias}.{quoted(condition.field)} < {condition.limit}"
        case Both():
            return _joined("AND", [sql(part, alias) for part in condition.parts])
        case Either():
            return _joined("OR", [sql(part, alias) for part in condition.parts])
        case Opposite():
            return f"({sql(condition.part, alias)}) IS NOT TRUE"
        case Related():
            return _related_sql(condition, alias)
        case Below():
            return _below_sql(condition, alias)
    assert_never(condition)


def _joined(operator: str, parts: Sequence[str]) -> str:
    """The parts joined by an operator; many as a tree, since SQLite limits the depth of expressions."""
    if len(parts) > _IN_A_ROW:
        half = len(parts) // 2
        parts = [_joined(operator, parts[:half]), _joined(operator, parts[half:])]
    return f" {operator} ".join(f"({part})" for part in parts)


_IN_A_ROW = 50


def _related_sql(condition: Related, alias: str) -> str:
    other = f"{alias}x"
    if condition.indexed:
        # A record or two by the index, where the list below would be made of the whole source.
        pairs = (f"{other}.{quoted(there)} = {alias}.{quoted(here)}" for here, there in condition.on)
        return (
            f"EXISTS (SELECT 1 FROM main.{quoted(condition.source)} AS {other} "
            f"WHERE {' AND '.join(pairs)} AND ({sql(condition.condition, other)}))"
        )
    here = ", ".join(f"{alias}.{quoted(field)}" for field, _ in condition.on)
    there = ", ".join(f"{other}.{quoted(field)}" for _, field in condition.on)
    if len(condition.on) > 1:
        here = f"({here})"
    return (
        f"{here} IN (SELECT {there} FROM main.{quoted(condition.source)} AS {other} "
        f"WHERE {sql(condition.condition, other)})"
    )


def _below_sql(condition: Below, alias: str) -> str:
    source, person = f"main.{quoted(condition.source)}", f"p.{quoted(condition.id_field)}"
    manager = f"p.{quoted(condition.manager_field)}"
    # UNION, not UNION ALL: it ends even where the records go in a circle.
    return (
        f"{alias}.{quoted(condition.field)} IN (WITH RECURSIVE below(id) AS ("
        f"SELECT {person} FROM {source} AS p WHERE {manager} = {literal(condition.manager)} "
        f"UNION SELECT {person} FROM {source} AS p JOIN below ON {manager} = below.id) "
        "SELECT id FROM below)"
    )


def literal(value: Stored) -> str:
    """`value` as an SQL literal."""
    if not isinstance(value, str):
        return repr(value)
    if "\0" in value:  # ends a statement in the middle, quoted or not
        return f"CAST(X'{value.encode().hex()}' AS TEXT)"
    return "'" + value.replace("'", "''") + "'"
