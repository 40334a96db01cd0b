"""Tables whose rows no column identifies: a further one numbers them, or joins several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worksmith.tools.errors import InputError
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, place
from worksmith.tools.seeding import digest
from worksmith.tools.sqlite.cells import cell_text

ROW_NUMBER = "row_number"
"""The column of the numbers, and the key that a user names to get it."""

Key = str | Sequence[str]
"""The column that identifies a row, or several that do so together."""


class MadeKey(Reading):
    """A table with a further column before all others, which is the key.

    Args:
        parts: the columns that it joins; empty for the numbers of the rows, from 1.
    """

    def __init__(self, reading: Reading, parts: Sequence[str] = ()) -> None:
        self.where, self.unit, self.lexical = reading.where, reading.unit, reading.lexical
        self.key = joined_name(parts) if parts else ROW_NUMBER
        self.digest = digest([reading.digest, self.key], 64)
        self._reading, self.parts = reading, parts

    def names(self) -> Sequence[object]:
        return (self.key, *self._reading.columns)

    def rows(self) -> Iterator[Row]:
        places = [self._reading.columns.index(part) for part in self.parts]
        for number, (row, cells) in enumerate(self._reading.rows(), start=1):
            if not places:
                yield row, (str(number) if self.lexical else number, *cells)
                continue
            joined = [cell_text(cells[at]) if cells[at] is not None else "" for at in places]
            if "" in joined:
                column = self.parts[joined.index("")]
                raise InputError("a part of the key is empty", where=place(self._reading, row, column))
            yield row, ("-".join(joined), *cells)


def joined_name(parts: Sequence[str]) -> str:
    """The name of the column that joins several."""
    return "_".join(parts)
