"""What a scorer is, and what some of them know besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from evals.task import Task
    from tools.episode import EpisodeResult
    from tools.outcome import Outcome


class Scorer(Protocol):
    """Anything that gives named scores to an episode; called once an episode, from many threads."""

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name; booleans count as 0 and 1."""
        ...


@runtime_checkable
class KnowsExpected(Protocol):
    """A scorer that can say what an episode should have changed."""

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        """Of the outcomes that count as right, the one nearest to `outcome`."""
        ...


@runtime_checkable
class KnowsTools(Protocol):
    """A scorer that knows which of the world's tools change something."""

    writing_tools: frozenset[str]


@runtime_checkable
class KnowsNames(Protocol):
    """A scorer that knows the names of all scores that it may give."""

    score_names: frozenset[str]
