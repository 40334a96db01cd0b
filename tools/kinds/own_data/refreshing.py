"""The sources of an environment, read again when they are due."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.live import Live
from worksmith.tools.kinds.own_data.sources.made_keys import Key, MadeKey
from worksmith.tools.kinds.own_data.sources.tables import Source, SourceTable, read_tables, readings_of
from worksmith.tools.sqlite.cells import CellType
from worksmith.tools.sqlite.schema import Table


class Sources:
    """Sources as they were read last. Not thread-safe.

    Args:
        sources, keys, types, nulls: see `read_tables`.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        keys: Mapping[str, Key] | None,
        types: Mapping[str, Mapping[str, CellType]] | None,
        nulls: Sequence[str],
    ) -> None:
        self._sources, self._nulls = sources, nulls
        self._read = dict.fromkeys(sources, time.monotonic()) if isinstance(sources, Mapping) else {}
        self._versions = {name: _version(sources[name]) for name in self._read}
        self._tables = {t.name: t for t in read_tables(sources, keys=keys, types=types, nulls=nulls)}

    @property
    def tables(self) -> Sequence[SourceTable]:
        return tuple(self._tables.values())

    @property
    def live(self) -> bool:
        """Whether any is read again by itself."""
        return any(isinstance(source, Live) for source in self._sources.values())

    def refresh(
        self,
        tables: Mapping[str, Table],
        use: Callable[[Sequence[SourceTable]], None],
        *,
        asked: float,
        force: bool,
    ) -> bool:
        """Read what is due, and have tables used whose rows are others; says whether there were any.

        Args:
            tables: as they were read first.
            asked: when somebody wanted to know, on the monotonic clock.
            force: read everything that was last read before.

        Raises:
            InputError: a source cannot be read, or a table has other columns. The tables stay as they are.
        """
        read, versions, changed = {}, {}, []
        for name, source in self._sources.items():
            age = asked - self._read[name]
            if age <= 0 or not (force or _is_due(source, age)):
                continue
            read[name], version = time.monotonic(), _version(source)
            if force or version is None or version != self._versions[name]:
                versions[name] = version
                changed += self._again(name, tables)
        if changed:
            use(changed)
        self._read |= read
        self._versions |= versions
        self._tables |= {table.name: table for table in changed}
        return bool(changed)

    def _again(self, name: str, tables: Mapping[str, Table]) -> list[SourceTable]:
        """Those tables of a source that have other rows."""
        changed = []
        for table, reading in readings_of(name, self._sources[name], self._nulls).items():
            if table not in tables:
                continue
            known, before = tables[table], self._tables[table]
            if isinstance(before.reading, MadeKey):
                reading = MadeKey(reading, before.reading.parts)
            if reading.digest == before.reading.digest:
                continue
            if reading.columns != known.columns:
                hint = "start again, so that tools and rules are checked against them"
                raise InputError(f"{table} has other columns", where=reading.where, hint=hint)
            types = dict(known.types)
            changed.append(replace(before, reading=reading, chosen_key=known.indexes[0], chosen_types=types))
        return changed


def _is_due(source: Source, age: float) -> bool:
    """Whether rows are too old that were read so many seconds before somebody asks."""
    if not isinstance(source, Live) or source.refresh is None:
        return False
    return source.refresh == "episode" or age >= source.refresh


def _version(source: Any) -> Any:
    return source.version() if isinstance(source, Live) and source.version is not None else None
