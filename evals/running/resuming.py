"""Resuming: the episodes that a run takes over from a log, and the reasons for the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from worksmith.evals.records.record import Digests, EpisodeRecord, WorkUnit

_NAMES = {"code": "the program's code", "program": "the program's state", "scorers": "scorers or judges"}
"""Names of parts of a unit's identity in messages, where they differ from the field's."""


class Resumed(NamedTuple):
    """Counts of episodes when a run resumes.

    Attributes:
        reused: episodes that are taken over from the log.
        begun: those of `to_run` that go on from replies that an earlier process got.
        changed: those of `to_run` that the log holds under another identity, by the differing parts.
    """

    reused: int
    to_run: int
    changed: dict[str, int]
    begun: int = 0

    def __str__(self) -> str:
        message = f"--resume: {self.reused} episodes are taken over from the log, {self.to_run} are run"
        if self.begun:
            message += f", {self.begun} of them from where they were stopped"
        if not self.changed:
            return message
        reasons = ", ".join(f"{count} for {what}" for what, count in self.changed.items())
        return f"{message}; of these the log has others, but something has changed: {reasons}"


def changes_of(
    to_run: Iterable[WorkUnit], like: Callable[[WorkUnit], Sequence[EpisodeRecord]]
) -> dict[str, int]:
    """The number of units that a log holds under another identity, by the differing parts.

    Args:
        like: gives the log's records of the same task, strategy and trial.
    """
    reasons: Counter[str] = Counter()
    for unit in to_run:
        if others := like(unit):
            differing = min((_differing(unit, record) for record in others), key=len)
            reasons[" and ".join(differing)] += 1
    return dict(reasons.most_common())


def _differing(unit: WorkUnit, record: EpisodeRecord) -> list[str]:
    """The differing parts of the identities of a unit and a record."""
    names = [
        name for name in Digests.model_fields if getattr(unit.digests, name) != getattr(record.digests, name)
    ]
    if "code" in names:
        # The digest of the program covers code and state: it does not show which of them differs.
        names.remove("program")
    seed = ["seed"] if unit.seed != record.seed else []
    return [*(_NAMES.get(name, name) for name in names), *seed] or ["identity"]
