"""The surroundings of DSPy's optimizers: settings, examples, and the measurement of the result."""

from __future__ import annotations

import contextlib
import sys
from abc import abstractmethod
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import dspy

from worksmith.evals.dspy_programs.own_models import give_models
from worksmith.evals.suite import as_examples
from worksmith.optimizers.demos.trace_bank import apart_from, nothing_taught
from worksmith.optimizers.dspy_optimizers.lessons import Lessons, Sampled
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.quiet import quiet
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.tools.errors import InputError, WorksmithError, missing_extra
from worksmith.tools.files.secrets import described
from worksmith.tools.seeding import rng

BOOTSTRAPPED = (
    "max_bootstrapped_demos is --demos (its own: 4), max_labeled_demos 0 (its own: raw examples, 16 or, of "
    "MIPROv2, 4), metric_threshold 1 (its own: none)"
)
"""The differences of every bootstrap from DSPy's defaults."""

REDACTED = "the proposer is shown trajectories in redacted form"
"""The difference of every optimizer that has a model read trajectories."""


class Optimized(NamedTuple):
    """A program that an optimizer of DSPy's has made, and the name of its trial."""

    wrapped: Sampled
    name: str


class DspyOptimizer(Teleprompter):
    """An optimizer of DSPy's whose program is measured on the dev tasks, in a log of worksmith.

    Attributes:
        bootstraps: whether it is an error if no episode of its teacher succeeds.
    """

    bootstraps = logged = False

    @abstractmethod
    def optimize(self, context: CompileContext, lessons: Lessons) -> Optimized:
        """Run DSPy's optimizer on the context's program."""

    def search(self, context: CompileContext) -> Compiled:
        lessons = Lessons(context)
        with working(context, lessons):
            found = self.optimize(context, lessons)
        if self.bootstraps:
            check_taught(lessons)
        return context.taken(found.name, without_measuring(lessons, found.wrapped))


def require_optuna(name: str) -> None:
    """Check that Optuna is installed, for the optimizer called `name`.

    Raises:
        InputError: it is not.
    """
    if find_spec("optuna") is None:
        raise missing_extra(name, "optuna")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)


def without_measuring(lessons: Lessons, wrapped: Sampled) -> Compiled:
    """The program inside `wrapped`, without the models that optimizers leave in its predictors."""
    program = wrapped.program
    give_models(program, lessons.context.program)
    return Compiled(program, lessons.shown_by(program), gaps=lessons.gaps)


def proposer_lm(context: CompileContext) -> dspy.LM:
    """The model that proposes instructions."""
    if context.proposer is None:
        raise InputError("a language model proposes instructions, and no model is named")
    return context.proposer.lm


@contextlib.contextmanager
def working(context: CompileContext, lessons: Lessons) -> Iterator[None]:
    """A block in which an optimizer of DSPy's works.

    The optimizer does not know that the budget is spent: to it everything fails from then on.

    Raises:
        BudgetSpentError: an episode was not run, or a model not asked.
        WorksmithError: the optimizer gave up.
        Exception: a scorer's own.
    """
    settings = {"lm": context.student.lm, "trace": None, "disable_history": True, "max_errors": sys.maxsize}
    failure: Exception | None = None
    try:
        with quiet(), dspy.context(**settings):
            yield
    except Exception as error:
        failure = error
    # Optimizers continue, or fail with their own error, after one of these.
    if lessons.broken is not None:
        raise lessons.broken from failure
    for cause in (context.budget, context.proposer):
        if cause is not None:
            cause.check()
    if isinstance(failure, WorksmithError):
        raise failure
    if failure is not None:
        raise WorksmithError(f"DSPy's optimizer gave up: {described(failure)}") from failure


def examples(context: CompileContext) -> list[dspy.Example]:
    """The training tasks in an order drawn from the seed, without those that repeat a task held back."""
    tasks = apart_from(context.train, context.held_back)
    rng(context.settings.seed, "dspy").shuffle(tasks)
    return as_examples(tasks)


def some_examples(context: CompileContext, optimizer: str) -> list[dspy.Example]:
    """As `examples`, for an optimizer of DSPy's that cannot do without."""
    found = examples(context)
    if not found:
        raise InputError(f"{optimizer} needs training tasks that no dev or test task repeats")
    return found


def bootstrapping(context: CompileContext, lessons: Lessons) -> dict[str, object]:
    """The arguments of every bootstrap of DSPy's, see `BOOTSTRAPPED`."""
    return {
        "metric": lessons.metric,
        "metric_threshold": 1.0,
        "teacher_settings": {"lm": context.teacher.lm},
        "max_bootstrapped_demos": context.settings.demos,
        "max_labeled_demos": 0,
    }


def check_taught(lessons: Lessons) -> None:
    """Check that an episode of the teacher succeeded.

    Raises:
        NothingTaughtError: no episode succeeded.
        InfrastructureError: all were lost.
        BudgetSpentError: the budget ended the teacher's work.
    """
    context = lessons.context
    if not lessons.taught:
        if context.budget is not None:
            context.budget.check()
        raise nothing_taught(context.teacher.model, lessons.gaps)
