"""Few-shot by Bayesian search: which selection, how many demonstrations and which draw do best on dev.

For spaces too large to try out. Optuna's tree-structured Parzen estimator proposes a way to choose
demonstrations, learns from its score on all dev tasks, and proposes the next (Bergstra et al. 2011). The
winner has the best of many scores on the same tasks, which flatters it, see `optimizers.compiling.finalize`.
"""

from __future__ import annotations

from collections.abc import Hashable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from optimizers.demos.selection import SELECTIONS, selection_called
from optimizers.optimizer import CompileContext, Compiled, Contender
from optimizers.search.few_shot import BankOptimizer
from optimizers.search.race_rules import INCUMBENT
from tools.errors import InputError

if TYPE_CHECKING:
    import optuna

_DRAWS = 8
"""Draws of fixed sets with one size among which the search chooses."""


def require_optuna(name: str) -> None:
    """Check that Optuna is installed, for the optimizer called `name`.

    Raises:
        InputError: it is not.
    """
    if find_spec("optuna") is None:
        raise InputError(
            f"{name} needs Optuna, which is not installed", hint="pip install 'worksmith[optuna]'"
        )
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)


class Tpe(BankOptimizer):
    """`candidates` proposals, each on all dev tasks; the program as it is competes too.

    Raises:
        InputError: Optuna is not installed.
    """

    tested = True

    def __init__(self) -> None:
        require_optuna("tpe")

    def __call__(self, context: CompileContext) -> Compiled:
        import optuna

        settings = context.settings
        pool = settings.pool(context.bank())
        plain = context.try_out(INCUMBENT, context.program, ())
        # The key is what a program shows: two proposals may come to the same.
        tried: dict[Hashable, Contender] = {None: Contender(context.program, (), plain)}
        sampler = optuna.samplers.TPESampler(seed=settings.seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for _ in range(settings.candidates):
            proposal = study.ask()
            selection, size, draw = _point(proposal, context, len(pool.demonstrations))
            display = selection_called(selection).choose(pool, size, seed=settings.seed, restart=draw)
            if display.content not in tried:
                program, shown = settings.show(context.program, display)
                trial = context.try_out(f"{selection}-{size}-{draw}", program, shown)
                tried[display.content] = Contender(program, shown, trial)
            # The score of a program that may be chosen, and less than 0 for one that may not.
            study.tell(proposal, sum(tried[display.content].trial.rank) - 2)
        best = max(tried.values(), key=lambda one: one.trial.rank)
        trials = tuple(one.trial for one in tried.values())
        return Compiled(best.program, best.demonstrations, trials, best.trial.name, context.reasons)


def _point(proposal: optuna.Trial, context: CompileContext, most: int) -> tuple[str, int, int]:
    """A way to choose demonstrations: the selection, how many, which draw."""
    settings = context.settings
    kinds = (settings.selection,) if settings.selection else tuple(SELECTIONS)
    return (
        proposal.suggest_categorical("selection", kinds),
        proposal.suggest_int("size", 1, min(settings.demos, most), log=True),
        proposal.suggest_int("draw", 0, _DRAWS - 1),
    )
