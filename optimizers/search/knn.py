"""Few-shot by retrieval: each task is shown the demonstrations nearest to it, from a bank in the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evals.dspy_programs.nearest import Embedding
from optimizers.demos.demonstration import Demonstration
from optimizers.demos.selection import Display, selection_called
from optimizers.demos.selection.showing import shown
from optimizers.job import Compiled, Job
from optimizers.search.racing import INCUMBENT
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy


class Knn:
    """The whole bank goes into the program; each task sees the nearest part of it.

    Where it has to beat the program as it is, that is measured as well.
    """

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task, one or two student episodes a dev task."""
        programs = 2 if job.settings.accept == "tested" else 1
        return {"teacher": len(job.train), "dev": programs * len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: no input of a predictor holds the task's text, or the selection searches nothing.
        """
        settings = job.settings
        name = settings.selection or "nearest"
        if not selection_called(name).searches:
            raise InputError(
                f"knn searches demonstrations for each task, {name} does not",
                where="--selection",
                hint="use nearest or mixture, or another optimizer",
            )
        bank = job.bank()
        display = selection_called(name).choose(settings.pool(bank), settings.demos, seed=settings.seed)
        program, demonstrations = settings.shown(job.program, display)
        trials = []
        if settings.accept == "tested":
            trials.append(job.try_out(INCUMBENT, job.program, ()))
        else:
            job.offer = Compiled(program, demonstrations, gaps=job.reasons)
        trials.append(job.try_out(name, program, demonstrations))
        return Compiled(program, demonstrations, tuple(trials), name, job.reasons)


def with_nearest(
    program: dspy.Module, demonstrations: Sequence[Demonstration], count: int, embedding: Embedding
) -> dspy.Module:
    """A copy of `program` whose predictors show each task the `count` demonstrations nearest to it.

    Raises:
        InputError: if a predictor has no input that holds the task's text.
    """
    return shown(program, Display(searched=tuple(demonstrations), count=count), embedding=embedding).program
