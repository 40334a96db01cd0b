"""Records in memory, for rules that look at others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worksmith.tools.access.lookup import Record


class MemoryLookup:
    def __init__(self, sources: Mapping[str, Sequence[Record]]) -> None:
        self._sources = sources

    def records(self, source: str, match: Mapping[str, Any]) -> list[Record]:
        return [
            record
            for record in self._sources.get(source, ())
            if all(record.get(field) == value for field, value in match.items())
        ]
