"""Admission of episodes: the interface of a budget for the runner."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.tools.episode_result import Usage


class Leave(AbstractContextManager[Any], Protocol):
    """Leave to run one episode, in a block.

    Attributes:
        cut_short: whether a request of the block was refused, so that its episode is not to be kept.
    """

    cut_short: bool


class Admission(Protocol):
    """Decides whether episodes may start. Called from the workers' threads."""

    def admit(self, kind: str) -> Leave | None:
        """Leave to run one more episode; None if it may not start. May wait for others to end.

        Args:
            kind: the group of the episode; episodes of a group cost about the same.
        """
        ...

    def counted(self, lm: dspy.LM) -> dspy.LM:
        """A model whose requests are counted, and may be refused."""
        ...

    def charge(self, record: EpisodeRecord) -> None:
        """Count the cost of an episode that a log holds."""
        ...

    def charge_unrecorded(self, paid: Mapping[str, Usage]) -> None:
        """Count what killed attempts at an episode paid, by the model's name."""
        ...
