"""Tables whose rows nothing tells apart: a further column numbers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worksmith.tools.kinds.own_data.sources.reading import Reading, Row
from worksmith.tools.seeding import digest

ROW_NUMBER = "row_number"
"""The column of the numbers, and what a user names as the key to get it."""


class Numbered(Reading):
    """A table with the numbers of its rows, from 1, as the first column and key."""

    key = ROW_NUMBER

    def __init__(self, reading: Reading) -> None:
        self.where, self.unit, self.lexical = reading.where, reading.unit, reading.lexical
        self.digest = digest([reading.digest, ROW_NUMBER], 64)
        self._reading = reading

    def names(self) -> Sequence[object]:
        return (ROW_NUMBER, *self._reading.columns)

    def rows(self) -> Iterator[Row]:
        for number, (place, cells) in enumerate(self._reading.rows(), start=1):
            yield place, (str(number) if self.lexical else number, *cells)
