"""Recipes: which columns of a table the arguments of a tool stand for, by their names."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from worksmith.evals.kinds.own_data.drafting.facts import Row, TableFacts, quotable

if TYPE_CHECKING:
    from worksmith.tools.sqlite.cells import CellValue
    from worksmith.tools.tool import Tool

_PHRASES = ("Done by phone.", "Sorted out with the supplier.", "No longer needed.", "As agreed on Monday.")
"""Texts for arguments whose column has no text that can be quoted."""


@dataclass(frozen=True)
class Recipe:
    """A tool, a table, and the column of the table for each argument that is given.

    Attributes:
        columns: by argument.
        others: by argument the values of a column of another table, such as the names of people.
    """

    tool: Tool
    facts: TableFacts
    columns: Mapping[str, str]
    others: Mapping[str, Sequence[CellValue]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.tool.name.partition('.')[2]}({','.join([*self.columns, *self.others])})"

    @property
    def by_key(self) -> str | None:
        """The argument that has the key; None without one."""
        return next((name for name, column in self.columns.items() if column == self.facts.key), None)

    def of_row(self, row: Row) -> dict[str, Any] | None:
        """The arguments from a row; None if a cell is empty or cannot be quoted."""
        values = {name: row[column] for name, column in self.columns.items()}
        return values if all(quotable(value) for value in values.values()) else None

    def of_others(self, row: Row, draw: random.Random) -> dict[str, Any]:
        """The arguments of a change: the row's key, and values of other rows that differ from the row's."""
        values: dict[str, Any] = {name: draw.choice(known) for name, known in self.others.items()}
        for name, column in self.columns.items():
            if column == self.facts.key:
                values[name] = row[column]
                continue
            stated = choices(self.tool, name)
            known = {each[column] for each in self.facts.rows if quotable(each[column])}
            wanted = sorted((known & set(stated)) or stated or known, key=str)
            others = [value for value in wanted if value != row[column]]
            text = self.facts.table.type_of(column) == "text"
            values[name] = draw.choice(others or (_PHRASES if text else wanted or [1]))
        return values


def recipes_of(tool: Tool, facts: TableFacts, tables: Sequence[TableFacts]) -> Iterator[Recipe]:
    """The recipes of a tool on a table: the required arguments, and with them each optional one.

    Args:
        tables: all tables; an argument of a change may be called like a row of another one.
    """
    required = required_arguments(tool)
    if tool.writes and len(missing := [name for name in required if facts.argument(name) is None]) == 1:
        yield from _naming_others(tool, facts, missing[0], tables)
    columns = {name: facts.argument(name) for name in tool.arguments}
    base = {name: column for name in required if (column := columns[name]) is not None}
    if len(base) < len(required) or len(set(base.values())) < len(base):
        return
    if base:
        yield Recipe(tool, facts, base)
    for name, column in columns.items():
        if name not in required and column is not None and column not in base.values():
            yield Recipe(tool, facts, {**base, name: column})


def _naming_others(
    tool: Tool, facts: TableFacts, missing: str, tables: Sequence[TableFacts]
) -> Iterator[Recipe]:
    """The recipes of a change with one argument that is called like a row of another table."""
    found = {name: facts.argument(name) for name in required_arguments(tool)}
    columns = {name: column for name, column in found.items() if column is not None}
    if facts.key not in columns.values():
        return
    for other in tables:
        if other.name != facts.name and missing.lower() in (other.noun, f"{other.noun}_id"):
            for column in (other.key, *other.naming):
                values = [row[column] for row in other.rows if quotable(row[column])]
                if values:
                    yield Recipe(tool, facts, columns, {missing: values})


def required_arguments(tool: Tool) -> list[str]:
    """The required arguments of a call."""
    return [name for name in tool.arguments if name in tool.parameters.get("required", ())]


def choices(tool: Tool, argument: str) -> list[Any]:
    """The values that a tool allows for an argument; empty if it allows any of a type."""
    schema = tool.parameters.get("properties", {}).get(argument, {})
    single = [each for each in schema.get("anyOf", ()) if each.get("minimum", "") == each.get("maximum")]
    return [*schema.get("enum", ()), *(each["minimum"] for each in single)]
