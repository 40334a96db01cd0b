"""Changes that an agent proposes, for people who approve them and functions that commit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellValue


@dataclass(frozen=True)
class ProposedChange:
    """A change of one row.

    Attributes:
        key: the row's key; None where it has none.
        before: the whole row in the world at rest; None for a new row.
        after: the whole row as proposed; None for a deleted row.
    """

    table: str
    operation: Literal["insert", "update", "delete"]
    key: CellValue
    before: dict[str, CellValue] | None
    after: dict[str, CellValue] | None

    @property
    def changed(self) -> tuple[str, ...]:
        """The columns with another value than before."""
        before, after = self.before or {}, self.after or {}
        # By repr, because to Python 1 is True, in lists as well.
        return tuple(name for name in {**before, **after} if repr(before.get(name)) != repr(after.get(name)))


@dataclass(frozen=True)
class ChangeSet:
    """All changes of one task, approved.

    Attributes:
        id: of the proposal; a commit function may use it to make a repeated call harmless.
        task: the text of the request.
        persona: on whose behalf it was made.
        approved_by: the persona who approved it.
    """

    id: str
    task: str
    persona: Persona
    approved_by: Persona
    changes: tuple[ProposedChange, ...]
