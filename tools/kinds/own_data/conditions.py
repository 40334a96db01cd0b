"""Conditions over the columns of one table: by values, and in SQL of a tool."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import apsw
from apsw.ext import query_info

from worksmith.tools.access.confinement import FUNCTIONS
from worksmith.tools.access.guard import Sql
from worksmith.tools.errors import InputError, ToolError
from worksmith.tools.sqlite.bounds import COMPILING, Bounds, check_text, sized
from worksmith.tools.sqlite.cells import CellValue, typed_cell
from worksmith.tools.sqlite.memory import open_memory
from worksmith.tools.sqlite.schema import Table, quoted


def equals(table: Table, column: str, value: Any) -> Sql:
    """The condition that a column has a value: None is NULL, a list stands for one of several values.

    In a JSON column a list is a value itself, and a tuple or set stands for one of several.
    """
    if column not in table.columns:
        raise ToolError(f"{table.name} has no field {column}; it has {', '.join(table.columns)}")
    if value is None:
        return f"{quoted(column)} IS NULL", []
    if isinstance(value, tuple | set | frozenset) or (
        isinstance(value, list) and table.type_of(column) != "json"
    ):
        return one_of(table, column, value)
    return f"{quoted(column)} = ?", [typed(table, column, value)]


def one_of(table: Table, column: str, values: Iterable[Any]) -> Sql:
    """The condition that a column has one of some values; raises as `equals` does."""
    parameters = [typed(table, column, value) for value in values]
    return f"{quoted(column)} IN ({', '.join('?' * len(parameters))})", parameters


def typed(table: Table, column: str, value: Any) -> CellValue:
    """A value as a cell of a column."""
    try:
        return typed_cell(value, table.type_of(column))
    except ValueError as error:
        raise ToolError(f"{column} of {table.name}: {error}") from error


def check_condition(table: Table, where: str, parameters: int, order: str = "1") -> None:
    """See that a piece of SQL names columns of its table and nothing else.

    It would run beside the guarded rows, so that a table that it names would be read without the guard, and
    a SELECT inside it could run for ever.
    """
    fault = _fault(table, where, parameters, order)
    if fault:
        raise InputError(
            f"no condition or order over the columns of {table.name}: {fault}",
            where=where if order == "1" else order,
            hint="use ctx.select for more than one table",
        )


_OF_CONDITIONS = (apsw.SQLITE_LIMIT_EXPR_DEPTH, apsw.SQLITE_LIMIT_FUNCTION_ARG, apsw.SQLITE_LIMIT_VDBE_OP)
_OWN = 3
"""The SELECTs of the statement that checks a condition."""


@lru_cache(maxsize=1024)
def _fault(table: Table, where: str, parameters: int, order: str) -> str:
    """SQLite's objection to it without any table; empty without one."""
    try:
        check_text(where + order, Bounds(), "condition or order")
    except ToolError as error:
        return str(error)
    connection = open_memory()
    columns = ", ".join(f"NULL AS {quoted(column)}" for column in table.columns)
    refused: list[str] = []
    selects = 0

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        nonlocal selects
        selects += action == apsw.SQLITE_SELECT
        if action == apsw.SQLITE_FUNCTION and str(second).lower() not in FUNCTIONS:
            refused.append(f"no function {second}")
        elif action not in (apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION) or selects > _OWN:
            refused.append("it has a SELECT inside")
        return apsw.SQLITE_DENY if refused else apsw.SQLITE_OK

    connection.authorizer = authorize
    try:
        # In brackets and separate lines, which neither a semicolon nor a comment can leave.
        with sized(connection, {name: COMPILING[name] for name in _OF_CONDITIONS}):
            found = query_info(
                connection,
                f"SELECT 1 FROM (SELECT 1 FROM (SELECT {columns}) WHERE ({where}\n) ORDER BY {order}\n)",
            )
    except apsw.Error as error:
        return refused[0] if refused else str(error)
    finally:
        connection.close()
    if found.query_remaining:
        return "more than one statement"
    if found.bindings_count != parameters:
        return f"{found.bindings_count} question marks and {parameters} values"
    return ""
