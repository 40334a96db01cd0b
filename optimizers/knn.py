"""Few-shot by retrieval: each task is shown the demonstrations nearest to it, from a bank in the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evals.nearest import Embedding
from optimizers.demonstration import Demonstration
from optimizers.job import Compiled, Job
from optimizers.selection import Display, selection_called
from optimizers.selection.showing import shown
from tools.errors import InputError

if TYPE_CHECKING:
    import dspy


class Knn:
    """The whole bank goes into the program; each task sees the nearest part of it."""

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task, one student episode a dev task."""
        return {"teacher": len(job.train), "dev": len(job.dev)}

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
        job.offer = Compiled(program, demonstrations, gaps=bank.report()["without"])
        trial = job.try_out(name, program, demonstrations)
        return Compiled(program, demonstrations, (trial,), trial.name, bank.report()["without"])


def with_nearest(
    program: dspy.Module, demonstrations: Sequence[Demonstration], count: int, embedding: Embedding
) -> dspy.Module:
    """A copy of `program` whose predictors show each task the `count` demonstrations nearest to it.

    Raises:
        InputError: if a predictor has no input that holds the task's text.
    """
    return shown(program, Display(searched=tuple(demonstrations), count=count), embedding=embedding).program
