"""The sources of an environment, read again when they are due."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.live import Live, called
from worksmith.tools.kinds.own_data.sources.made_keys import Key, MadeKey
from worksmith.tools.kinds.own_data.sources.reading import Reading
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
        self._nulls = nulls
        self._read = dict.fromkeys(sources, time.monotonic())
        self._versions = {name: _version(name, source) for name, source in sources.items()}
        self._first = read_tables(sources, keys=keys, types=types, nulls=nulls)
        self._known = {(table.source, table.name): _Known.of(table.reading) for table in self._first}
        # By then the working directory may be another.
        self._sources = {
            name: Path(source).absolute() if isinstance(source, str | PathLike) else source
            for name, source in sources.items()
        }

    def take(self) -> Sequence[SourceTable]:
        """The first reading. It is not kept, because it may be large."""
        first, self._first = self._first, []
        return first

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
        """Read the tables that are due, and use those with other rows; returns whether there were any.

        Args:
            tables: as they were read first.
            asked: the time of the request, on the monotonic clock.
            force: read everything that was last read before.

        Raises:
            InputError: a source cannot be read, or a table has other columns. The tables stay as they are.
        """
        read, versions, changed = {}, {}, []
        for name, source in self._sources.items():
            age = asked - self._read[name]
            if age <= 0 or not (force or _is_due(source, age)):
                continue
            read[name], version = time.monotonic(), _version(name, source)
            if force or version is None or version != self._versions[name]:
                versions[name] = version
                changed += self._again(name, tables)
        if changed:
            use(changed)
        self._read |= read
        self._versions |= versions
        self._known |= {(table.source, table.name): _Known.of(table.reading) for table in changed}
        return bool(changed)

    def _again(self, name: str, tables: Mapping[str, Table]) -> list[SourceTable]:
        """Those tables of a source that have other rows."""
        changed = []
        for table, reading in readings_of(name, self._sources[name], self._nulls).items():
            known = self._known.get((name, table))
            if known is None:
                continue
            if known.parts is not None:
                reading = MadeKey(reading, known.parts)
            if reading.digest == known.digest:
                continue
            if reading.columns != (columns := tables[table].columns):
                hint = f"start again, so that tools and rules are checked; there were {', '.join(columns)}"
                raise InputError(f"{table} has other columns", where=reading.where, hint=hint)
            key, types = tables[table].indexes[0], tables[table].types
            changed.append(SourceTable(table, reading, key, types, name))
        return changed


@dataclass(frozen=True)
class _Known:
    """The kept facts of a table's reading.

    Attributes:
        parts: of a made key; None for a column of the source.
    """

    digest: str
    parts: Sequence[str] | None

    @classmethod
    def of(cls, reading: Reading) -> _Known:
        return cls(reading.digest, reading.parts if isinstance(reading, MadeKey) else None)


def _is_due(source: Source, age: float) -> bool:
    """Whether rows of this age are due to be read."""
    if not isinstance(source, Live) or source.refresh is None:
        return False
    return source.refresh == "episode" or age >= source.refresh


def _version(name: str, source: Source) -> Any:
    if not isinstance(source, Live) or source.version is None:
        return None
    return called(source.version, f"version= of {name}")
