"""Scores of episodes as a metric of DSPy's, and a metric of the user's as the score of episodes.

optimizer = dspy.BootstrapFewShot(metric=suite.metric())
compiled = optimizer.compile(agent, trainset=suite.examples("train"))
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from worksmith.evals.dspy_programs.digests import callable_digest, scorers_digest
from worksmith.evals.dspy_programs.event_loop import awaited
from worksmith.evals.dspy_programs.own_models import with_models
from worksmith.evals.lm.failures import calling
from worksmith.evals.lm.users_code import UserCodeError
from worksmith.evals.records.entries import FaultEntry
from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.objective import expected_outcome, in_place, writing_tools
from worksmith.evals.scoring.scorer import Scorer, name_of, scores_of
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.numbers import share
from worksmith.tools.proposed_changes import ProposedChanges
from worksmith.tools.seeding import digest
from worksmith.tools.statuses import INFRASTRUCTURE

if TYPE_CHECKING:
    import dspy

    from worksmith.evals.tasks.task import Task
    from worksmith.tools.episode_result import EpisodeResult
    from worksmith.tools.sqlite.outcome import Outcome


Metric = Callable[..., float | bool]
"""A metric as every optimizer of DSPy's calls it: `(example, prediction, trace, pred_name, pred_trace)`."""


_LONGEST = 1_000
"""Characters of a metric's words that a record keeps."""


class Score(NamedTuple):
    """A score from 0 to 1 with the words of the metric that gave it, if it has any."""

    value: float
    feedback: str = ""

    @classmethod
    def of(cls, found: Any, metric: str, task: Task) -> Self:
        """The result of a metric as a score.

        Args:
            found: a bool, a number from 0 to 1, or a `dspy.Prediction` with `score` and maybe `feedback`.
            metric: its name, for the message.

        Raises:
            InputError: it is something else.
        """
        given = getattr(found, "score", found)
        score = share(given)
        if score is None:
            raise InputError(
                f"{metric} returned {given!r} for {task.id}",
                hint="return a bool, a number from 0 to 1, or dspy.Prediction(score=..., feedback=...)",
            )
        return cls(score, str(getattr(found, "feedback", "") or ""))


def metric_inputs(task: Task, episode: EpisodeResult) -> tuple[dspy.Example, dspy.Prediction]:
    """The example and the prediction that a metric of the user's gets, see docs/how-to/metrics.md."""
    import dspy

    example, own = getattr(task, "example", None), episode.prediction
    if example is not None:
        return example, own
    given = dict(own.items()) if isinstance(own, dspy.Prediction) else {}
    fields = {
        "answer": episode.answer,
        "status": episode.answer_status,
        "changes": episode.outcome.to_json(),
        "calls": [call.to_json() for call in episode.calls],
        "episode": episode,
        # An agent's own changes can be committed; a metric gets those that are scored, as data.
        **{name: value for name, value in given.items() if not isinstance(value, ProposedChanges)},
    }
    return dspy.Example(task=task, query=task.query).with_inputs("task", "query"), dspy.Prediction(**fields)


def episode_metric(scorers: Sequence[Scorer], tasks: Iterable[Task], score: str) -> Metric:
    """A metric that gives one score of a prediction's episode.

    Where an optimizer collects demonstrations (`trace` is given), it returns whether the score is 1.

    Args:
        tasks: among them the task of each example, found by its id.

    Raises:
        InputError: when called with a prediction that has no episode, or without such a score.
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

    metric.__name__ = metric.score = score  # type: ignore[attr-defined]
    return metric


class MetricScorer:
    """A metric as the outcome of episodes, beside other scores.

    The metric may return a bool, a number from 0 to 1, or a `dspy.Prediction` with `score` and `feedback`.
    Its requests to its own models are in no budget and no journal.

    Args:
        metric: takes an example and the program's prediction, as DSPy's metrics do.
        others: give further scores, for constraints and reports.
    """

    def __init__(self, metric: Callable[..., Any], others: Sequence[Scorer] = ()) -> None:
        self._metric = metric
        self._name = name_of(metric)
        self._others = tuple(others)
        self._last = threading.local()
        if others:
            self.writing_tools = writing_tools(others)
        # A metric may also take the trace and the names of predictors; they are empty here.
        parameters = inspect.signature(metric).parameters.values()
        needed = [one for one in parameters if one.default is one.empty and one.kind in _POSITIONAL]
        self._further = [None] * max(0, len(needed) - 2)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        # The memory of a thread stays in its process.
        return type(self), (self._metric, self._others)

    @property
    def digest(self) -> str:
        """Content address of the metric and of the other scorers."""
        return digest([callable_digest(self._metric), scorers_digest(self._others)])

    def with_models(self, change: Callable[[Any], Any]) -> Self:
        return type(self)(with_models(self._metric, change), [with_models(o, change) for o in self._others])

    def __call__(self, task: Task, episode: EpisodeResult) -> Mapping[str, float]:
        """The scores.

        Raises:
            InputError: the metric returned something else than a score from 0 to 1.
            UserCodeError: it raised an exception.
        """
        others = scores_of(self._others, task, episode)
        try:
            score = self._score(task, episode).value
        except UserCodeError as error:
            error.scores = in_place(others, 0.0) if others else {}
            raise
        return in_place(others, score) if others else {PRIMARY: score}

    def expected(self, task: Task, outcome: Outcome) -> Outcome:
        return expected_outcome(self._others, task, outcome)

    def feedback(self, task: Task, episode: EpisodeResult) -> str:
        """The metric's words on an episode; empty without any."""
        return self._score(task, episode).feedback

    def fault(self, task: Task, episode: EpisodeResult) -> FaultEntry | None:
        """The metric's words on an episode that it scored low."""
        said = self.feedback(task, episode)
        return FaultEntry(kind="low_metric", detail=said[:_LONGEST]) if said else None

    def _score(self, task: Task, episode: EpisodeResult) -> Score:
        """The metric's score and words; it is called once for all questions about an episode in a row."""
        last: tuple[EpisodeResult, Score] | None = getattr(self._last, "score", None)
        if last is None or last[0] is not episode:
            found = Score.of(self._asked(task, episode), f"the metric {self._name}", task)
            last = self._last.score = (episode, found)
        return last[1]

    def _asked(self, task: Task, episode: EpisodeResult) -> Any:
        import dspy

        if episode.prediction is None and hasattr(task, "example"):
            return 0.0  # the program raised, so there is no prediction
        example, prediction = metric_inputs(task, episode)
        with dspy.context(trace=None, usage_tracker=None), calling("the metric"):
            found = self._metric(example, prediction, *self._further)
            return awaited(found) if inspect.isawaitable(found) else found


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
