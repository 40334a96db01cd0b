"""The optimizers by name."""

from __future__ import annotations

from optimizers.dspy_optimizers.few_shot import (
    BootstrapFewShot,
    LabeledFewShot,
    Nearest,
    Optuna,
    RandomSearch,
)
from optimizers.dspy_optimizers.instructions import COPRO, BetterTogether, InferRules, MIPROv2
from optimizers.dspy_optimizers.reflective import GEPA, SIMBA
from optimizers.dspy_optimizers.stock import Proposing
from optimizers.job import Compiled, Job, Optimizer
from optimizers.search.bootstrap import Bootstrap
from optimizers.search.knn import Knn
from optimizers.search.race import Race
from optimizers.search.tpe import Tpe
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
    "tpe": Tpe,
    "dspy:LabeledFewShot": LabeledFewShot,
    "dspy:BootstrapFewShot": BootstrapFewShot,
    "dspy:BootstrapFewShotWithRandomSearch": RandomSearch,
    "dspy:BootstrapFewShotWithOptuna": Optuna,
    "dspy:KNNFewShot": Nearest,
    "dspy:COPRO": COPRO,
    "dspy:MIPROv2": MIPROv2,
    "dspy:SIMBA": SIMBA,
    "dspy:GEPA": GEPA,
    "dspy:InferRules": InferRules,
    "dspy:BetterTogether": BetterTogether,
}


_FROM_A_BANK = frozenset({"bootstrap", "race", "knn", "tpe", "dspy:LabeledFewShot", "dspy:KNNFewShot"})


_BEST_ON_DEV = frozenset(
    {
        "dspy:BootstrapFewShotWithRandomSearch",
        "dspy:BootstrapFewShotWithOptuna",
        "dspy:COPRO",
        "dspy:MIPROv2",
        "dspy:GEPA",
        "dspy:InferRules",
        "dspy:BetterTogether",
    }
)


def optimizer_names() -> tuple[str, ...]:
    """The names there are."""
    return tuple(_OPTIMIZERS)


def selects(name: str) -> bool:
    """Whether the optimizer called `name` can be told how to choose demonstrations."""
    return name in _FROM_A_BANK - {"dspy:LabeledFewShot"}


def takes_bank(name: str) -> bool:
    """Whether the optimizer called `name` draws from a bank; others run a teacher by themselves, or none."""
    return name in _FROM_A_BANK


def proposes(name: str) -> bool:
    """Whether the optimizer called `name` has instructions proposed by a language model."""
    return issubclass(_OPTIMIZERS.get(name, Unchanged), Proposing)


def proposals(name: str, job: Job) -> int:
    """How often the optimizer called `name` asks the proposer at most."""
    found = optimizer(name)
    return found.proposals(job) if isinstance(found, Proposing) else 0


def differs(name: str) -> str:
    """In what an optimizer of DSPy's does not run as DSPy has it by default; empty if in nothing."""
    return str(getattr(_OPTIMIZERS.get(name), "differs", ""))


def chooses_on_dev(name: str) -> bool:
    """Whether the optimizer of DSPy's called `name` takes the best of several programs on the dev tasks."""
    return name in _BEST_ON_DEV


def optimizer(name: str, *, option: str = "--optimizer") -> Optimizer:
    """The optimizer called `name`.

    Args:
        option: that names it, for the message.

    Raises:
        InputError: if there is none, or it needs a package that is not installed.
    """
    if name not in _OPTIMIZERS:
        raise InputError(f"no optimizer {name!r}", where=option, hint=f"there are {', '.join(_OPTIMIZERS)}")
    return _OPTIMIZERS[name]()
