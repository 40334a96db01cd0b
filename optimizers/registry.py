"""The optimizers by name."""

from __future__ import annotations

from optimizers.bootstrap import Bootstrap
from optimizers.dspy_bridge import BootstrapFewShot, LabeledFewShot, RandomSearch
from optimizers.job import Compiled, Job, Optimizer
from optimizers.knn import Knn
from optimizers.race import Race
from tools.errors import InputError


class Unchanged:
    """Leaves the program as it is; its dev score is what the others are compared with."""

    def plan(self, job: Job) -> dict[str, int]:
        """One episode a dev task."""
        return {"dev": len(job.dev)}

    def __call__(self, job: Job) -> Compiled:
        """Only measure."""
        trial = job.try_out("uncompiled", job.program, ())
        return Compiled(job.program, (), (trial,), trial.name)


_OPTIMIZERS: dict[str, type[Optimizer]] = {
    "none": Unchanged,
    "bootstrap": Bootstrap,
    "race": Race,
    "knn": Knn,
    "dspy:LabeledFewShot": LabeledFewShot,
    "dspy:BootstrapFewShot": BootstrapFewShot,
    "dspy:BootstrapFewShotWithRandomSearch": RandomSearch,
}


def optimizer_names() -> tuple[str, ...]:
    """The names there are."""
    return tuple(_OPTIMIZERS)


def optimizer(name: str) -> Optimizer:
    """The optimizer called `name`.

    Raises:
        InputError: if there is none.
    """
    if name not in _OPTIMIZERS:
        raise InputError(
            f"no optimizer {name!r}", where="--optimizer", hint=f"there are {', '.join(_OPTIMIZERS)}"
        )
    return _OPTIMIZERS[name]()
