"""What a scorer is, and what some of them know besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from tools.episode_result import EpisodeResult
    from tools.outcome import Outcome


class Scorer(Protocol):
    """Anything that gives named scores to an episode; called once an episode, from many threads."""

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name; booleans count as 0 and 1."""
        ...


def scores_of(scorers: Iterable[Scorer], task: Task, episode: EpisodeResult) -> dict[str, float]:
    """What all of them say of an episode; of a score that several give, the last one's."""
    scores: dict[str, float] = {}
    for scorer in scorers:
        scores.update({name: float(value) for name, value in scorer(task, episode).items()})
    return scores


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
