"""Which candidates are worth considering: those that no other beats in score and in cost at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from optimizers.job import Trial


def pareto_front(trials: Sequence[Trial]) -> tuple[str, ...]:
    """The names of the trials on the front of strict score against tokens an episode, the cheapest first.

    Only those compete whose episodes our own runner ran, that keep all constraints and that met as many tasks
    as anybody did: who left a race early looks better or worse than it is.
    """
    most = max((trial.strict.n for trial in trials), default=0)
    able = [
        trial
        for trial in trials
        if not trial.broken and trial.strict.n == most and not math.isnan(trial.score.value)
    ]
    costs = [(trial.cost, trial) for trial in able if trial.cost is not None]
    found: list[str] = []
    best = -math.inf
    for _, trial in sorted(costs, key=lambda entry: (entry[0], -entry[1].strict.value)):
        if trial.strict.value > best:
            best = trial.strict.value
            found.append(trial.name)
    return tuple(found)
