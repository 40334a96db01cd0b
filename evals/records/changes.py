"""The changes of an episode beside the expected changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from worksmith.evals.records.entries import ChangeEntry
from worksmith.tools.sqlite.cells import CellValue, cell_text
from worksmith.tools.sqlite.outcome import RowChange, folded_cell


class ChangedCell(NamedTuple):
    """A cell that either change writes."""

    name: str
    made: CellValue
    expected: CellValue


@dataclass(frozen=True)
class ChangedPair:
    """A change that was made, the one that was expected in its place, or both."""

    kind: Literal["as expected", "differs", "missing", "not expected"]
    made: ChangeEntry | None = None
    expected: ChangeEntry | None = None

    @property
    def either(self) -> ChangeEntry:
        """The change that was made, else the expected one."""
        found = self.made or self.expected
        assert found is not None
        return found

    @property
    def cells(self) -> list[ChangedCell]:
        """What either change writes; a cell that one of them leaves alone has its old value there."""
        sides = [each for each in (self.expected, self.made) if each]
        old = {name: cell for each in sides for name, cell in each.before.items()}
        made, expected = ({**old, **(each.after if each else {})} for each in (self.made, self.expected))
        names = dict.fromkeys(name for each in sides for name in each.after)
        return [ChangedCell(name, made.get(name), expected.get(name)) for name in names]

    @property
    def differing(self) -> list[ChangedCell]:
        return [cell for cell in self.cells if _folded(cell.made) != _folded(cell.expected)]


def compare_changes(
    made: Sequence[ChangeEntry],
    expected: Sequence[ChangeEntry],
    identity: Callable[[ChangeEntry], Hashable] | None = None,
) -> list[ChangedPair]:
    """The changes in pairs: first the right ones, then those that differ, are missing, are not expected.

    A change of an existing row is paired with the expected change of that row. A new row is paired with the
    expected new row of its table with which it has most cells in common.

    Args:
        identity: equal for changes that count as the same; default is place and cells.
    """
    identity = identity or _identity
    left, wanted = list(expected), [identity(change) for change in expected]
    pairs, rest, extra = [], [], []
    for change in made:
        same = identity(change)
        if same in wanted:
            place = wanted.index(same)
            del wanted[place]
            pairs.append(ChangedPair("as expected", change, left.pop(place)))
        else:
            rest.append(change)
    for change in rest:
        close = [other for other in left if _place(other) == _place(change)]
        if close:
            nearest = max(close, key=lambda other: len(_cells(change) & _cells(other)))
            left.remove(nearest)
            pairs.append(ChangedPair("differs", change, nearest))
        else:
            extra.append(ChangedPair("not expected", made=change))
    return pairs + [ChangedPair("missing", expected=change) for change in left] + extra


def place_text(change: ChangeEntry) -> str:
    """The operation, table and row of a change, e.g. `update in tickets, T-7`."""
    row = "" if change.operation == "insert" else f", {row_text(change)}"
    return f"{change.operation} in {change.table}{row}"


def row_text(change: ChangeEntry | RowChange) -> str:
    """The key of a changed row, or its position without a key."""
    return f"row {change.row}" if change.key is None else cell_text(change.key)


def cells_text(change: ChangeEntry, shown: Callable[[str], str] = str) -> str:
    """The cells of a change: `status: open → closed`; of a new row or one that is gone, its own.

    Args:
        shown: makes a cell's text shorter.
    """
    texts = {
        name: shown(cell_text(cell) or "(empty)") for name, cell in (change.after or change.before).items()
    }
    if change.operation == "update":
        old = {name: shown(cell_text(change.before.get(name)) or "(empty)") for name in texts}
        texts = {name: f"{old[name]} → {text}" for name, text in texts.items()}
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def _place(change: ChangeEntry) -> tuple[str, str, int]:
    return change.table, change.operation, 0 if change.operation == "insert" else change.row


def _identity(change: ChangeEntry) -> Hashable:
    return _place(change), _cells(change)


def _cells(change: ChangeEntry) -> frozenset[Hashable]:
    return frozenset((name, _folded(cell)) for name, cell in change.after.items())


_folded = partial(folded_cell, exact=True)
