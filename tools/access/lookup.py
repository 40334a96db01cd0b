"""Other records, for rules that depend on more than the record they are asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import apsw

from worksmith.tools.sqlite.schema import ROW, quoted

Record = Mapping[str, Any]
"""The cells of a record by field. A boolean may be 0 or 1, as SQLite holds it, which equals False or True."""


class Lookup(Protocol):
    """Finds records of any source by some of their fields."""

    def records(self, source: str, match: Mapping[str, Any]) -> Iterable[Record]:
        """The records of `source` that have exactly these values."""
        ...


class DatabaseLookup:
    """Looks up records in a database with a table for each source."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def records(self, source: str, match: Mapping[str, Any]) -> list[Record]:
        where = " AND ".join(f"r.{quoted(field)} = ?" for field in match)
        cursor = self._connection.execute(
            f"SELECT r.* FROM main.{quoted(source)} AS r WHERE {where} ORDER BY r.{ROW}",
            tuple(match.values()),
        )
        return [dict(zip((c[0] for c in cursor.get_description()), row, strict=True)) for row in cursor]
