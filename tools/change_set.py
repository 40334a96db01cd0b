"""Changes that an agent proposes, for people who approve them and functions that commit them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from worksmith.tools.errors import ToolError
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellValue

Cells = dict[str, CellValue]
"""A row."""


@dataclass(frozen=True)
class ProposedChange:
    """A change of one row.

    Attributes:
        key: the row's key; None without one.
        before: the whole row before the episode; None for a new row.
        after: the whole row as proposed; None for a deleted row.
        written: the columns of an updated row that were overwritten, also with the value that they had.
    """

    table: str
    operation: Literal["insert", "update", "delete"]
    key: CellValue
    before: dict[str, CellValue] | None
    after: dict[str, CellValue] | None
    written: frozenset[str] = frozenset()

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns to write: all of a new or deleted row, else those of `written` and of another value.

        They do not reveal whether an overwritten value was equal to the new one.
        """
        if self.before is None or self.after is None:
            return tuple(self.after or self.before or ())
        # By repr, because to Python 1 is True, in lists as well.
        return tuple(
            name
            for name, cell in self.after.items()
            if name in self.written or repr(self.before[name]) != repr(cell)
        )


@dataclass(frozen=True)
class ChangeSet:
    """All changes of one task, approved.

    Attributes:
        id: of the proposal; a commit function may use it to make a repeated call harmless.
        task: the text of the request.
        persona: on whose behalf it was made.
        approved_by: the persona who approved it.
        people: the tables, keys and rows of both.
        rights: the columns of these rows that access rules compare; all where the rules are code.
    """

    id: str
    task: str
    persona: Persona
    approved_by: Persona
    changes: tuple[ProposedChange, ...]
    people: tuple[tuple[str, CellValue, Cells], ...] = ()
    rights: frozenset[str] = frozenset()


class ConflictError(ToolError):
    """A commit function's refusal of changes to rows that have changed since.

    Attributes:
        rows: the table and the key of each.
    """

    def __init__(self, rows: Iterable[tuple[str, CellValue]]) -> None:
        self.rows = tuple(rows)
        super().__init__(f"Changed since: {', '.join(f'{table}/{key}' for table, key in self.rows)}.")
