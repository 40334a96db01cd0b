"""Parquet files, read by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.objects import cells_of
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, place, read_bytes
from worksmith.tools.seeding import digest_bytes

_DAMAGED = "write it again; it may be cut off"


class ParquetFile(Reading):
    """A Parquet file.

    Raises:
        InputError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        self._data = read_bytes(path)
        self.digest = digest_bytes(self._data, 64)

    def names(self) -> Sequence[object]:
        names: list[str] = self._open().schema_arrow.names
        return names

    def rows(self) -> Iterator[Row]:
        columns = self.columns
        rows = (row for portion in self._portions() for row in zip(*portion, strict=True))
        for number, row in enumerate(rows, start=1):
            yield number, cells_of(columns, row, place(self, number))

    def _portions(self) -> Iterator[list[list[Any]]]:
        """The columns of some rows at a time, as Python's values."""
        batches = iter(self._open().iter_batches())
        while True:
            try:
                batch = next(batches, None)
                if batch is None:
                    return
                columns = [column.to_pylist() for column in batch.columns]
            except Exception as error:  # damaged files make the reader fail in any way
                message = f"the Parquet file is damaged: {error}"
                raise InputError(message, where=self.where, hint=_DAMAGED) from error
            yield columns

    def _open(self) -> Any:
        import pyarrow
        import pyarrow.parquet

        try:
            return pyarrow.parquet.ParquetFile(pyarrow.BufferReader(self._data))
        except Exception as error:  # likewise
            message = f"not a readable Parquet file: {error}"
            raise InputError(message, where=self.where, hint=_DAMAGED) from error
