"""Findings about a task."""

from __future__ import annotations

from typing import Literal, NamedTuple

from worksmith.evals.records.changes import ChangedPair, compare_changes, place_text
from worksmith.evals.records.recording import change_entries
from worksmith.evals.tasks.task import Task
from worksmith.tools.sqlite.outcome import Outcome

Level = Literal["wrong", "unsolvable", "note"]
"""`wrong`: the task contradicts itself or the world; `unsolvable`: no tool can do it; `note`: look at it."""

_LONGEST, _LONGEST_CELL = 400, 120
"""Characters of a sentence, and of a value in it."""


class Finding(NamedTuple):
    """One finding about a task.

    Attributes:
        task: the id.
        place: file and line of the task, or its split without a file.
        part: of the task, such as `plan.1`.
        said: one sentence.
    """

    level: Level
    task: str
    place: str
    part: str
    said: str


def finding(level: Level, task: Task, part: str, said: str) -> Finding:
    """A finding about a part of a task."""
    place = str(task.origin.get("place") or task.split)
    return Finding(level, task.id, place, part, said if len(said) <= _LONGEST else f"{said[:_LONGEST]}...")


def differences(made: Outcome, expected: Outcome) -> str:
    """The changes in which two outcomes differ, in words; empty if they are equal."""
    if made.matches(expected):
        return ""
    pairs = compare_changes(change_entries(made.changes), change_entries(expected.beside(made)))
    return "; ".join(_words(pair) for pair in pairs if pair.kind != "as expected")


def _words(pair: ChangedPair) -> str:
    place = place_text(pair.either)
    if pair.kind == "differs":
        cells = ", ".join(
            f"{cell.name} {_short(cell.made)} instead of {_short(cell.expected)}" for cell in pair.differing
        )
        return f"{place}: {cells}"
    return f"{'missing' if pair.kind == 'missing' else 'not stated'}: {place} ({_cells(pair)})"


def _cells(pair: ChangedPair) -> str:
    change = pair.either
    cells = change.before if change.operation == "delete" else change.after
    return _short(", ".join(f"{name} {value!r}" for name, value in cells.items() if value is not None))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 3]}..."
