"""What an episode changed beside what it should have changed, read from its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evals.records.parts import ChangeEntry
from evals.scoring.answers.values import says
from tools.outcome import RowChange, change_key

if TYPE_CHECKING:
    from evals.records.record import EpisodeRecord
    from evals.tasks.task import Action, Task
    from tools.sqlite.schema import Table


@dataclass(frozen=True)
class State:
    """How the changes that were made compare with those that were wanted.

    Attributes:
        wanted: how many changes were wanted.
        missing: how many of them were not made.
        extra: changes that were made and not wanted.
        unsaid: what texts that were written had to say and do not.
    """

    wanted: int
    missing: int = 0
    extra: tuple[ChangeEntry, ...] = ()
    unsaid: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether everything is as wanted."""
        return not self.missing and not self.extra and not self.unsaid


def state_of(task: Task, record: EpisodeRecord, tables: Mapping[str, Table]) -> State:
    """What a record says of the state.

    A record names the wanted changes only where the outcome is wrong. Without them, the changes that were
    made are those that were wanted, if the task wants any.

    Args:
        tables: of the world; the wording of free text and generated ids do not count in those.
    """
    if not record.expected_changes:
        if not task.expected:
            return State(0, extra=record.changes)
        return State(len(task.expected), 0 if record.changes else len(task.expected))
    made, wanted = (_keyed(changes, tables) for changes in (record.changes, record.expected_changes))
    missing = Counter(key for key, _ in wanted) - Counter(key for key, _ in made)
    surplus = Counter(key for key, _ in made) - Counter(key for key, _ in wanted)
    extra = []
    for key, change in made:
        if surplus[key]:
            surplus[key] -= 1
            extra.append(change)
    written = "\n".join(cell for change in record.changes for cell in change.after.values() if cell)
    unsaid = tuple(text for text in task.mentions if not says(written, text)) if record.changes else ()
    return State(len(wanted), missing.total(), tuple(extra), unsaid)


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


def _keyed(changes: Sequence[ChangeEntry], tables: Mapping[str, Table]) -> list[tuple[Any, ChangeEntry]]:
    keyed = []
    for change in changes:
        table = tables.get(change.table)
        key = change_key(RowChange(**change.model_dump()), table) if table else change.model_dump_json()
        if key is not None:
            keyed.append((key, change))
    return keyed


def _line(change: ChangeEntry) -> str:
    if change.operation == "update":
        updates = ", ".join(
            f"{name}: {change.before.get(name)!r} -> {value!r}" for name, value in change.after.items()
        )
        return f"{change.table}, row {change.row}: {updates}"
    word, cells = ("new", change.after) if change.operation == "insert" else ("deleted", change.before)
    return f"{change.table}, {word} row: " + ", ".join(f"{name}={value!r}" for name, value in cells.items())
