"""Few-shot by search: a few sets of the teacher's trajectories meet on the dev tasks, the best one stays."""

from __future__ import annotations

import math
from collections.abc import Iterator

from optimizers.demonstration import Demonstration, give_demonstrations
from optimizers.job import Compiled, Job, Trial
from optimizers.selection import Selector


class Bootstrap:
    """Sets that cover the bank and random ones, each on all dev tasks; the program as it is competes too."""

    def plan(self, job: Job) -> dict[str, int]:
        """One teacher episode a training task; every dev task for each candidate and the program as it is."""
        return {"teacher": len(job.train), "dev": len(job.dev) * (1 + job.settings.candidates)}

    def __call__(self, job: Job) -> Compiled:
        """Compile.

        Raises:
            InputError: what the runner raises.
        """
        bank = job.bank()
        trials = [job.try_out("uncompiled", job.program, ())]
        best, best_program = trials[0], job.program
        best_set: tuple[Demonstration, ...] = ()
        for name, chosen in _candidates(Selector(bank.demonstrations), job):
            program = give_demonstrations(job.program, chosen)
            trials.append(job.try_out(name, program, chosen))
            if rank(trials[-1]) > rank(best):
                best, best_program, best_set = trials[-1], program, tuple(chosen)
        return Compiled(best_program, best_set, tuple(trials), best.name, bank.report()["without"])


def _candidates(selector: Selector, job: Job) -> Iterator[tuple[str, list[Demonstration]]]:
    """Named sets without repeats: one that covers the bank, then random restarts of both kinds in turn."""
    count, seed = job.settings.demos, job.settings.seed
    seen: set[frozenset[str]] = set()
    for number in range(job.settings.candidates):
        kind, restart = ("covering", "random")[number % 2], number // 2
        draw = selector.covering if kind == "covering" else selector.random
        chosen = draw(count, seed=seed, restart=restart)
        ids = frozenset(demonstration.task_id for demonstration in chosen)
        if chosen and ids not in seen:
            seen.add(ids)
            yield f"{kind}-{restart}", chosen


def rank(trial: Trial) -> float:
    """A candidate without a single graded episode loses against every other."""
    return -1.0 if math.isnan(trial.score.value) else trial.score.value
