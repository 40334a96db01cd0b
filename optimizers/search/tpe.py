"""Few-shot by Bayesian search: which selection, how many demonstrations and which draw do best on dev.

For spaces too large to try out. Optuna's tree-structured Parzen estimator proposes a way to choose
demonstrations, learns from its score on all dev tasks, and proposes the next (Bergstra et al. 2011). The
winner has the best of many scores on the same tasks, which flatters it, see `optimizers.search.acceptance`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from optimizers.demos.selection import SELECTIONS, Selector, selection_called
from optimizers.demos.selection.showing import Shown
from optimizers.dspy_optimizers.stock import require_optuna
from optimizers.job import Compiled, Job, Trial
from optimizers.search.racing import INCUMBENT
from optimizers.search.searching import Searching

if TYPE_CHECKING:
    import optuna

_DRAWS = 8
"""Draws of fixed sets with one size among which the search chooses."""


class _Point(NamedTuple):
    """One way to choose demonstrations."""

    selection: str
    size: int
    draw: int

    @property
    def name(self) -> str:
        return f"{self.selection}-{self.size}-{self.draw}"


class Tpe(Searching):
    """`candidates` proposals, each on all dev tasks; the program as it is competes too.

    Raises:
        InputError: Optuna is not installed.
    """

    def __init__(self) -> None:
        require_optuna("tpe")

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: what the runner raises.
        """
        bank = job.bank()
        search = _Search(job, job.settings.pool(bank))
        search.run()
        best = max(search.tried.values(), key=lambda found: found[1].rank)
        program, demonstrations = best[0].program, best[0].demonstrations
        trials = tuple(trial for _, trial in search.tried.values())
        return Compiled(program, demonstrations, trials, best[1].name, job.reasons)


class _Search:
    """Tries points out, each once.

    Attributes:
        tried: programs and their trials by what they show.
    """

    def __init__(self, job: Job, pool: Selector) -> None:
        self._job = job
        self._pool = pool
        plain = Shown(job.program, ())
        self.tried: dict[Hashable, tuple[Shown, Trial]] = {
            None: (plain, job.try_out(INCUMBENT, job.program, ()))
        }

    def run(self) -> None:
        """Ask the sampler for points and tell it what they are worth."""
        import optuna

        sampler = optuna.samplers.TPESampler(seed=self._job.settings.seed)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for _ in range(self._job.settings.candidates):
            trial = study.ask()
            study.tell(trial, self._try_out(self._point(trial)).rank)

    def _point(self, trial: optuna.Trial) -> _Point:
        settings = self._job.settings
        kinds = (settings.selection,) if settings.selection else tuple(SELECTIONS)
        most = min(settings.demos, len(self._pool.demonstrations))
        return _Point(
            trial.suggest_categorical("selection", kinds),
            trial.suggest_int("size", 1, most, log=True),
            trial.suggest_int("draw", 0, _DRAWS - 1),
        )

    def _try_out(self, point: _Point) -> Trial:
        settings = self._job.settings
        display = selection_called(point.selection).choose(
            self._pool, point.size, seed=settings.seed, restart=point.draw
        )
        if display.what not in self.tried:
            found = settings.shown(self._job.program, display)
            trial = self._job.try_out(point.name, found.program, found.demonstrations)
            self.tried[display.what] = found, trial
        return self.tried[display.what][1]
