"""Parquet files, read by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, place, plain, read_bytes
from worksmith.tools.seeding import digest_bytes
from worksmith.tools.sqlite.cells import CellValue

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
        number = 0
        for portion in self._portions():
            for cells in zip(*portion, strict=True):
                number += 1
                yield (
                    number,
                    [self._cell(value, number, name) for value, name in zip(cells, columns, strict=True)],
                )

    def _cell(self, value: Any, row: int, name: str) -> CellValue:
        try:
            return plain(value)
        except ValueError as error:
            raise InputError(f"a cell cannot hold {error}", where=place(self, row, name)) from None

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
