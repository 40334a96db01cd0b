"""Bounds for foreign statements and statements with foreign parts, in one place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import apsw

from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.memory import limited

COMPILING = {
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 100,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    apsw.SQLITE_LIMIT_COLUMN: 200,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 40,
    apsw.SQLITE_LIMIT_VDBE_OP: 20_000,
}
"""What bounds the work of compiling a statement."""

_TICK = 100
"""Steps of SQLite's machine between two looks at the bounds. Few: a function is one step, however long it
takes, and some (`instr`, `replace`, `trim`) take as long as both of their texts multiplied."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a statement may take.

    Attributes:
        steps: of SQLite's virtual machine; some hundred million a second.
        seconds: for steps that are slow.
        statement: characters of the statement.
        cell: bytes of one value or row; a single step may take as long as the square of it.
        pattern: bytes of a pattern of LIKE or GLOB.
        storage: bytes written to temporary files; None for no bound.
        tick: steps between two looks at the bounds.
    """

    steps: int = 100_000_000
    seconds: float = 5.0
    statement: int = 4_000
    cell: int = 100_000
    pattern: int = 200
    storage: int | None = 64_000_000
    tick: int = _TICK


class TooMuchError(ToolError):
    """A statement took more than its bounds."""


def check_text(text: str, bounds: Bounds, what: str) -> None:
    """See that a text can be a statement."""
    if len(text) > bounds.statement:
        raise ToolError(f"the {what} is too long: at most {bounds.statement} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"not valid SQL: {error.reason}") from error
    if "\0" in text:
        raise ToolError("not valid SQL: it contains a NUL character")


@contextmanager
def sized(connection: apsw.Connection, sizes: dict[int, int]) -> Iterator[None]:
    """The block runs under these limits of SQLite; the connection's own come back after it."""
    before = {which: connection.limit(which) for which in sizes}
    try:
        for which, size in sizes.items():
            connection.limit(which, size)
        yield
    finally:
        for which, size in before.items():
            connection.limit(which, size)


@contextmanager
def bounded(connection: apsw.Connection, bounds: Bounds, what: str) -> Iterator[None]:
    """Statements in the block run under `bounds`.

    Args:
        what: names the statement in messages.

    Raises:
        TooMuchError: they take more.
        ToolError: they fail.
    """
    steps, deadline = 0, time.monotonic() + bounds.seconds

    def tick() -> bool:
        nonlocal steps
        steps += bounds.tick
        return steps > bounds.steps or time.monotonic() > deadline

    sizes = {apsw.SQLITE_LIMIT_LENGTH: bounds.cell, apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: bounds.pattern}
    storage = nullcontext() if bounds.storage is None else limited(connection, bounds.storage)
    connection.set_progress_handler(tick, bounds.tick, id=tick)
    try:
        with sized(connection, sizes), storage:
            yield
    except apsw.InterruptError as error:
        raise TooMuchError(f"the {what} takes too long: narrow it down") from error
    except apsw.FullError as error:
        message = f"the {what} needs too much room for what it sorts or groups: narrow it down"
        raise TooMuchError(message) from error
    except apsw.TooBigError as error:
        raise TooMuchError(f"the {what} makes a value that is too long") from error
    except apsw.Error as error:
        raise ToolError(f"the {what} does not work: {error}") from error
    finally:
        connection.set_progress_handler(None, id=tick)
