"""Who may start an episode: what a budget has to offer to whoever runs episodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from evals.record import EpisodeRecord

Owed = TypeVar("Owed")


class Admission(Protocol):
    """Decides whether episodes may start. Asked from the workers' threads."""

    def admit(self, kind: str) -> AbstractContextManager[Any] | None:
        """Leave to run one more episode in a block, maybe after others have ended; None if none is to start.

        Args:
            kind: episodes of one kind cost about the same.
        """
        ...

    def charge(self, record: EpisodeRecord) -> None:
        """Take note of an episode that a log holds."""
        ...


def admitted(
    admission: Admission | None, kind: Callable[[Owed], str], work: Callable[[Owed], EpisodeRecord]
) -> Callable[[Owed], EpisodeRecord | None]:
    """`work`, that gives None without doing anything once nothing more is to start."""
    if admission is None:
        return work

    def run(owed: Owed) -> EpisodeRecord | None:
        leave = admission.admit(kind(owed))
        if leave is None:
            return None
        with leave:
            return work(owed)

    return run
