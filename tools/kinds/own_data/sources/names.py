"""Names of tables and columns that a world can take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from worksmith.tools.errors import InputError
from worksmith.tools.sqlite.schema import ROW

MOST_COLUMNS = 1_999
"""SQLite's limit, less the hidden column."""

_RESERVED = frozenset({"json_each", "json_tree"})
"""Built-in tables of SQLite that queries of tools use."""


def check_tables(names: Iterable[str]) -> None:
    """Refuse names that SQLite or Python cannot take for a table."""
    seen: dict[str, str] = {}
    for name in names:
        folded = name.lower()
        if not name.isidentifier():
            hint = "use letters, digits and underscores, e.g. orders_2026"
            raise InputError(f"no name for a table: {name!r}", hint=hint)
        if folded.startswith(("sqlite_", "pragma_")) or folded in _RESERVED:
            raise InputError(
                f"SQLite has tables called {name!r} of its own", hint="give the table another name"
            )
        if folded in seen:
            raise InputError(
                f"two tables are called {seen[folded]!r} and {name!r}",
                hint="SQLite ignores letter case: rename one",
            )
        seen[folded] = name


def checked_columns(names: Sequence[object], where: str) -> tuple[str, ...]:
    """The names of a table's columns, without spaces around them."""
    if not names:
        raise InputError("the table has no columns", where=where)
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"the table has {len(names):,} columns, at most {MOST_COLUMNS:,} are possible", where=where
        )
    seen: dict[str, int] = {}
    found = []
    for number, given in enumerate(names, start=1):
        if not isinstance(given, str):
            hint = "for a frame: frame.columns = [str(name) for name in frame.columns]"
            raise InputError(f"the name of column {number} is no text: {given!r}", where=where, hint=hint)
        name = given.strip()
        if not name:
            hint = "name it, or remove the delimiter at the end of each line"
            raise InputError(f"column {number} has no name", where=where, hint=hint)
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            raise InputError(f"the name of column {number} has a control character: {name!r}", where=where)
        folded = name.lower()
        if folded == ROW:
            raise InputError(
                f"a column cannot be called {name!r}", where=where, hint="worksmith uses that name: rename it"
            )
        if folded in seen:
            raise InputError(
                f"the columns {seen[folded]} and {number} are both called {name!r}",
                where=where,
                hint="rename one; letter case does not count",
            )
        seen[folded] = number
        found.append(name)
    return tuple(found)
