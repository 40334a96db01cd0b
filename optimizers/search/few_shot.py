"""Optimizers without rounds: no change, the best of a few sets, the nearest demonstrations."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from optimizers.demos.selection import Display, Selector, selection_called
from optimizers.optimizer import CompileContext, Compiled, Contender, Optimizer
from optimizers.search.race_rules import INCUMBENT
from tools.errors import InputError


class Unchanged(Optimizer):
    """The program as it is; its dev score is the reference for the others."""

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"dev": len(context.dev)}

    def __call__(self, context: CompileContext) -> Compiled:
        trial = context.try_out(INCUMBENT, context.program, ())
        return Compiled(context.program, (), (trial,), trial.name)


class BankOptimizer(Optimizer):
    """An optimizer whose candidates show a bank's demonstrations and meet the program as it is on dev."""

    takes_bank = selects = True

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """At most a teacher episode a training task; every dev task for each candidate and the program."""
        return {"teacher": len(context.train), "dev": len(context.dev) * (1 + context.settings.candidates)}


class Bootstrap(BankOptimizer):
    """Sets that cover the bank and random ones, each on all dev tasks; the program as it is competes too."""

    tested = True

    def __call__(self, context: CompileContext) -> Compiled:
        bank = context.bank()
        plain = context.try_out(INCUMBENT, context.program, ())
        measured = [Contender(context.program, (), plain)]
        for name, display in _candidates(context.settings.pool(bank), context):
            program, chosen = context.settings.show(context.program, display)
            measured.append(Contender(program, chosen, context.try_out(name, program, chosen)))
        best = max(measured, key=lambda one: one.trial.rank)
        trials = tuple(one.trial for one in measured)
        return Compiled(best.program, best.demonstrations, trials, best.trial.name, context.reasons)


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


class Knn(Optimizer):
    """The whole bank goes into the program; each task sees the nearest part of it.

    Where it has to beat the program as it is, that is measured as well.
    """

    takes_bank = selects = tested = True

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        """One teacher episode a training task, one or two student episodes a dev task."""
        programs = 2 if context.settings.accept == "tested" else 1
        return {"teacher": len(context.train), "dev": programs * len(context.dev)}

    def __call__(self, context: CompileContext) -> Compiled:
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
        pool = settings.pool(context.bank())
        display = selection_called(name).choose(pool, settings.demos, seed=settings.seed)
        program, demonstrations = settings.show(context.program, display)
        trials = []
        if settings.accept == "tested":
            trials.append(context.try_out(INCUMBENT, context.program, ()))
        else:
            context.fall_back_to(Compiled(program, demonstrations, gaps=context.reasons))
        trials.append(context.try_out(name, program, demonstrations))
        return Compiled(program, demonstrations, tuple(trials), name, context.reasons)
