"""DSPy's optimizers that have a language model reflect on trajectories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy

from evals.suite import as_examples
from optimizers.dspy_optimizers.lessons import LastSteps, Lessons
from optimizers.dspy_optimizers.stock import REDACTED, Proposing, examples, proposer, tried, working
from optimizers.job import Compiled, Job
from tools.errors import InputError

_MINIBATCH = 3
_BATCH, _ROUNDS = 32, 8
"""SIMBA's tasks a round and rounds, which are DSPy's own: every task runs twice for each candidate."""


class GEPA(Proposing):
    """`dspy.GEPA`: instructions evolved by reflection on a few training episodes, kept by their dev scores.

    What an episode came to is said in words, see `optimizers.dspy_optimizers.feedback`. Demonstrations are
    none of its business; the instructions of one predictor after another are rewritten, and programs that
    do best on different tasks merged, as DSPy has it.
    """

    differs = REDACTED

    def plan(self, job: Job) -> dict[str, int]:
        """At most its budget, the round that oversteps it, and the best one again."""
        last = len(job.dev) + 2 * _MINIBATCH
        return {"dev and train": _gepa_budget(job) + last + len(job.dev)}

    def proposals(self, job: Job) -> int:
        """One a round; the shortest takes a minibatch twice."""
        return -(-(_gepa_budget(job) - len(job.dev)) // _MINIBATCH)

    def __call__(self, job: Job) -> Compiled:
        """Compile."""
        lessons = Lessons(job)
        optimizer = dspy.GEPA(
            metric=lessons.reward,
            max_metric_calls=_gepa_budget(job),
            reflection_minibatch_size=_MINIBATCH,
            reflection_lm=proposer(job).lm,
            num_threads=job.student.workers,
            warn_on_score_mismatch=False,
            seed=job.settings.seed,
        )
        with working(job, lessons):
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons, reflected=True),
                trainset=examples(job),
                valset=as_examples(job.dev),
            )
        return tried(job, lessons, wrapped, "evolved")


class SIMBA(Proposing):
    """`dspy.SIMBA`: where samples of the same task differ most, a demonstration or a rule is added.

    It samples and chooses on the training tasks; a model without randomness gives it only demonstrations.
    """

    differs = (
        "num_candidates and max_demos are --candidates and --demos (its own: 6 and 4), bsize at most the "
        "number of training tasks (its own: 32), demo_input_field_maxlen 0, which cuts nothing (its own: "
        f"100,000 characters); demonstrations without a call are not added, and {REDACTED}"
    )

    def plan(self, job: Job) -> dict[str, int]:
        """At most: every round's samples and candidates, the finalists on all training tasks, one on dev."""
        candidates, batch = job.settings.candidates, min(_BATCH, len(job.train))
        rounds = _ROUNDS * batch * (2 * candidates + 1)
        return {"train": rounds + (candidates + 1) * len(job.train), "dev": len(job.dev)}

    def proposals(self, job: Job) -> int:
        """At most one a candidate of each round; a candidate that comes to nothing is replaced by another."""
        return _ROUNDS * min(_BATCH, len(job.train))

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: there are no training tasks.
        """
        lessons, tasks = Lessons(job), examples(job)
        if not tasks:
            raise InputError("SIMBA needs training tasks that no dev or test task repeats")
        with working(job, lessons):
            optimizer = dspy.SIMBA(
                metric=lessons.reward,
                bsize=min(_BATCH, len(tasks)),
                num_candidates=job.settings.candidates,
                max_steps=_ROUNDS,
                max_demos=job.settings.demos,
                prompt_model=proposer(job).lm,
                # Cutting a long input would turn a trajectory into text.
                demo_input_field_maxlen=0,
                num_threads=job.student.workers,
            )
            demonstration, rule = optimizer.strategies
            optimizer.strategies = [_telling(demonstration), _discreet(rule, lessons)]
            wrapped = optimizer.compile(
                LastSteps(job.program, lessons), trainset=tasks, seed=job.settings.seed
            )
        return tried(job, lessons, wrapped, "ascended")


def _telling(demonstration: Callable[..., bool]) -> Callable[..., bool]:
    """The strategy that adds a demonstration, but none without a call: it would show how to do nothing."""

    def append_a_demo(bucket: list[dict[str, Any]], system: Any, **options: Any) -> bool:
        best = bucket[0]["prediction"]
        return best is not None and bool(best.held.episode.calls) and demonstration(bucket, system, **options)

    return append_a_demo


def _discreet(rule: Callable[..., bool], lessons: Lessons) -> Callable[..., bool]:
    """The strategy that has a rule proposed, from trajectories as the proposer may see them."""

    def append_a_rule(bucket: list[dict[str, Any]], system: Any, **options: Any) -> bool:
        return rule([_shown(sample, lessons) for sample in bucket], system, **options)

    return append_a_rule


def _shown(sample: dict[str, Any], lessons: Lessons) -> dict[str, Any]:
    steps = []
    for predictor, inputs, outputs in sample["trace"]:
        shown = lessons.disclose({**inputs, **dict(outputs)})
        steps.append(
            (
                predictor,
                {name: value for name, value in shown.items() if name not in outputs},
                dspy.Prediction(**{name: value for name, value in shown.items() if name in outputs}),
            )
        )
    # The task and the answer are in the trajectory; there they are redacted.
    return {**sample, "trace": steps, "prediction": {}, "example": dspy.Example().with_inputs()}


def _gepa_budget(job: Job) -> int:
    """Episodes: the plain program and each candidate on dev, after a minibatch before and after a change."""
    return len(job.dev) + job.settings.candidates * (len(job.dev) + 2 * _MINIBATCH)
