"""Scores of episodes as a metric of DSPy's.

optimizer = dspy.BootstrapFewShot(metric=suite.metric())
compiled = optimizer.compile(agent, trainset=suite.examples("train"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from evals.scoring.scorer import Scorer, scores_of
from tools.errors import InfrastructureError, InputError
from tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    import dspy

    from evals.tasks.task import Task


Metric = Callable[..., float | bool]
"""A metric as every optimizer of DSPy's calls it: `(example, prediction, trace, pred_name, pred_trace)`."""


def episode_metric(scorers: Sequence[Scorer], tasks: Iterable[Task], score: str) -> Metric:
    """A metric that gives one score of a prediction's episode.

    Where an optimizer collects demonstrations (`trace` is given), it says whether the score is 1.

    Args:
        tasks: among them the task of each example, found by its id.
        score: the name of the score.

    Raises:
        InputError: when called with a prediction that has no episode, or where there is no such score.
        InfrastructureError: when called with an episode that the model or the harness failed at. DSPy stops
            after `dspy.settings.max_errors` of them; counted as 0 they would pass for wrong answers.
    """
    by_id = {task.id: task for task in tasks}

    def metric(
        example: dspy.Example,
        prediction: dspy.Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> float | bool:
        episode = getattr(prediction, "episode", None)
        if episode is None:
            raise InputError(
                "the prediction has no episode", hint="return dspy.Prediction(answer=..., episode=...)"
            )
        if episode.status in INFRASTRUCTURE:
            raise InfrastructureError(f"{episode.status}: {episode.error or 'the episode was lost'}")
        task = by_id.get(example.task.id)
        if task is None:
            raise InputError(f"no task {example.task.id!r} in this suite")
        scores = scores_of(scorers, task, episode)
        if score not in scores:
            there = ", ".join(sorted(scores))
            raise InputError(f"episodes have no score {score!r}", hint=f"they have {there}")
        return scores[score] >= 1.0 if trace is not None else scores[score]

    metric.__name__ = score
    return metric
