"""How a compile ends whose budget is spent: with the best program so far."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from optimizers.job import Compiled, Job


def best_so_far(job: Job) -> Compiled:
    """The best of the programs that were measured on all dev tasks, among equals the first.

    If none was, the one that an optimizer had made which does not choose by measuring, else the program as
    it is. Both are as good as they may be: nobody has measured it.
    """
    contenders = [*job.contenders, *job.standings()]
    gaps = dict(Counter(gap.reason for gap in job.gaps).most_common())
    trials = tuple(contender.trial for contender in contenders)
    if contenders:
        best = max(contenders, key=lambda contender: contender.trial.rank)
        return Compiled(best.program, best.demonstrations, trials, best.trial.name, gaps)
    if job.offer is not None and job.offer.demonstrations:
        return replace(job.offer, trials=())
    return Compiled(job.program, gaps=gaps)
