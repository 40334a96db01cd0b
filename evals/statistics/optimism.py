"""The expected score of the best of several programs: less than its score on the tasks that chose it.

The best program is also the luckiest. Source: bootstrap bias corrected selection (Tsamardinos, Greasidou and
Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation, Machine
Learning 107, 2018): groups of like tasks are drawn with replacement, the best program is chosen on those
drawn and scored on the others, and this is repeated. Their mean is what such a choice scores on new tasks.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from worksmith.tools.seeding import digest

K = TypeVar("K", bound=Hashable)

RESAMPLINGS = 2_000


def corrected_maximum(
    programs: Sequence[Mapping[K, float]], groups: Mapping[K, Hashable], *, seed: int = 0
) -> float:
    """The expected score of the best of `programs` on new tasks; nan with fewer than two groups.

    Args:
        programs: the score of each on every task; among equals the first is chosen.
        groups: of each task; new tasks are new groups, and every task counts the same.
    """
    import numpy as np

    names = sorted({groups[task] for task in programs[0]}, key=str)
    if len(names) < 2:
        return math.nan
    place = {name: number for number, name in enumerate(names)}
    sizes, sums = np.zeros(len(names)), np.zeros((len(names), len(programs)))
    for number, scores in enumerate(programs):
        for task, score in scores.items():
            sums[place[groups[task]], number] += score
    for task in programs[0]:
        sizes[place[groups[task]]] += 1
    generator = np.random.Generator(np.random.PCG64(int(digest([seed, "optimism"]), 16)))
    drawn = generator.multinomial(len(names), [1 / len(names)] * len(names), size=RESAMPLINGS)
    left = drawn == 0
    # Rounded, so that the order of additions can never decide between equals.
    best = np.round(drawn @ sums / (drawn @ sizes)[:, None], 9).argmax(axis=1)
    some = left.any(axis=1)
    outside = (left @ sums)[np.arange(RESAMPLINGS), best][some] / (left @ sizes)[some]
    return float(outside.mean())
