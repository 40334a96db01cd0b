"""The data of a compile: a suite's tasks, or examples that become tasks, and the score to choose by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.records.record import PRIMARY
from worksmith.evals.scoring.metric import MetricScorer
from worksmith.evals.scoring.objective import ObjectiveScorer
from worksmith.evals.suite import Examples, Suite, suite_of_examples
from worksmith.evals.task_kind import scorers_for, task_kind
from worksmith.optimizers.compiling.plan import Metric, TaskSets
from worksmith.optimizers.cost.budget import Budget
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task


class LearningData(NamedTuple):
    """The data of a compile.

    Attributes:
        said: the origin of the tasks to choose by, if the user did not name them.
    """

    suite: Suite
    tasks: TaskSets
    said: str = ""


def learning_data(
    trainset: Sequence[Any], valset: Sequence[Any] | None, *, seed: int, intent: str | None = None
) -> LearningData:
    """The tasks to learn from and to choose by.

    Without a `valset` every second example of the `trainset` is for choosing. They are sorted by intent
    and, within each, by a random number from the seed, so both parts have every intent that has two.

    Args:
        trainset, valset: examples with inputs, or parts of one suite such as `suite.train`.
        intent: the field of plain examples that names their kind; None for the input `intent`, if there is
            one.
    """
    for where, given in (("trainset", trainset), ("valset", valset)):
        if given is not None and not isinstance(given, Sequence):
            hint = "take a part of it, such as suite.train" if isinstance(given, Suite) else "give a list"
            raise InputError(f"no examples but {type(given).__name__}", where=where, hint=hint)
    least = 2 if valset is None else 1
    if len(trainset) < least or (valset is not None and not valset):
        raise InputError(
            f"{len(trainset)} training and {len(valset or ())} validation examples are too few",
            where="trainset, valset",
            hint="give at least two examples to learn from, or one of each",
        )
    if isinstance(trainset, Examples):
        suite, train = trainset.suite, trainset.tasks
        dev = None if valset is None else _of_suite(valset, suite)
    else:
        suite = suite_of_examples(trainset, valset or (), intent=intent)
        train = suite.select(split="train")
        dev = None if valset is None else suite.select(split="dev")
    message = ""
    if dev is None:
        ordered = sorted(train, key=lambda task: (task.intent or "", digest([seed, task.id])))
        train, dev = ordered[0::2], ordered[1::2]
        message = f"without a valset, {len(dev)} of {len(ordered)} examples (seed {seed}) are for choosing"
    return LearningData(suite, TaskSets(train, dev, _held_back(suite, train, dev)), message)


def _of_suite(valset: Sequence[Any], suite: Suite) -> list[Task]:
    if not isinstance(valset, Examples) or valset.suite.digest != suite.digest:
        raise InputError(
            "training and validation examples are of different suites",
            where="valset",
            hint="take both of one suite, such as suite.train and suite.dev",
        )
    return valset.tasks


def _held_back(suite: Suite, train: Sequence[Task], dev: Sequence[Task]) -> list[Task]:
    """The tasks to choose by, and those of the suite that programs are measured on."""
    used = {task.id for task in (*train, *dev)}
    return [*dev, *(t for t in suite.tasks if t.split in ("dev", "test") and t.id not in used)]


def check_given(metric: Any, budget: Any) -> None:
    """Check the kinds of a metric and a budget; either may be None."""
    if metric is not None and not callable(metric):
        raise InputError(f"no function: {metric!r}", where="metric", hint='such as suite.metric("outcome")')
    if budget is not None and not isinstance(budget, Budget):
        raise InputError(f"no budget: {budget!r}", where="budget", hint="such as Budget(usd=2)")


def chosen_by(metric: Callable[..., Any] | None, suite: Suite) -> Metric | None:
    """The scorers for a metric; None for those of the suite."""
    plain = task_kind(suite.env.kind.name).call is not None
    own = () if plain else scorers_for(suite.env)
    score = getattr(metric, "score", None)
    if metric is None or score == PRIMARY:
        if plain:
            raise InputError("plain examples need a metric", where="metric", hint="give Race(metric=...)")
        return None
    if isinstance(score, str):
        scorer: ObjectiveScorer | MetricScorer = ObjectiveScorer(own, score)
        return Metric((scorer,), {"maximize": score, "digest": scorer.digest})
    scorer = MetricScorer(metric, own)
    name = getattr(metric, "__name__", type(metric).__name__)
    return Metric((scorer,), {"metric": name, "digest": scorer.digest})
