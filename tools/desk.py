"""What a tool function gets first: the episode's data, clock and persona."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from tools.persona import Persona


@dataclass(frozen=True, slots=True)
class Desk:
    """A tool's view of its episode, valid for one call.

    Attributes:
        connection: the episode's database with its changes so far.
        now: the episode's clock.
        persona: on whose behalf the call is made.
    """

    connection: apsw.Connection
    now: datetime
    persona: Persona

    def rows(self, sql: str, parameters: Sequence[str | int | None] = ()) -> list[dict[str, Any]]:
        """The rows of a query, each as a dict in column order."""
        cursor = self.connection.execute(sql, tuple(parameters))
        first = next(cursor, None)
        if first is None:
            return []
        names = [column[0] for column in cursor.get_description()]
        found = [dict(zip(names, first, strict=True))]
        found.extend(dict(zip(names, row, strict=True)) for row in cursor)
        return found

    def values(self, sql: str, parameters: Sequence[str | int | None] = ()) -> list[Any]:
        """The first column of a query."""
        return [row[0] for row in self.connection.execute(sql, tuple(parameters))]

    def execute(self, sql: str, parameters: Sequence[str | int | None] = ()) -> int:
        """Change rows; returns how many changed."""
        self.connection.execute(sql, tuple(parameters))
        return self.connection.changes()
