"""The optimizers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from optimizers.dspy_optimizers.few_shot import (
    BootstrapFewShot,
    LabeledFewShot,
    Nearest,
    Optuna,
    RandomSearch,
)
from optimizers.dspy_optimizers.instructions import COPRO, BetterTogether, InferRules, MIPROv2
from optimizers.dspy_optimizers.reflective import GEPA, SIMBA
from optimizers.optimizer import Optimizer
from optimizers.search.few_shot import Bootstrap, Knn, Tpe, Unchanged
from optimizers.search.race import Race
from tools.errors import InputError

OPTIMIZERS: Final[Mapping[str, type[Optimizer]]] = {
    each.name: each
    for each in (
        Unchanged,
        Bootstrap,
        Race,
        Knn,
        Tpe,
        LabeledFewShot,
        BootstrapFewShot,
        RandomSearch,
        Optuna,
        Nearest,
        COPRO,
        MIPROv2,
        SIMBA,
        GEPA,
        InferRules,
        BetterTogether,
    )
}
"""The optimizers, with their properties as class attributes; `optimizer` makes one."""


def optimizer(name: str, *, option: str = "--optimizer") -> Optimizer:
    """Make the optimizer called `name`.

    Args:
        name: a key of `OPTIMIZERS`.
        option: the command-line option, for the message.

    Raises:
        InputError: there is none of that name, or it needs a package that is not installed.
    """
    if name not in OPTIMIZERS:
        raise InputError(f"no optimizer {name!r}", where=option, hint=f"there are {', '.join(OPTIMIZERS)}")
    return OPTIMIZERS[name]()
