"""Optimizers that try no more than demonstrations, each on all dev tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from worksmith.optimizers.candidates.building import Built
from worksmith.optimizers.demos.selection import selection_called
from worksmith.optimizers.optimizer import CompileContext, Compiled, Optimizer
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.optimizers.search.candidates import draw_candidates
from worksmith.optimizers.search.race_optimizer import Race
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.tools.errors import InputError


class Unchanged(Teleprompter):
    """The program as it is; its dev score is the reference for the others."""

    name = "none"

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        return {"dev": len(context.dev)}

    def search(self, context: CompileContext) -> Compiled:
        return context.taken(INCUMBENT, Compiled(context.program))


class Bootstrap(Race):
    """A race of sets that cover the bank and random ones, each on all dev tasks.

    Example:
        >>> optimizer = ws.Bootstrap(accept="best")
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen
        'covering-0'
    """

    name = "bootstrap"
    thorough = True
    may_propose = False
    check = Optimizer.check

    def candidates(self, context: CompileContext) -> Iterator[Mapping[str, Built]]:
        most = context.settings.candidates
        yield draw_candidates(context, context.bank(), most, kinds=("covering", "random"), sizes=(1,))


class KNN(Bootstrap):
    """A race of one candidate: each task sees the demonstrations of the bank that are nearest to it.

    With `accept="best"` it is taken, and the program as it is does not run.

    Example:
        >>> optimizer = ws.KNN(accept="best")
        >>> better = optimizer.compile(ws.Agent("react", env), trainset=suite.train, valset=suite.dev)
        >>> better.compilation.chosen
        'nearest'
    """

    name = "knn"

    def settled(self, settings: Settings) -> Settings:
        return replace(settings, candidates=1)

    def candidates(self, context: CompileContext) -> Iterator[Mapping[str, Built]]:
        yield draw_candidates(context, context.bank(), 1, kinds=("nearest",), sizes=(1,))

    def max_episodes(self, context: CompileContext) -> dict[str, int]:
        most = super().max_episodes(context)
        return most | {"dev": len(context.dev)} if context.settings.accept == "best" else most

    def search(self, context: CompileContext) -> Compiled:
        if context.settings.accept == "tested":
            return super().search(context)
        [(name, shown)] = next(self.candidates(context)).items()
        made = Compiled(shown.program, shown.demonstrations, gaps=context.reasons, candidate=shown.candidate)
        return context.taken(name, made)

    def check(self, context: CompileContext) -> None:
        super().check(context)
        if not selection_called(name := context.settings.selection or "nearest").searches:
            raise InputError(
                f"knn searches demonstrations for each task, {name} does not",
                where="--selection",
                hint="use nearest or mixture, or another optimizer",
            )
