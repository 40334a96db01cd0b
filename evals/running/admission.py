"""Who may start an episode: what a budget has to offer to whoever runs episodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from evals.lm.payer import AdmissionError

if TYPE_CHECKING:
    import dspy

    from evals.records.record import EpisodeRecord

Owed = TypeVar("Owed")


class Leave(AbstractContextManager[Any], Protocol):
    """Leave to run something, in a block.

    Attributes:
        cut_short: whether the block was refused a request, so that what came of it is not to be kept.
    """

    cut_short: bool


class Admission(Protocol):
    """Decides whether episodes may start. Asked from the workers' threads."""

    def admit(self, kind: str) -> Leave | None:
        """Leave to run one more episode in a block, maybe after others have ended; None if none is to start.

        Args:
            kind: episodes of one kind cost about the same.
        """
        ...

    def counted(self, lm: dspy.LM) -> dspy.LM:
        """A model whose requests are counted, and may be refused."""
        ...

    def charge(self, record: EpisodeRecord) -> None:
        """Take note of an episode that a log holds."""
        ...


def admitted(
    admission: Admission | None,
    kind: Callable[[Owed], str],
    work: Callable[[Owed], EpisodeRecord],
    on_cut_short: Callable[[Owed, EpisodeRecord], None],
) -> Callable[[Owed], EpisodeRecord | None]:
    """`work`, that gives None without doing anything once nothing more is to start.

    Args:
        on_cut_short: told of an episode that is not kept, in the worker's thread: it was paid for as well.
    """
    if admission is None:
        return work

    def run(owed: Owed) -> EpisodeRecord | None:
        leave = admission.admit(kind(owed))
        if leave is None:
            return None
        try:
            with leave:
                record = work(owed)
        except AdmissionError:
            return None
        if leave.cut_short:
            on_cut_short(owed, record)
            return None
        return record

    return run
