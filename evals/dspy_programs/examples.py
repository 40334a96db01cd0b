"""Tasks as DSPy's examples, and the metric that goes with them.

optimizer = dspy.BootstrapFewShot(metric=suite.metric())
compiled = optimizer.compile(agent, trainset=suite.examples("train"))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from evals.records.record import PRIMARY
from evals.scoring.scorer import scores_of
from tools.errors import InfrastructureError, InputError
from tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    import dspy

    from evals.tasks.suite import Suite
    from evals.tasks.task import Task


class Metric(Protocol):
    """A metric as every optimizer of DSPy's takes it."""

    def __call__(
        self,
        example: dspy.Example,
        prediction: dspy.Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> float | bool:
        """What the prediction is worth."""
        ...


def as_examples(tasks: Iterable[Task]) -> list[dspy.Example]:
    """What an agent may see of the tasks, as examples with the one input `task`."""
    import dspy

    return [dspy.Example(task=task.visible()).with_inputs("task") for task in tasks]


def suite_metric(suite: Suite, score: str = PRIMARY) -> Metric:
    """The score called so of an agent's episode, judged by the suite's own task of the example's id.

    Where an optimizer collects demonstrations it is whether the score is 1.

    Raises:
        InputError: when called with a prediction that has no episode, or where there is no such score.
        InfrastructureError: when called with an episode that the model or the harness failed at. DSPy stops
            after `dspy.settings.max_errors` of them; counted as 0 they would pass for wrong answers.
    """
    from evals.scoring.scorers import scorers_for

    scorers = scorers_for(suite.env)
    tasks = {task.id: task for task in suite.tasks}

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
        task = tasks.get(example.task.id)
        if task is None:
            raise InputError(f"no task {example.task.id!r}", where=str(suite.path))
        scores = scores_of(scorers, task, episode)
        if score not in scores:
            there = ", ".join(sorted(scores))
            raise InputError(f"episodes have no score {score!r}", hint=f"they have {there}")
        return scores[score] >= 1.0 if trace is not None else scores[score]

    metric.__name__ = score
    return metric
