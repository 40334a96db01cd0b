"""Few-shot by search: a few sets of the teacher's trajectories meet on the dev tasks, the best one stays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from optimizers.demos.demonstration import Demonstration
from optimizers.demos.selection import Display, Selector, selection_called
from optimizers.job import Compiled, Job
from optimizers.search.racing import INCUMBENT
from optimizers.search.searching import Searching


class Bootstrap(Searching):
    """Sets that cover the bank and random ones, each on all dev tasks; the program as it is competes too."""

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: what the runner raises.
        """
        bank = job.bank()
        trials = [job.try_out(INCUMBENT, job.program, ())]
        best, best_program = trials[0], job.program
        best_set: tuple[Demonstration, ...] = ()
        for name, display in _candidates(job.settings.pool(bank), job):
            program, chosen = job.settings.shown(job.program, display)
            trials.append(job.try_out(name, program, chosen))
            if trials[-1].rank > best.rank:
                best, best_program, best_set = trials[-1], program, chosen
        return Compiled(best_program, best_set, tuple(trials), best.name, job.reasons)


def _candidates(pool: Selector, job: Job) -> Iterator[tuple[str, Display]]:
    """Named displays without repeats: one that covers the bank, then restarts of both kinds of sets in turn.

    With a selection of the user's all are of that kind.
    """
    settings = job.settings
    kinds = (settings.selection,) if settings.selection else ("covering", "random")
    seen: set[Hashable] = set()
    for number in range(settings.candidates):
        restart, place = divmod(number, len(kinds))
        display = selection_called(kinds[place]).choose(
            pool, settings.demos, seed=settings.seed, restart=restart
        )
        if display.demonstrations and display.what not in seen:
            seen.add(display.what)
            yield f"{kinds[place]}-{restart}", display
