"""How optimizers of DSPy's are run, and what they are given."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from abc import abstractmethod
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import dspy

from evals.suite import as_examples
from evals.tasks.task import same_text
from optimizers.compiling.teaching import nothing_taught
from optimizers.dspy_optimizers.lessons import LastSteps, Lessons
from optimizers.job import Compiled, Job
from tools.errors import InputError, WorksmithError
from tools.files.secrets import described
from tools.seeding import rng

if TYPE_CHECKING:
    from optimizers.dspy_optimizers.proposer import Proposer


BOOTSTRAPPED = (
    "max_bootstrapped_demos is --demos (its own: 4), max_labeled_demos 0 (its own: raw examples, 16 or, of "
    "MIPROv2, 4), metric_threshold 1 (its own: none)"
)
"""In what every bootstrap of DSPy's differs from one that runs as it comes."""

REDACTED = "the proposer is shown trajectories in redacted form"
"""In what every optimizer differs that has a model read trajectories."""


class Proposing:
    """An optimizer whose instructions are proposed by a language model.

    Attributes:
        differs: in what it does not run as DSPy has it by default; empty if in nothing.
    """

    differs: str

    @abstractmethod
    def proposals(self, job: Job) -> int:
        """How often it asks the proposer at most, a reply that cannot be read not counted."""

    @abstractmethod
    def plan(self, job: Job) -> dict[str, int]:
        """See `Optimizer`."""

    @abstractmethod
    def __call__(self, job: Job) -> Compiled:
        """See `Optimizer`."""


def proposer(job: Job) -> Proposer:
    """The job's proposer.

    Raises:
        InputError: it has none.
    """
    if job.proposer is None:
        raise InputError("instructions are proposed by a language model, and there is none")
    return job.proposer


def require_optuna(name: str) -> None:
    """Mind that Optuna may not be installed.

    Raises:
        InputError: it is not.
    """
    if find_spec("optuna") is None:
        raise InputError(
            f"{name} needs Optuna, which is not installed", hint="pip install 'worksmith[optuna]'"
        )
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)


@contextlib.contextmanager
def working(job: Job, lessons: Lessons) -> Iterator[None]:
    """The surroundings of an optimizer at work.

    It is not told that the budget is spent: to it everything fails from then on.

    Raises:
        BudgetSpentError: something was not run, or not asked.
        WorksmithError: the optimizer gave up.
        Exception: what a scorer raised.
    """
    settings = {"lm": job.student.lm, "trace": None, "disable_history": True, "max_errors": sys.maxsize}
    try:
        with _quiet(), dspy.context(**settings):
            yield
    except Exception as error:
        if lessons.broken is not None:
            raise lessons.broken from error
        if job.budget is not None:
            job.budget.check()
        if job.proposer is not None:
            job.proposer.check()
        if isinstance(error, WorksmithError):
            raise
        raise WorksmithError(f"DSPy's optimizer gave up: {described(error)}") from error
    if lessons.broken is not None:
        raise lessons.broken
    if job.budget is not None:
        job.budget.check()
    if job.proposer is not None:
        job.proposer.check()


def examples(job: Job) -> list[dspy.Example]:
    """The training tasks in an order drawn from the seed, less those that ask what a task held back asks."""
    texts = {same_text(task.query) for task in job.held_back}
    tasks = [task for task in job.train if same_text(task.query) not in texts]
    rng(job.settings.seed, "dspy").shuffle(tasks)
    return as_examples(tasks)


def bootstrapping(job: Job, lessons: Lessons) -> dict[str, object]:
    """What every bootstrap of DSPy's is told, see `BOOTSTRAPPED`."""
    return {
        "metric": lessons.metric,
        "metric_threshold": 1.0,
        "teacher_settings": {"lm": job.teacher.lm},
        "max_bootstrapped_demos": job.settings.demos,
        "max_labeled_demos": 0,
    }


def see_taught(lessons: Lessons) -> None:
    """See that the teacher has taught something.

    Raises:
        NothingTaughtError: no episode of its succeeded; where it was lost throughout, an InfrastructureError.
    """
    job = lessons.job
    if not lessons.taught:
        if job.budget is not None:
            job.budget.check()
        raise nothing_taught(job.teacher.model, lessons.gaps)


def offered(job: Job, lessons: Lessons, wrapped: LastSteps) -> None:
    """Note what an optimizer has made of the program, should there be nothing left to measure it with."""
    program = wrapped.program
    for predictor in program.predictors():
        predictor.lm = None
    job.offer = Compiled(program, lessons.shown_by(program), gaps=lessons.gaps)


def tried(job: Job, lessons: Lessons, wrapped: LastSteps, name: str) -> Compiled:
    """What an optimizer has made of the program, measured on the dev tasks in our own log."""
    offered(job, lessons, wrapped)
    program, chosen = wrapped.program, lessons.shown_by(wrapped.program)
    trial = job.try_out(name, program, chosen)
    return Compiled(program, chosen, (trial,), trial.name, lessons.gaps)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what DSPy warns of in its own doings; its progress is for people at a terminal."""
    logger = logging.getLogger("dspy")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(sys.stderr if sys.stderr.isatty() else nowhere),
        ):
            yield
    finally:
        logger.setLevel(before)
