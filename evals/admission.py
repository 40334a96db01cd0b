"""Who may start an episode: what a budget has to offer to whoever runs episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from evals.record import EpisodeRecord

O = TypeVar("O")  # noqa: E741


class Slot(Protocol):
    """Leave to run one episode."""

    def settle(self, record: EpisodeRecord | None) -> None:
        """Give the slot back, with what the episode took; None where it left no record."""
        ...


class Admission(Protocol):
    """Decides whether episodes may start. Asked from the workers' threads."""

    def admit(self, kind: str) -> Slot | None:
        """Leave for one more episode, maybe after others have ended; None if nothing more is to start.

        Args:
            kind: episodes of one kind cost about the same.
        """
        ...

    def charge(self, kind: str, record: EpisodeRecord) -> None:
        """Count an episode that was run before."""
        ...


def admitted(
    admission: Admission | None, kind: Callable[[O], str], work: Callable[[O], EpisodeRecord]
) -> Callable[[O], EpisodeRecord | None]:
    """`work`, that gives None without doing anything once nothing more is to start."""
    if admission is None:
        return work

    def run(owed: O) -> EpisodeRecord | None:
        slot = admission.admit(kind(owed))
        if slot is None:
            return None
        record = None
        try:
            record = work(owed)
        finally:
            slot.settle(record)
        return record

    return run
