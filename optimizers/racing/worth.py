"""The gain of a race's winner, as a whole and by each of its parts.

Compared are programs that ran the same tasks: of the sealed intents where there are some, which nobody chose
by, else of all, where the gain of the best of several is flattered.
"""

from __future__ import annotations

from itertools import chain, repeat

from worksmith.evals.statistics import Interval, paired_difference
from worksmith.optimizers.racing.rules import INCUMBENT, Outcome


def worth(outcome: Outcome) -> dict[str, Interval]:
    """The winner's lead over the program as it is, and over itself without each part, by their names.

    A lost episode counts 0 for the winner and 1 for the other one. Empty if nothing won.
    """
    if outcome.winner == INCUMBENT:
        return {}
    first = outcome.first_compared
    intent_of = chain.from_iterable(repeat(number, size) for number, size in enumerate(outcome.intents))
    groups = dict(enumerate([*intent_of][first:]))
    ours = {task: [score or 0.0] for task, score in enumerate(outcome.arms[outcome.winner].scores[first:])}
    others = {INCUMBENT: outcome.arms[INCUMBENT].scores[first:], **outcome.without}
    return {
        name: paired_difference(
            ours, {task: [1.0 if score is None else score] for task, score in enumerate(scores)}, groups
        )
        for name, scores in others.items()
    }
