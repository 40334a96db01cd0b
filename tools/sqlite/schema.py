"""The form of a world's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worksmith.tools.files.data_files import read_toml
from worksmith.tools.sqlite.cells import BOOLEAN, JSON, CellType, CellValue, json_text, shown_cell

ROW = "_row"
"""The hidden position column, primary key of every table: rows keep their order, sessions can track them.

AUTOINCREMENT, so that a new row never takes the position of a deleted one: else deleting the last row and
adding another would look like a change of one row.
"""

SQL_TYPES: Mapping[CellType, str] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "real": "REAL",
    "boolean": BOOLEAN,
    "json": JSON,
}


@dataclass(frozen=True)
class Table:
    """One table of a world.

    Attributes:
        name: the SQL name.
        columns: the visible columns, in order.
        generated: columns whose value the tools make up for a new row (ids). They do not count
            when two outcomes are compared.
        exact: columns whose texts are compared exactly in outcomes; in others letter case does not count.
        free: columns of free text in free wording. Two outcomes may differ there; their required content is
            checked separately.
        scored: whether changes of the table count when two outcomes are compared.
        writable: whether some tool changes the table; only such tables are watched by an episode.
        indexes: columns to index.
        types: the types of columns; a column without one holds texts. Every cell may be NULL.
    """

    name: str
    columns: tuple[str, ...]
    generated: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    scored: bool = True
    writable: bool = True
    indexes: tuple[str, ...] = ()
    types: Mapping[str, CellType] = field(default_factory=dict, hash=False)

    def ddl(self) -> list[str]:
        """The statements that create the table and its indexes."""
        statements = [
            f"CREATE TABLE {quoted(self.name)} ({ROW} INTEGER PRIMARY KEY AUTOINCREMENT, {self.definitions})"
        ]
        for column in self.indexes:
            index = quoted(f"{self.name}_{column}")
            statements.append(f"CREATE INDEX {index} ON {quoted(self.name)} ({quoted(column)})")
        return statements

    @property
    def definitions(self) -> str:
        """The columns with their SQL types, for CREATE TABLE."""
        return ", ".join(f"{quoted(c)} {SQL_TYPES[self.type_of(c)]}" for c in self.columns)

    def type_of(self, column: str) -> CellType:
        return self.types.get(column, "text")

    def held(self, column: str, value: CellValue) -> CellValue:
        """A Python value of a column's type as SQLite holds it."""
        return json_text(value) if self.type_of(column) == "json" and value is not None else value

    def shown(self, cells: Mapping[str, CellValue]) -> dict[str, CellValue]:
        """Cells as SQLite gives them, as Python values of their types."""
        return {c: shown_cell(value, self.type_of(c)) for c, value in cells.items()}

    def insert_sql(self) -> str:
        """An INSERT of one whole row; parameters in the order of `columns`."""
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT INTO {quoted(self.name)} ({columns_sql(self.columns)}) VALUES ({marks})"


def read_tables(package: str, file: str) -> tuple[Table, ...]:
    """The tables of a TOML file of a package. Each has the attributes of `Table` below its name."""
    found = []
    for name, entry in read_toml(package, file).items():
        settings: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        found.append(Table(name, **settings))
    return tuple(found)


def quoted(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def columns_sql(columns: Sequence[str]) -> str:
    """A column list for SQL."""
    return ", ".join(quoted(c) for c in columns)
