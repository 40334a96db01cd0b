"""CSV files: UTF-8 with or without a byte order mark, four delimiters, quoted cells over several lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, check_utf8, read_bytes
from worksmith.tools.seeding import digest, digest_bytes

DELIMITERS = (",", ";", "\t", "|")

_SAMPLE = 20
"""Rows by which the delimiter is found."""

_LONGEST = 2**30
"""Characters of a cell."""


class CsvFile(Reading):
    """A CSV file; its first line names the columns.

    Args:
        nulls: the cells that are empty.

    Raises:
        InputError: it cannot be read, is empty, or is not UTF-8.
    """

    lexical = True

    def __init__(self, path: Path, nulls: Sequence[str] = ()) -> None:
        self.where = str(path)
        self._data = read_bytes(path)
        self._nulls = frozenset(nulls)
        self.digest = digest_bytes(self._data, 64)
        if nulls:
            self.digest = digest([self.digest, sorted(nulls)], 64)
        if not self._data.strip(b"\xef\xbb\xbf \t\r\n"):
            raise InputError("the file is empty", where=self.where, hint="its first line names the columns")

    def names(self) -> Sequence[object]:
        check_utf8(self._data, self.where)
        return next(self._records())[1]

    def rows(self) -> Iterator[Row]:
        width = len(self.columns)
        for line, cells in islice(self._records(), 1, None):
            if len(cells) != width:
                hint = f"quote cells in which there is a {_NAMES[self._delimiter]}"
                if len(cells) < width:
                    hint = "add the delimiters of the empty cells"
                raise InputError(
                    f"the row has {len(cells)} cells, and the header has {width}",
                    where=f"{self.where}, row {line}",
                    hint=hint,
                )
            yield line, ["" if cell in self._nulls else cell for cell in cells] if self._nulls else cells

    @cached_property
    def _delimiter(self) -> str:
        """The one by which the first rows have as many cells as the header, and most of them."""
        best, most = ",", (False, 1)
        for delimiter in DELIMITERS:
            try:
                widths = [len(cells) for _, cells in islice(self._split(delimiter), _SAMPLE)]
            except InputError:
                continue
            rank = (len(set(widths)) == 1 and widths[0] > 1, widths[0])
            if rank > most:
                best, most = delimiter, rank
        return best

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        return self._split(self._delimiter)

    def _split(self, delimiter: str) -> Iterator[tuple[int, list[str]]]:
        """The records with the lines on which they begin; empty lines do not count."""
        csv.field_size_limit(_LONGEST)
        text = TextIOWrapper(BytesIO(self._data), encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        line = 1
        try:
            for cells in reader:
                if cells:
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            said, hint = str(error), "a quote in a quoted cell is written twice"
            if "unexpected end" in said:
                said, hint = "a quoted cell does not end", "close it with a quote"
            raise InputError(f"not CSV: {said}", where=f"{self.where}, row {line}", hint=hint) from error


_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
