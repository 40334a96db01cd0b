"""A foreign SELECT, run without access to other data.

The readable records are copied into temporary tables with the names of the sources, and the statement may
read only these. Running it over views of the base tables would be cheaper, but SQLite would have to be kept
from testing the statement's conditions on rows that the view leaves out afterwards (an error, or its
duration, would reveal them), and a view's own reads would need to be separated from those of a common table
expression that has the view's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from worksmith.tools.access.confinement import Confinement, Limits
from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.bounds import check_text
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.schema import Table, columns_sql, quoted

Views = Mapping[str, tuple[Table, str]]
"""For each source its table and a SELECT of its readable part, which gives the position first."""


def run_query(
    connection: apsw.Connection, views: Views, text: str, limits: Limits, parameters: Sequence[CellValue] = ()
) -> list[dict[str, Any]]:
    """The rows of the one SELECT in `text`, over tables with the rows of `views`.

    Raises:
        ToolError: the statement is wrong; the message has the fault.
    """
    check_text(text, limits, "SELECT")
    # A table that is not named cannot be read; naming one without reading it does no harm.
    named = {name: view for name, view in views.items() if name.lower() in text.lower()}
    with _tables(connection, named):
        confinement = Confinement(connection, frozenset(named), limits)
        _check_program(confinement.fetch(f"EXPLAIN {text}", parameters, explain=True)[1])
        for table, view in named.values():
            _fill(connection, table, view)
        labels, rows = confinement.fetch(text, parameters)
    return _labelled(labels, rows)


def _check_program(program: list[tuple[Any, ...]]) -> None:
    """Look at what SQLite would do: every table it opens must be a temporary one.

    The authorizer does not get the schema of a table without a read column, as in `count(*)`.
    """
    for _, operation, _, _, schema, *_ in program:
        if operation.startswith("VOpen") or (operation in _OPENS and schema != _TEMP):
            raise ToolError("only the sources can be read, by their bare names")


_OPENS = ("OpenRead", "ReopenIdx", "OpenWrite")
_TEMP = 1
"""SQLite's number for the schema of temporary tables."""


@contextmanager
def _tables(connection: apsw.Connection, views: Views) -> Iterator[None]:
    """Empty temporary tables, gone afterwards."""
    made = []
    try:
        for name, (table, _) in views.items():
            connection.execute(f"CREATE TEMP TABLE {quoted(name)} ({table.definitions})")
            made.append(name)
        yield
    finally:
        for name in made:
            connection.execute(f"DROP TABLE temp.{quoted(name)}")


def _fill(connection: apsw.Connection, table: Table, view: str) -> None:
    connection.execute(
        f"INSERT INTO temp.{quoted(table.name)} "
        f"SELECT {columns_sql(table.columns)} FROM ({view}) ORDER BY _row"
    )


def _labelled(columns: list[str], rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Rows as dicts; a second column of one name gets a number, so that no column is lost."""
    labels: list[str] = []
    for column in columns:
        label, number = column, 2
        while label in labels:
            label, number = f"{column}_{number}", number + 1
        labels.append(label)
    return [dict(zip(labels, row, strict=True)) for row in rows]
