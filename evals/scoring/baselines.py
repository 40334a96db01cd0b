"""Baselines: what can be scored without any model, as a floor under every result.

A suite in which many tasks expect no change rewards doing nothing; one in which a share of the tasks is to be
denied rewards refusing everything. Every score should be read beside these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evals.scoring.answers.baselines import always_refuse, keyword_search, oracle

if TYPE_CHECKING:
    from evals.tasks.task import Task
    from tools.episode import Episode

Attempt = Callable[["Task", "Episode"], tuple[str, str]]
"""Does a task in an episode; gives the status and the answer it ends with."""


@dataclass(frozen=True)
class Baseline:
    """How a baseline comes about.

    Attributes:
        make: gives the attempt, from the tasks that may be learnt from.
        learns: whether those make a difference.
    """

    make: Callable[[Sequence[Task]], Attempt]
    learns: bool = False

    @classmethod
    def of(cls, attempt: Attempt) -> Baseline:
        """One that learns nothing."""
        return cls(lambda _: attempt)


def do_nothing(task: Task, episode: Episode) -> tuple[str, str]:
    """Makes no call and gives no answer."""
    return "", ""


OF_STATE: Mapping[str, Baseline] = {"do_nothing": Baseline.of(do_nothing)}
"""For kinds where only the world's state counts."""

OF_ANSWERS: Mapping[str, Baseline] = {
    "always_refuse": Baseline.of(always_refuse),
    "keyword_only": Baseline.of(keyword_search),
    "oracle": Baseline.of(oracle),
}
"""For kinds that judge answers: two floors and a ceiling."""
