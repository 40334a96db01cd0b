"""Reading the wordings of tasks once more, independently of whatever wrote them, and what does not agree.

    assert share(reread(suite.tasks), suite.tasks) >= 0.98
    compare(distributions(worded(generated.tasks)), distributions(worded(imported.tasks)))

The recogniser shares nothing with the families that word generated questions but the English language. Where
the two differ one of them is wrong, or the wording says something else than it should.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worksmith.evals.kinds.crm.importing import Distribution, Worded
from worksmith.evals.kinds.crm.published.recognise import Reading, recognise
from worksmith.evals.kinds.crm.task_types import TASK_TYPES
from worksmith.evals.tasks.task import Task

_SAID = ("period", "n", "extreme")
"""Slots that tasks and readings call by the same names."""

_CALLED = ("product_name", "mention")
"""What tasks call what a reading calls `phrase`."""

_SHOWN = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*: ")


@dataclass(frozen=True)
class Disagreement:
    """A task whose wording says something else than the task.

    Attributes:
        slot: its name.
        task: what the task has.
        reading: what was read; empty if nothing was.
    """

    task_id: str
    text: str
    slot: str
    task: str
    reading: str


def reread(tasks: Iterable[Task]) -> list[Disagreement]:
    """All that does not agree, at most one for each task; tasks of other kinds of worlds are passed over."""
    found = (_first_difference(task) for task in tasks if task.intent in TASK_TYPES)
    return [each for each in found if each is not None]


def share(differing: Sequence[Disagreement], tasks: Sequence[Task]) -> float:
    return 1 - len(differing) / len(tasks) if tasks else 1.0


def worded(tasks: Iterable[Task]) -> Iterator[Worded]:
    """The wordings of tasks, for `statistics.distributions`."""
    for task in tasks:
        empty = task.answer is not None and task.answer.kind == "none"
        yield Worded(task.intent or "", wording_of(task), _reading(task), empty)


def wording_of(task: Task) -> str:
    """The text of a task without the ids that it shows and without its last line, the form of the answer."""
    *lines, _ = task.query.splitlines() or [""]
    while len(lines) > 1 and _SHOWN.match(lines[-1]):
        lines.pop()
    return "\n".join(lines) or task.query


def _reading(task: Task) -> Reading:
    return recognise(wording_of(task), task.intent or "", task.now.date() if task.now else None)


def _first_difference(task: Task) -> Disagreement | None:
    reading = _reading(task)
    pairs = [(name, task.slots[name], reading.slots.get(name, "")) for name in _SAID if name in task.slots]
    called = next((task.slots[name] for name in _CALLED if name in task.slots), None)
    if called is not None:
        pairs.append(("phrase", called, reading.slots.get("phrase", "")))
    for slot, wanted, read in pairs:
        if wanted.casefold() != read.casefold():
            return Disagreement(task.id, wording_of(task), slot, wanted, read)
    return None


def distance(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """How far two spreads of values are apart: the share that would have to move, 0 to 1."""
    sizes = sum(one.values()), sum(other.values())
    if not all(sizes):
        return float(any(sizes))
    values = one.keys() | other.keys()
    return sum(abs(one.get(v, 0) / sizes[0] - other.get(v, 0) / sizes[1]) for v in values) / 2


def compare(
    ours: Mapping[str, Distribution], published: Mapping[str, Distribution]
) -> dict[str, dict[str, float]]:
    """By family and by what is counted the `distance` of two sets of questions."""
    return {
        family: {
            name: round(
                distance(ours.get(family, {}).get(name, {}), published.get(family, {}).get(name, {})), 3
            )
            for name in sorted(ours.get(family, {}).keys() | published.get(family, {}).keys())
        }
        for family in sorted(ours.keys() | published.keys())
    }
