"""Values of rules and personas as the cells of a typed column hold them.

All comparisons of rules are between values of one type, so that Python and SQLite agree on
them: SQLite alone would find that the text `3` equals the number 3, and Python that 1 equals true.
"""

from __future__ import annotations

from worksmith.tools.sqlite.cells import CellType, CellValue, typed_cell

Stored = str | int | float
"""A cell as SQLite holds it: a boolean is 0 or 1."""

NUMBERS = ("integer", "real")


def stored(value: CellValue, column: CellType) -> Stored | None:
    """`value` as a column of this type holds it; None if a rule cannot find it equal to a cell."""
    if (
        column == "json"
        or isinstance(value, str) != (column == "text")
        or isinstance(value, bool) != (column == "boolean")
    ):
        return None
    try:
        cell = typed_cell(value, column)
    except ValueError:
        return None
    assert not isinstance(cell, list | dict)
    return int(cell) if isinstance(cell, bool) else cell


def stored_id(text: str, column: CellType) -> Stored | None:
    """The id of a persona, which is a text, as a column of ids holds it; None if no cell equals it."""
    if column != "integer":
        return stored(text, column)
    number = text.removeprefix("-")
    if not (number.isascii() and number.isdigit() and len(number) < 20):
        return None
    return stored(int(text), column) if str(int(text)) == text else None
