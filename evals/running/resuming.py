"""Resuming: the episodes that a run takes over from a log, and the reasons for the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evals.records.record import Digests, EpisodeRecord, WorkUnit

_CALLED = {"code": "the program's code", "program": "the program's state", "scorers": "scorers or judges"}
"""Names of parts of a unit's identity in messages, where they differ from the field's."""


class Resumed(NamedTuple):
    """Counts of episodes when a run resumes.

    Attributes:
        taken: over from the log.
        owed: that are run.
        changed: of these, the ones in the log under another identity, by the differing parts.
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
    """Compare the units that are `owed` with the log's records of the same task, strategy and trial."""
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
    """The differing parts of the identities of a unit and a record."""
    names = [
        name for name in Digests.model_fields if getattr(unit.digests, name) != getattr(record.digests, name)
    ]
    if "code" in names:
        # The digest of the program is of its code and its state: it cannot tell whether that differs, too.
        names.remove("program")
    seed = ["seed"] if unit.seed != record.seed else []
    return [*(_CALLED.get(name, name) for name in names), *seed] or ["identity"]
