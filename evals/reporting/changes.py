"""What an episode changed beside what it should have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evals.records.parts import ChangeEntry

Kind = Literal["as expected", "differs", "missing", "not expected"]


@dataclass(frozen=True)
class Pair:
    """A change that was made, the one that was expected in its place, or both."""

    kind: Kind
    made: ChangeEntry | None = None
    expected: ChangeEntry | None = None

    @property
    def shown(self) -> ChangeEntry:
        """The change that names table and row."""
        found = self.made or self.expected
        assert found is not None
        return found

    @property
    def cells(self) -> list[tuple[str, str | None, str | None]]:
        """Each cell that either writes: its column, what was written, what was expected."""
        made = self.made.after if self.made else {}
        expected = self.expected.after if self.expected else {}
        names = dict.fromkeys([*expected, *made])
        return [(name, made.get(name), expected.get(name)) for name in names]


def compare_changes(made: Sequence[ChangeEntry], expected: Sequence[ChangeEntry]) -> list[Pair]:
    """The changes in pairs: first what is right, then what differs, what is missing, what is too much.

    Old rows are the same by their place. A new row has none; it is paired with the expected new row of its
    table with which it has most cells in common.
    """
    left, pairs = list(expected), []
    rest = []
    for change in made:
        same = next((other for other in left if _same(change, other)), None)
        if same is None:
            rest.append(change)
            continue
        left.remove(same)
        pairs.append(Pair("as expected", change, same))
    extra = []
    for change in rest:
        close = [other for other in left if _place(other) == _place(change)]
        if not close:
            extra.append(Pair("not expected", made=change))
            continue
        nearest = max(close, key=lambda other: len(change.after.items() & other.after.items()))
        left.remove(nearest)
        pairs.append(Pair("differs", change, nearest))
    return pairs + [Pair("missing", expected=change) for change in left] + extra


def _same(one: ChangeEntry, other: ChangeEntry) -> bool:
    return _place(one) == _place(other) and _folded(one) == _folded(other)


def _place(change: ChangeEntry) -> tuple[str, str, int]:
    return change.table, change.operation, 0 if change.operation == "insert" else change.row


def _folded(change: ChangeEntry) -> dict[str, str | None]:
    return {name: None if cell is None else cell.lower() for name, cell in change.after.items()}
