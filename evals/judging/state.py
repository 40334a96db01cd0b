"""The state after an episode, read from its record."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worksmith.evals.records.changes import compare_changes, row_text
from worksmith.evals.records.entries import ChangeEntry
from worksmith.evals.scoring.answers.values import says
from worksmith.tools.sqlite.cells import cell_text
from worksmith.tools.sqlite.outcome import RowChange, change_key

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.evals.tasks.task import Action, Task
    from worksmith.tools.sqlite.schema import Table


@dataclass(frozen=True)
class State:
    """The changes that were made against the changes that were wanted.

    Attributes:
        wanted: the number of changes that were wanted.
        missing: the number of those that were not made.
        extra: changes that were made and not wanted.
        unsaid: mentions that the written texts lack.
    """

    wanted: int
    missing: int = 0
    extra: tuple[ChangeEntry, ...] = ()
    unsaid: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return not self.missing and not self.extra and not self.unsaid


def state_of(task: Task, record: EpisodeRecord, tables: Mapping[str, Table]) -> State:
    """The state that a record shows.

    A record names the wanted changes only where the outcome is wrong. Without them, the changes that were
    made are those that were wanted, if the task wants any.

    Args:
        tables: of the world; the wording of free text and generated ids do not count in those.
    """
    if not record.expected_changes:
        if not task.expected:
            return State(0, extra=record.changes)
        return State(len(task.expected), 0 if record.changes else len(task.expected))
    made, wanted = (
        [change for change in changes if _identity(change, tables) is not None]
        for changes in (record.changes, record.expected_changes)
    )
    pairs = compare_changes(made, wanted, lambda change: _identity(change, tables))
    wrong = [pair for pair in pairs if pair.kind != "as expected"]
    extra = tuple(pair.made for pair in wrong if pair.made)
    written = "\n".join(
        text for change in record.changes for cell in change.after.values() if (text := cell_text(cell))
    )
    unsaid = tuple(text for text in task.mentions if not says(written, text)) if record.changes else ()
    return State(len(wanted), sum(pair.expected is not None for pair in wrong), extra, unsaid)


def changes_text(changes: Sequence[ChangeEntry]) -> str:
    """Changes for people and judges, a line each."""
    return "\n".join(f"- {_line(change)}" for change in changes) or "Nothing was changed."


def actions_text(actions: Sequence[Action]) -> str:
    """Calls that would have made the right changes, a line each."""
    lines = (
        f"- {action.tool}({', '.join(f'{name}={value!r}' for name, value in action.arguments.items())})"
        for action in actions
    )
    return "\n".join(lines) or "Nothing is to be changed."


def _identity(change: ChangeEntry, tables: Mapping[str, Table]) -> Hashable:
    """The identity of a change; None if the change does not count."""
    table = tables.get(change.table)
    return change_key(RowChange(**change.model_dump()), table) if table else change.model_dump_json()


def _line(change: ChangeEntry) -> str:
    if change.operation == "update":
        updates = ", ".join(
            f"{name}: {change.before.get(name)!r} -> {value!r}" for name, value in change.after.items()
        )
        return f"{change.table}, {row_text(change)}: {updates}"
    word, cells = ("new", change.after) if change.operation == "insert" else ("deleted", change.before)
    return f"{change.table}, {word} row: " + ", ".join(f"{name}={value!r}" for name, value in cells.items())
