"""A score in the place of the outcome, as the objective by which programs are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worksmith.evals.dspy_programs.digests import scorers_digest
from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.scorer import KnowsFault, check_range, scores_of
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.records.entries import FaultEntry
    from worksmith.evals.scoring.scorer import Scorer
    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult
    from worksmith.tools.sqlite.outcome import Outcome

CHECKED = "checked_outcome"
"""The name of the original outcome, where another score takes its place."""


def in_place(scores: Mapping[str, float], value: float) -> dict[str, float]:
    """The scores with `value` as the outcome."""
    return {**scores, CHECKED: scores.get(PRIMARY, 0.0), PRIMARY: value}


class AroundScorers:
    """Base of scorers that change the scores of others, and know what those know of an outcome."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self._scorers = tuple(scorers)
        self.writing_tools = writing_tools(self._scorers)

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        return expected_outcome(self._scorers, task, outcome)

    def fault(self, task: Task, episode: EpisodeResult) -> FaultEntry | None:
        return own_fault(self._scorers, task, episode)


class ObjectiveScorer(AroundScorers):
    """The scores of `scorers`, with the score `name` as the outcome; the outcome becomes `checked_outcome`.

    Thread-safe if `scorers` are.
    """

    def __init__(self, scorers: Sequence[Scorer], name: str) -> None:
        super().__init__(scorers)
        self._name = name
        self.digest = digest(["driven by", name, scorers_digest(self._scorers)])

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores by name.

        Raises:
            InputError: no scorer gives the score `name`, or it does not lie between 0 and 1.
        """
        scores = scores_of(self._scorers, task, episode)
        if self._name not in scores:
            raise InputError(
                f"episodes have no score {self._name!r}",
                where="--maximize",
                hint=f"they have {', '.join(sorted(scores))}",
            )
        check_range(self._name, scores[self._name], task)
        return in_place(scores, scores[self._name])

    def with_models(self, change: Callable[[Any], Any]) -> ObjectiveScorer:
        return ObjectiveScorer([with_models(scorer, change) for scorer in self._scorers], self._name)


def writing_tools(scorers: Sequence[Scorer]) -> frozenset[str]:
    """The writing tools, as far as scorers know them."""
    known = [scorer.writing_tools for scorer in scorers if hasattr(scorer, "writing_tools")]
    return frozenset().union(*known)


def expected_outcome(scorers: Sequence[Scorer], task: Task, outcome: Outcome) -> Outcome:
    """Of the outcomes that count as right, the one nearest to `outcome`; `outcome` if no scorer knows any."""
    for scorer in scorers:
        if hasattr(scorer, "expected"):
            found: Outcome = scorer.expected(task, outcome)
            return found
    return outcome


def own_fault(scorers: Sequence[Scorer], task: Task, episode: EpisodeResult) -> FaultEntry | None:
    """The reason that a scorer knows for a wrong outcome; None without one."""
    found = (scorer.fault(task, episode) for scorer in scorers if isinstance(scorer, KnowsFault))
    return next((fault for fault in found if fault is not None), None)
