"""Expected changes: checked against the tables, and made in them directly, without any tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw

from worksmith.evals.kinds.own_data.names import Names
from worksmith.evals.kinds.own_data.task import Cells, TableChanges
from worksmith.evals.kinds.own_data.values import AnyOf, Column, Exactly
from worksmith.tools.access.access_policy import key_column
from worksmith.tools.errors import InputError, unknown
from worksmith.tools.sqlite.cells import CellValue, cell_text
from worksmith.tools.sqlite.schema import ROW, columns_sql, quoted

if TYPE_CHECKING:
    from worksmith.evals.kinds.own_data.values import Value
    from worksmith.tools.environment import Environment
    from worksmith.tools.sqlite.outcome import Outcome
    from worksmith.tools.sqlite.schema import Table

Changes = Mapping[str, TableChanges]
"""Expected changes by table."""

_MOST_KEYS = 5_000
"""So many keys of a table are compared with one that is not there."""


class Nearest(NamedTuple):
    """The right outcome that is nearest to another one.

    Attributes:
        whole: whether each expected new row stands for a new row of the other one.
    """

    outcome: Outcome
    whole: bool


def check_changes(names: Names, changes: Changes, where: str) -> dict[str, TableChanges]:
    """Check that tables, columns and rows exist, and that values are of the columns' types."""
    for name, change in changes.items():
        table, place = names.table(name, where), f"{where}.{name}"
        if not table.writable or not table.scored:
            raise InputError(
                "no tool changes this table" if table.scored else "changes of this table are not scored",
                where=place,
            )
        for key, cells in change.rows.items():
            _check_cells(names, table, cells or {}, f"{place}.{key}")
            if cells is not None and not cells:
                raise InputError("no change: name a column, or null for a deletion", where=f"{place}.{key}")
        for number, cells in enumerate(change.new):
            _check_cells(names, table, cells, f"{place}.new.{number}")
        if change.rows:
            _check_rows(names.env, table, change.rows, place)
    return dict(changes)


def made_directly(env: Environment, changes: Changes, near: Outcome) -> Nearest:
    """The outcome of expected changes that is nearest to another one.

    For several right values, and in unstated columns of new rows, it has the values of the other outcome.

    Raises:
        InputError: a row is not there.
    """
    episode = env.episode()
    tables = {table.name: table for table in env.kind.tables}
    seen = near.changes  # before the edit, since both borrow a sandbox
    whole = True

    def body(connection: apsw.Connection) -> None:
        nonlocal whole
        for name, change in changes.items():
            table = tables[name]
            made = [each for each in seen if each.table == name]
            updated = {each.row: each.after for each in made if each.operation == "update"}
            for key, cells in change.rows.items():
                _change_row(connection, env, table, key, cells, updated)
            added = [each.after for each in made if each.operation == "insert"]
            pairs = _pairs(table, change.new, added)
            whole = whole and len(pairs) == len(change.new)
            for number, cells in enumerate(change.new):
                row = added[pairs[number]] if number in pairs else _examples(table, cells)
                _add_row(connection, table, row)

    episode.edit(body)
    return Nearest(episode.outcome(), whole)


def _check_cells(names: Names, table: Table, cells: Cells, where: str) -> None:
    names.columns(table, cells, where)
    for column, value in cells.items():
        for each in value.any if isinstance(value, AnyOf) else (value,):
            try:
                if isinstance(each, Exactly):
                    Column.of(table, column).typed(each.root)
            except ValueError as error:
                raise InputError(str(error), where=f"{where}.{column}") from error


def _check_rows(env: Environment, table: Table, keys: Iterable[str], where: str) -> None:
    column = key_column(env.policy, table)

    def body(connection: apsw.Connection) -> None:
        for key in keys:
            if _stored(connection, table, column, key) is None:
                some = f"SELECT {quoted(column)} FROM main.{quoted(table.name)} LIMIT {_MOST_KEYS}"
                known = [cell_text(value) for (value,) in connection.execute(some)]
                raise unknown(f"no row of {table.name} with the {column}", key, known, f"{where}.{key}")

    env.episode().edit(body)


def _stored(connection: apsw.Connection, table: Table, column: str, key: str) -> dict[str, CellValue] | None:
    """The cells of a row with its position under `ROW`; None if it is not there."""
    try:
        value = Column.of(table, column).typed(key)
    except ValueError:
        return None
    columns = columns_sql((ROW, *table.columns))
    found = next(
        connection.execute(
            f"SELECT {columns} FROM main.{quoted(table.name)} WHERE {quoted(column)} = ?", (value,)
        ),
        None,
    )
    if found is None:
        return None
    return {ROW: found[0], **table.shown(dict(zip(table.columns, found[1:], strict=True)))}


def _change_row(
    connection: apsw.Connection,
    env: Environment,
    table: Table,
    key: str,
    cells: Cells | None,
    updated: Mapping[int, Mapping[str, CellValue]],
) -> None:
    stored = _stored(connection, table, key_column(env.policy, table), key)
    if stored is None:
        raise InputError(f"{table.name} has no row {key}")
    row = stored[ROW]
    assert isinstance(row, int)
    if cells is None:
        connection.execute(f"DELETE FROM main.{quoted(table.name)} WHERE {ROW} = ?", (row,))
        return
    now = {**stored, **updated.get(row, {})}
    values = {
        column: now[column] if _right(table, column, value, now[column]) else _example(table, column, value)
        for column, value in cells.items()
    }
    assignments = ", ".join(f"{quoted(column)} = ?" for column in values)
    connection.execute(
        f"UPDATE main.{quoted(table.name)} SET {assignments} WHERE {ROW} = ?",
        (*(table.held(column, value) for column, value in values.items()), row),
    )


def _add_row(connection: apsw.Connection, table: Table, cells: Mapping[str, CellValue]) -> None:
    insert = table.insert_sql().replace("INTO ", "INTO main.", 1)
    connection.execute(insert, tuple(table.held(column, cells.get(column)) for column in table.columns))


def _pairs(table: Table, wanted: Sequence[Cells], added: Sequence[Mapping[str, CellValue]]) -> dict[int, int]:
    """The index of a new row for as many expected ones as possible, by the index of the expected one."""
    holder: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for index, row in enumerate(added):
            if index not in tried and all(_right(table, c, v, row.get(c)) for c, v in wanted[number].items()):
                tried.add(index)
                if index not in holder or place(holder[index], tried):
                    holder[index] = number
                    return True
        return False

    for number in range(len(wanted)):
        place(number, set())
    return {number: index for index, number in holder.items()}


def _right(table: Table, name: str, value: Value, cell: CellValue) -> bool:
    """Whether a cell has an expected value. In free text any text has."""
    if isinstance(value, Exactly) and name in table.free:
        return bool(cell) == bool(value.root)
    return value.fits(cell, Column.of(table, name))


def _examples(table: Table, cells: Cells) -> dict[str, CellValue]:
    return {column: _example(table, column, value) for column, value in cells.items()}


def _example(table: Table, name: str, value: Value) -> CellValue:
    """A right value; the expectation in words if it is unknown."""
    column = Column.of(table, name)
    if isinstance(value, Exactly):
        return column.typed(value.root)
    try:
        return column.typed(value.example) if value.example is not None else f"({value.said})"
    except ValueError:
        return f"({value.said})"
