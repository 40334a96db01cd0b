"""What drafts know of the tables of an environment: rows, keys, names, categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from worksmith.tools.access.access_policy import key_column
from worksmith.tools.kinds.own_data.sources.nouns import singular
from worksmith.tools.sqlite.cells import CellValue, cell_text
from worksmith.tools.sqlite.schema import Table

if TYPE_CHECKING:
    from worksmith.tools.environment import Environment
    from worksmith.tools.world import World

Row = Mapping[str, CellValue]

_MOST_ROWS = 2_000
"""So many rows of a table are drawn from."""

_MOST_VALUES, _ROWS_A_VALUE = 20, 2
"""A category has at most 20 values, and on average at least 2 rows for each."""

_LONGEST = 60
"""Characters of a value that a query quotes."""


@dataclass(frozen=True)
class TableFacts:
    """A table as drafts see it.

    Attributes:
        key: the column by which rows are named.
        rows: the first rows, each with the Python values of its cells.
    """

    table: Table
    key: str
    rows: Sequence[Row]

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def noun(self) -> str:
        """One row in words."""
        return words(singular(self.name))

    @property
    def nouns(self) -> str:
        """Several rows in words."""
        return words(self.name)

    @cached_property
    def naming(self) -> Sequence[str]:
        """Columns of text, apart from the key, whose values name one row each."""
        return [c for c in self.table.columns if c != self.key and self._names(c)]

    @cached_property
    def categories(self) -> Mapping[str, Sequence[CellValue]]:
        """The values of each column with few, sorted."""
        found = {}
        for column in self.table.columns:
            if self.table.type_of(column) == "json":
                continue
            values = Counter(row[column] for row in self.rows if row[column] is not None)
            few = 2 <= len(values) <= _MOST_VALUES and len(self.rows) >= _ROWS_A_VALUE * len(values)
            if column != self.key and few and all(quotable(value) for value in values):
                found[column] = sorted(values, key=lambda value: (str(type(value)), value))
        return found

    def argument(self, name: str) -> str | None:
        """The column that an argument of a tool stands for by its name; None without one."""
        folded = {column.lower(): column for column in self.table.columns}
        if (found := folded.get(name.lower())) is not None:
            return found
        one = singular(self.name).lower()
        if name.lower() in {f"{one}_{self.key}".lower(), f"{one}_id", f"{one}_key", one}:
            return self.key
        return None

    def _names(self, column: str) -> bool:
        values = [row[column] for row in self.rows]
        texts = all(isinstance(value, str) and quotable(value) for value in values)
        return texts and len(set(map(str, values))) == len(values) > 1


def facts_of(env: Environment) -> list[TableFacts]:
    """The facts of all tables."""
    return [TableFacts(t, key_column(env.policy, t), _rows(env.world, t)) for t in env.kind.tables]


def words(name: str) -> str:
    """The words of an identifier."""
    return " ".join(name.replace("_", " ").split()).lower()


def quotable(value: CellValue) -> bool:
    """Whether a query can quote a value."""
    text = cell_text(value)
    return bool(text.strip()) and len(text) <= _LONGEST and "\n" not in text and '"' not in text


def _rows(world: World, table: Table) -> list[Row]:
    return [table.shown(row) for row in islice(world.rows(table.name, table.columns), _MOST_ROWS)]
