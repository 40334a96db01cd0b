"""The tables of a user, from any source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError, unknown
from worksmith.tools.kinds.own_data.sources.csv_files import CsvFile
from worksmith.tools.kinds.own_data.sources.documents import DocumentFolder
from worksmith.tools.kinds.own_data.sources.live import Live
from worksmith.tools.kinds.own_data.sources.made_keys import ROW_NUMBER, Key, MadeKey, joined_name
from worksmith.tools.kinds.own_data.sources.names import check_tables
from worksmith.tools.kinds.own_data.sources.objects import JsonLines, from_dicts, from_frame, is_frame
from worksmith.tools.kinds.own_data.sources.parquet import ParquetFile
from worksmith.tools.kinds.own_data.sources.profile import CELL_TYPES, Profile, converter, profile
from worksmith.tools.kinds.own_data.sources.reading import Reading, portions
from worksmith.tools.kinds.own_data.sources.sqlite_files import sqlite_tables
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.cells import CellType, CellValue
from worksmith.tools.sqlite.schema import Table

Source = str | PathLike[str] | Sequence[Mapping[str, Any]] | Live | Any
"""The path of a CSV, JSONL, Parquet or SQLite file or of a folder of documents; dicts; a pandas frame; or a
source that is read again: a `Table` or a `Database`, also by its address.
"""

_CSV, _JSONL, _PARQUET, _SQLITE = (
    (".csv", ".tsv", ".psv"),
    (".jsonl", ".ndjson"),
    (".parquet", ".pq"),
    (".sqlite", ".sqlite3", ".db"),
)
ENDINGS = (*_CSV, *_JSONL, *_PARQUET, *_SQLITE)
"""Of the files that can be read."""


@dataclass(frozen=True)
class SourceTable:
    """A table in its source. Its rows are read when something needs them.

    Attributes:
        source: the name of the source that it is from.
        chosen_key: the key that the user chose; None leaves it to be inferred.
        chosen_types: the types that the user chose, by column.
    """

    name: str
    reading: Reading
    chosen_key: str | None
    chosen_types: Mapping[str, CellType]
    source: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.reading.columns

    @cached_property
    def profile(self) -> Profile:
        """Types, key and number of rows; reads the whole source.

        Raises:
            InputError: something in the source is wrong.
        """
        return profile(self.reading, self.name, self.chosen_key, self.chosen_types)

    @property
    def digest(self) -> str:
        """Content address of the source and the choices."""
        return digest([self.name, self.reading.digest, self.chosen_key, dict(self.chosen_types)], 64)

    @property
    def table(self) -> Table:
        """The table of the world; its only index is that of the key."""
        return Table(self.name, self.columns, indexes=(self.profile.key,), types=self.profile.types)

    def rows(self) -> Iterator[tuple[CellValue, ...]]:
        """The rows with typed cells."""
        lexical = self.reading.lexical
        converters = [converter(self.profile.types[column], lexical=lexical) for column in self.columns]
        for portion in portions(self.reading):
            yield from zip(*map(map, converters, portion.columns), strict=True)


def read_tables(
    sources: Mapping[str, Source],
    *,
    keys: Mapping[str, Key] | None = None,
    types: Mapping[str, Mapping[str, CellType]] | None = None,
    nulls: Sequence[str] = (),
) -> list[SourceTable]:
    """The tables in some sources.

    Args:
        sources: by the name of the table. The tables of an SQLite file keep their own names.
        keys: by table the column that identifies a row, or several that do so together; else it is inferred.
            `row_number` numbers the rows.
        types: by table and column `text`, `integer`, `real` or `boolean`; else they are inferred.
        nulls: the cells of CSV files that are empty, such as `NULL`.

    Raises:
        InputError: a source cannot be read, or a name fits no table or column.
    """
    keys, types = keys or {}, types or {}
    for argument, given in (("sources", sources), ("keys", keys), ("types", types)):
        check_is_mapping(argument, given)
    readings: dict[str, Reading] = {}
    origins: dict[str, str] = {}
    for name, source in sources.items():
        for table, reading in readings_of(name, source, nulls).items():
            if table in readings:
                raise InputError(f"two tables are called {table!r}", where=reading.where, hint="rename one")
            readings[table], origins[table] = reading, name
    if not readings:
        raise InputError("there are no tables", hint='name one, e.g. {"tickets": "tickets.csv"}')
    check_tables(readings)
    for argument, chosen in (("keys", keys), ("types", types)):
        for name in chosen:
            if name not in readings:
                raise unknown("no table", name, readings, argument)
    found = []
    for name, reading in readings.items():
        chosen_key = keys.get(name, reading.parts)
        columns = [chosen_key] if isinstance(chosen_key, str) else list(chosen_key)
        if columns == [ROW_NUMBER] and ROW_NUMBER not in reading.columns:
            readings[name] = reading = MadeKey(reading)
        chosen = {**reading.types, **types.get(name, {})}
        for column in (*columns, *chosen):
            if column not in reading.columns:
                raise unknown(f"{name} has no column", column, reading.columns, reading.where)
        for column, kind in chosen.items():
            if kind not in CELL_TYPES:
                raise unknown("cells have no type", kind, CELL_TYPES, f"types, {name}, {column}")
        if len(columns) > 1:
            readings[name] = MadeKey(reading, columns)
            columns = [joined_name(columns)]
        found.append(
            SourceTable(name, readings[name], columns[0] if columns else None, chosen, origins[name])
        )
    return found


def check_is_mapping(argument: str, given: object) -> None:
    if not isinstance(given, Mapping):
        example = '{"tickets": "tickets.csv"}' if argument == "sources" else '{"tickets": ...}'
        hint = f"a dict by the names of tables, such as {example}"
        raise InputError(f"not {type(given).__name__}", where=argument, hint=hint)


def readings_of(
    name: str, source: Source, nulls: Sequence[str], columns: Sequence[str] = ()
) -> Mapping[str, Reading]:
    """The tables in a source.

    Args:
        columns: that a list of dicts has in any case.
    """
    if isinstance(source, Live):
        return source.readings(name, lambda content, known: readings_of(name, content, nulls, known))
    if isinstance(source, str | PathLike):
        return _from_path(name, Path(source), nulls)
    if is_frame(source):
        return {name: from_frame(source, f"the frame {name}")}
    if isinstance(source, Sequence) and not isinstance(source, bytes):
        return {name: from_dicts(source, f"the list {name}", columns)}
    hint = "a table is a path, a list of dicts or a pandas frame"
    raise InputError(f"no table can be read from a {type(source).__name__}", where=name, hint=hint)


def _from_path(name: str, path: Path, nulls: Sequence[str]) -> Mapping[str, Reading]:
    suffix = path.suffix.lower()
    if suffix in _CSV:
        return {name: CsvFile(path, nulls)}
    if suffix in _JSONL:
        return {name: JsonLines(path)}
    if suffix in _PARQUET:
        return {name: ParquetFile(path)}
    if suffix in _SQLITE:
        return sqlite_tables(path)
    if path.is_dir():
        return {name: DocumentFolder(path)}
    if not path.exists():
        raise InputError("there is no such file or folder", where=str(path))
    raise InputError(
        f"no format is known by the ending {suffix!r}",
        where=str(path),
        hint=f"known are {', '.join(ENDINGS)}, and folders of documents",
    )
