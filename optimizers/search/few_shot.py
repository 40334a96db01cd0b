"""Optimizers without rounds: no change, a few sets, the nearest demonstrations, Bayesian search."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from worksmith.optimizers.demos.selection import SELECTIONS, Display, Selector, selection_called
from worksmith.optimizers.demos.showing import show
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.optimizers.trial import Trial
from worksmith.tools.errors import InputError, missing_extra

if TYPE_CHECKING:
    import optuna


_DRAWS = 8
"""Draws of fixed sets with one size among which the search chooses."""

_AT_RANDOM = 10
"""The first proposals of a search, which depend on no score."""


def require_optuna(name: str) -> None:
    """Check that Optuna is installed, for the optimizer called `name`.

    Raises:
        InputError: it is not.
    """
    if find_spec("optuna") is None:
        raise missing_extra(name, "optuna")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)


class Unchanged(Teleprompter):
    """The program as it is; its dev score is the reference for the others."""

    name = "none"

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"dev": len(context.dev)}

    def search(self, context: CompileContext) -> Compiled:
        trial = context.try_out(INCUMBENT, context.program, ())
        return Compiled(context.program, (), (trial,), trial.name)


class BankOptimizer(Teleprompter):
    """An optimizer whose candidates show a bank's demonstrations and meet the program as it is on dev."""

    takes_bank = selects = True

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most a teacher episode a training task; every dev task for each candidate and the program."""
        return {"teacher": len(context.train), "dev": len(context.dev) * (1 + context.settings.candidates)}


class Bootstrap(BankOptimizer):
    """Sets that cover the bank and random ones, each on all dev tasks; the program as it is competes too.

    Example:
        >>> optimizer = ws.Bootstrap(accept="best")
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen
        'covering-0'
    """

    name = "bootstrap"
    tested = True

    def search(self, context: CompileContext) -> Compiled:
        bank = context.bank()
        context.try_out(INCUMBENT, context.program, ())
        for name, display in _candidates(Selector.of(bank, context.settings.demo_unit), context):
            context.try_out(name, *show(context.program, display, context.settings))
        return context.best()


def _candidates(pool: Selector, context: CompileContext) -> Iterator[tuple[str, Display]]:
    """Named displays without repeats: one that covers the bank, then restarts of both kinds of sets in turn.

    With a selection of the user's all are of that kind.
    """
    settings = context.settings
    kinds = (settings.selection,) if settings.selection else ("covering", "random")
    seen: set[Hashable] = set()
    for number in range(settings.candidates):
        restart, place = divmod(number, len(kinds))
        display = selection_called(kinds[place]).choose(
            pool, settings.demos, seed=settings.seed, restart=restart
        )
        if display.demonstrations and display.content not in seen:
            seen.add(display.content)
            yield f"{kinds[place]}-{restart}", display


class Nearest(Teleprompter):
    """The whole bank goes into the program; each task sees the nearest part of it.

    Where it has to beat the program as it is, that is measured as well.

    Example:
        >>> optimizer = ws.Nearest(accept="best")
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen
        'nearest'
    """

    name = "knn"
    takes_bank = selects = tested = True

    @property
    def compared(self) -> int:
        return 1

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """One teacher episode a training task, one or two student episodes a dev task."""
        programs = 2 if context.settings.accept == "tested" else 1
        return {"teacher": len(context.train), "dev": programs * len(context.dev)}

    def search(self, context: CompileContext) -> Compiled:
        """Compile.

        Raises:
            InputError: no input of a predictor holds the task's text, or the selection searches nothing.
        """
        settings = context.settings
        name = settings.selection or "nearest"
        if not selection_called(name).searches:
            raise InputError(
                f"knn searches demonstrations for each task, {name} does not",
                where="--selection",
                hint="use nearest or mixture, or another optimizer",
            )
        pool = Selector.of(context.bank(), settings.demo_unit)
        display = selection_called(name).choose(pool, settings.demos, seed=settings.seed)
        program, demonstrations = show(context.program, display, settings)
        trials = []
        if settings.accept == "tested":
            trials.append(context.try_out(INCUMBENT, context.program, ()))
        else:
            context.fall_back_to(Compiled(program, demonstrations, gaps=context.reasons))
        trials.append(context.try_out(name, program, demonstrations))
        return Compiled(program, demonstrations, tuple(trials), name, context.reasons)


class Tpe(BankOptimizer):
    """Bayesian search over selection, number of demonstrations and draw; the program as it is competes too.

    For spaces too large to try out. Optuna's tree-structured Parzen estimator proposes a way to choose
    demonstrations, learns from its score on all dev tasks, and proposes the next, `candidates` times
    (Bergstra et al. 2011). The first ten are drawn at random. Further ones depend on scores of the same dev
    tasks, so the winner is then tested as the best of all ways to choose that there are.

    Raises:
        InputError: Optuna is not installed.

    Example:
        >>> optimizer = ws.Tpe(candidates=2, accept="best")
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> len(better.compilation.trials)
        3
    """

    name = "tpe"
    tested = True

    @property
    def adaptive(self) -> bool:
        return self.settings.candidates > _AT_RANDOM

    @property
    def compared(self) -> int:
        settings = self.settings
        return len(_kinds(settings)) * settings.demos * _DRAWS if self.adaptive else settings.candidates

    def require(self) -> None:
        require_optuna(self.name)

    def search(self, context: CompileContext) -> Compiled:
        import optuna

        settings = context.settings
        pool = Selector.of(context.bank(), settings.demo_unit)
        context.try_out(INCUMBENT, context.program, ())
        # The key is what a program shows: two proposals may come to the same.
        tried: dict[Hashable, Trial] = {}
        sampler = optuna.samplers.TPESampler(seed=settings.seed, n_startup_trials=_AT_RANDOM)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for _ in range(settings.candidates):
            proposal = study.ask()
            selection, size, draw = _point(proposal, context, len(pool.demonstrations))
            display = selection_called(selection).choose(pool, size, seed=settings.seed, restart=draw)
            if display.content not in tried:
                shown = show(context.program, display, settings)
                tried[display.content] = context.try_out(f"{selection}-{size}-{draw}", *shown)
            # The score of a program that may be chosen, and less than 0 for one that may not.
            study.tell(proposal, sum(tried[display.content].rank[:3]) - 2)
        return context.best()


def _point(proposal: optuna.Trial, context: CompileContext, most: int) -> tuple[str, int, int]:
    """A way to choose demonstrations: the selection, how many, which draw."""
    return (
        proposal.suggest_categorical("selection", _kinds(context.settings)),
        proposal.suggest_int("size", 1, min(context.settings.demos, most), log=True),
        proposal.suggest_int("draw", 0, _DRAWS - 1),
    )


def _kinds(settings: Settings) -> tuple[str, ...]:
    return (settings.selection,) if settings.selection else tuple(SELECTIONS)
