"""The input and the results of a tool function: the episode's data, clock and persona; shortened results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from worksmith.tools.persona import Persona
from worksmith.tools.policy import Decision, Policy
from worksmith.tools.sqlite.cells import CellValue
from worksmith.tools.sqlite.outcome import Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from worksmith.retrievers.index.library import Library
    from worksmith.tools.user import User


@dataclass(frozen=True, slots=True)
class Shown:
    """A result that is too long to be read: the agent sees `text` in its place.

    Attributes:
        value: the whole result, as JSON-able data. Later calls can refer to it, see `ToolContext.results`.
        text: adds nothing to the value.
    """

    value: Any
    text: str


class PastCall(NamedTuple):
    """An earlier call of an episode.

    Attributes:
        value: its whole result; None after a failure.
        reads: references of the records that it has read.
    """

    tool: str
    arguments: Any
    value: Any
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """A tool's view of its episode, valid for one call.

    Attributes:
        connection: the episode's database with its changes so far.
        now: the episode's clock.
        persona: on whose behalf the call is made.
        policy: the access rules of the world.
        changeset: the changes of the episode before this call; the connection shows it.
        library: the search indexes over the unchanged world, if it has any.
        ask: asks the agent's own model; None without one.
        calls: the earlier calls of the episode, in order.
        user: who answers the agent; None without one.
        backend: a live system that tools work on instead of the world; None without one.
        reads: references (`source/key`) of the records that the call has read, filled by their guard;
            `source#private/key` where private fields were among it, `source/*` for all rows that the source
            could have.
        granted: the allowed decisions of the call by record, the last one last.
        written: the cells that the call has overwritten, also with the value that they had.
        withheld: the private fields that the result lacks or shows empty, filled by their guard. The
            observation names them.
        announced: the sources of the note that the observation holds only readable records.
    """

    connection: apsw.Connection
    now: datetime
    persona: Persona
    policy: Policy
    changeset: bytes = b""
    library: Library | None = None
    ask: Callable[[str], str] | None = None
    calls: tuple[PastCall, ...] = ()
    user: User | None = None
    backend: object | None = None
    reads: set[str] = field(default_factory=set)
    granted: list[Decision] = field(default_factory=list)
    written: set[Cell] = field(default_factory=set)
    withheld: set[str] = field(default_factory=set)
    announced: set[str] = field(default_factory=set)

    @property
    def results(self) -> tuple[Any, ...]:
        """The whole result of each earlier call; None for a failed one."""
        return tuple(call.value for call in self.calls)

    def rows(self, sql: str, parameters: Sequence[CellValue] = ()) -> list[dict[str, Any]]:
        """The rows of a query, each as a dict in column order."""
        cursor = self.connection.execute(sql, tuple(parameters))
        first = next(cursor, None)
        if first is None:
            return []
        names = [column[0] for column in cursor.get_description()]
        found = [dict(zip(names, first, strict=True))]
        found.extend(dict(zip(names, row, strict=True)) for row in cursor)
        return found

    def values(self, sql: str, parameters: Sequence[CellValue] = ()) -> list[Any]:
        """The first column of a query."""
        return [row[0] for row in self.connection.execute(sql, tuple(parameters))]

    def execute(self, sql: str, parameters: Sequence[CellValue] = ()) -> int:
        """Change rows; returns how many changed."""
        self.connection.execute(sql, tuple(parameters))
        return self.connection.changes()
