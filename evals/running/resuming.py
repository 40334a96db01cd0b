"""What a run takes over from a log that was there, and what it does not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evals.records.record import Digests, EpisodeRecord, WorkUnit

_CALLED = {"code": "the program's code", "program": "the program's state", "scorers": "scorers or judges"}
"""What messages call a part of a unit's identity, where that is not its own name."""


class Resumed(NamedTuple):
    """What became of the episodes in a log.

    Attributes:
        taken: how many are not run again.
        owed: how many are run.
        changed: how many of these are in the log under another identity, by what differs.
    """

    taken: int
    owed: int
    changed: dict[str, int]

    def __str__(self) -> str:
        said = f"--resume: {self.taken} episodes are taken over from the log, {self.owed} are run"
        if not self.changed:
            return said
        reasons = ", ".join(f"{count} for {what}" for what, count in self.changed.items())
        return f"{said}; of these the log has others, but something has changed: {reasons}"


def resumed(taken: int, owed: Sequence[WorkUnit], records: Iterable[EpisodeRecord]) -> Resumed:
    """What of a log's `records` stands for the units that are `owed` although they are not the same."""
    known: dict[tuple[str, str, int], list[EpisodeRecord]] = {}
    for record in records:
        if record.graded:
            known.setdefault((record.task_id, record.strategy, record.trial), []).append(record)
    reasons: Counter[str] = Counter()
    for unit in owed:
        others = known.get((unit.task_id, unit.strategy, unit.trial), [])
        if others:
            differing = min((_differing(unit, record) for record in others), key=len)
            reasons[" and ".join(differing)] += 1
    return Resumed(taken, len(owed), dict(reasons.most_common()))


def _differing(unit: WorkUnit, record: EpisodeRecord) -> list[str]:
    """What differs in the identity of a unit and of a record, in words."""
    names = [
        name for name in Digests.model_fields if getattr(unit.digests, name) != getattr(record.digests, name)
    ]
    if "code" in names:
        # The digest of the program is of its code and its state: it cannot tell whether that differs, too.
        names.remove("program")
    seed = ["seed"] if unit.seed != record.seed else []
    return [*(_CALLED.get(name, name) for name in names), *seed] or ["identity"]
