"""The gain of a race's winner, as a whole and by each of its parts.

Compared are programs that ran the same tasks: of the sealed intents if there are any, whose scores chose no
candidate, else of all, with a flattered gain of the best of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from worksmith.evals.statistics import Interval, paired_difference
from worksmith.optimizers.racing.rules import INCUMBENT, RaceOutcome, Scores


def worth(outcome: RaceOutcome) -> dict[str, Interval]:
    """The winner's lead over the program as it is, and over itself without each part; empty without one."""
    if outcome.winner == INCUMBENT:
        return {}
    first = outcome.first_compared
    sizes = outcome.intents[len(outcome.intents) - outcome.sealed :] if outcome.sealed else outcome.intents
    others = {INCUMBENT: outcome.arms[INCUMBENT].scores[first:], **outcome.without}
    ours = outcome.arms[outcome.winner].scores[first:]
    return {name: lead(ours, theirs, sizes) for name, theirs in others.items()}


def lead(ours: Scores, theirs: Scores, intents: Sequence[int]) -> Interval:
    """The mean difference of two programs' scores on the same tasks.

    A lost episode counts 0 for the first program and 1 for the other one.

    Args:
        intents: the number of tasks of each intent, in the order of the scores.
    """
    intent_of = chain.from_iterable(repeat(number, size) for number, size in enumerate(intents))
    return paired_difference(
        {task: [score or 0.0] for task, score in enumerate(ours)},
        {task: [1.0 if score is None else score] for task, score in enumerate(theirs)},
        dict(enumerate(intent_of)),
    )
