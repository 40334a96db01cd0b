"""Few-shot by retrieval: each task is shown the demonstrations nearest to it, from a bank in the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from optimizers.demonstration import Demonstration, give_demonstrations
from optimizers.job import Compiled, Job
from optimizers.nearest import NearestSettings, show_nearest
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
            InputError: if a predictor has no input that holds the task's text.
        """
        bank = job.bank()
        program = with_nearest(job.program, bank.demonstrations, job.settings.demos, job.settings.embedding)
        job.offer = Compiled(program, bank.demonstrations, gaps=bank.report()["without"])
        trial = job.try_out("nearest", program, bank.demonstrations)
        return Compiled(program, bank.demonstrations, (trial,), trial.name, bank.report()["without"])


def with_nearest(
    program: dspy.Module, demonstrations: Sequence[Demonstration], count: int, embedding: str
) -> dspy.Module:
    """A copy of `program` whose predictors show each task the `count` demonstrations nearest to it.

    Raises:
        InputError: if a predictor has no input that holds the task's text.
    """
    copy = give_demonstrations(program, demonstrations)
    nearest = {
        name: NearestSettings(_query_field(name, demonstrations), count, embedding)
        for name, predictor in copy.named_predictors()
        if predictor.demos
    }
    return show_nearest(copy, nearest)


def _query_field(name: str, demonstrations: Sequence[Demonstration]) -> str:
    """The input of a predictor that holds the task's text in every demonstration."""
    shown = [(d.query, d.parts[name]) for d in demonstrations if name in d.parts]
    for field in shown[0][1]:
        if all(part.get(field) == query for query, part in shown):
            return field
    raise InputError(
        f"no input of the predictor {name} holds the task's text",
        where="--optimizer knn",
        hint="use bootstrap, which shows every task the same demonstrations",
    )
