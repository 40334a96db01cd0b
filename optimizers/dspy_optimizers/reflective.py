"""DSPy's optimizers that have a language model reflect on trajectories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy

from worksmith.evals.suite import as_examples
from worksmith.optimizers.demos.collection import teaches_idle
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.dspy_optimizers.stock import (
    REDACTED,
    DspyOptimizer,
    Optimized,
    examples,
    proposer_lm,
    some_examples,
)
from worksmith.optimizers.optimizer import CompileContext

_MINIBATCH = 3


class GEPA(DspyOptimizer):
    """`dspy.GEPA`: instructions evolved by reflection on a few training episodes, kept by their dev scores.

    Episodes are described in words, see `worksmith.optimizers.proposals.feedback`. Demonstrations are
    not changed. The instructions of one predictor after another are rewritten, and programs that do best on
    different tasks merged, as DSPy has it.
    """

    name = "dspy:GEPA"
    proposes = best_on_dev = True
    differs = REDACTED

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most its budget, the round that oversteps it, and the best one again."""
        last = len(context.dev) + 2 * _MINIBATCH
        return {"dev and train": _gepa_budget(context) + last + len(context.dev)}

    def max_proposals(self, context: CompileContext) -> int:
        """One a round; the shortest takes a minibatch twice."""
        return -(-(_gepa_budget(context) - len(context.dev)) // _MINIBATCH)

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        optimizer = dspy.GEPA(
            metric=lessons.reward,
            max_metric_calls=_gepa_budget(context),
            reflection_minibatch_size=_MINIBATCH,
            reflection_lm=proposer_lm(context),
            num_threads=context.student.workers,
            warn_on_score_mismatch=False,
            seed=context.settings.seed,
        )
        wrapped = optimizer.compile(
            Sampled(context.program, lessons, reflected=True),
            trainset=examples(context),
            valset=as_examples(context.dev),
        )
        return Optimized(wrapped, "evolved")


class SIMBA(DspyOptimizer):
    """`dspy.SIMBA`: where samples of the same task differ most, a demonstration or a rule is added.

    It samples and chooses on the training tasks; a model without randomness gives it only demonstrations.

    Attributes:
        batch: tasks a round, each of which runs twice for each candidate; DSPy's own number.
        rounds: DSPy's own number.

    Raises:
        InputError: when called without training tasks.
    """

    name = "dspy:SIMBA"
    batch, rounds = 32, 8
    proposes = True
    differs = (
        "num_candidates and max_demos are --candidates and --demos (its own: 6 and 4), bsize at most the "
        "number of training tasks (its own: 32), demo_input_field_maxlen 0, which cuts nothing (its own: "
        f"100,000 characters); demonstrations without a call are not added, and {REDACTED}"
    )

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most: every round's samples and candidates, the finalists on all training tasks, one on dev."""
        candidates, batch = context.settings.candidates, min(self.batch, len(context.train))
        rounds = self.rounds * batch * (2 * candidates + 1)
        return {"train": rounds + (candidates + 1) * len(context.train), "dev": len(context.dev)}

    def max_proposals(self, context: CompileContext) -> int:
        """At most one a candidate of each round; a failed candidate is replaced by another."""
        return self.rounds * min(self.batch, len(context.train))

    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        tasks = some_examples(context, "SIMBA")
        optimizer = dspy.SIMBA(
            metric=lessons.reward,
            bsize=min(self.batch, len(tasks)),
            num_candidates=context.settings.candidates,
            max_steps=self.rounds,
            max_demos=context.settings.demos,
            prompt_model=proposer_lm(context),
            # Cutting a long input would turn a trajectory into text.
            demo_input_field_maxlen=0,
            num_threads=context.student.workers,
        )
        demonstration, rule = optimizer.strategies
        optimizer.strategies = [
            _with_calls(demonstration, idle=teaches_idle(context.student.env)),
            _redacted(rule, lessons),
        ]
        wrapped = optimizer.compile(
            Sampled(context.program, lessons), trainset=tasks, seed=context.settings.seed
        )
        return Optimized(wrapped, "ascended")


def _with_calls(demonstration: Callable[..., bool], *, idle: bool) -> Callable[..., bool]:
    """The strategy that adds a demonstration, one without a call only if that teaches (`idle`)."""

    def append_a_demo(bucket: list[dict[str, Any]], system: Any, **options: Any) -> bool:
        best = bucket[0]["prediction"]
        return (
            best is not None
            and (idle or bool(best.held.episode.calls))
            and demonstration(bucket, system, **options)
        )

    return append_a_demo


def _redacted(rule: Callable[..., bool], lessons: Lessons) -> Callable[..., bool]:
    """The strategy that has a rule proposed, from trajectories as the proposer may see them."""

    def disclosed(sample: dict[str, Any]) -> dict[str, Any]:
        steps = [
            (predictor, *lessons.disclosed_step(inputs, dict(outputs)))
            for predictor, inputs, outputs in sample["trace"]
        ]
        # The task and the answer are in the trajectory; there they are redacted.
        return {**sample, "trace": steps, "prediction": {}, "example": dspy.Example().with_inputs()}

    def append_a_rule(bucket: list[dict[str, Any]], system: Any, **options: Any) -> bool:
        return rule([disclosed(sample) for sample in bucket], system, **options)

    return append_a_rule


def _gepa_budget(context: CompileContext) -> int:
    """Episodes: the plain program and each candidate on dev, after a minibatch before and after a change."""
    dev = len(context.dev)
    return dev + context.settings.candidates * (dev + 2 * _MINIBATCH)
