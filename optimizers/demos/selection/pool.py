"""Drawing fixed sets of demonstrations from a bank: at random, or so that they cover it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from optimizers.demos.demonstration import Demonstration
from retrievers.ranking.lexical import LexicalIndex
from tools.seeding import rng

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray


class Selector:
    """Draws sets of demonstrations from a bank. Not changed by drawing."""

    def __init__(self, demonstrations: Sequence[Demonstration]) -> None:
        self.demonstrations = tuple(demonstrations)

    def random(self, count: int, *, seed: int, restart: int = 0) -> list[Demonstration]:
        """`count` demonstrations drawn without looking."""
        drawn = rng(seed, "random", restart).sample(
            range(len(self.demonstrations)), min(count, len(self.demonstrations))
        )
        return [self.demonstrations[place] for place in drawn]

    def covering(self, count: int, *, seed: int, restart: int = 0) -> list[Demonstration]:
        """`count` demonstrations such that every one of the bank is near one of them.

        Greedy facility location. Restart 0 looks at all candidates in each step; later ones at a random
        part of them, which gives other sets of almost the same coverage (Mirzasoleiman et al. 2015).
        """
        import numpy as np

        total = len(self.demonstrations)
        count = min(count, total)
        chosen: list[int] = []
        best = np.zeros(total)
        generator = rng(seed, "covering", restart)
        for _ in range(count):
            candidates = _candidates(total, chosen, count if restart else 1, generator)
            gains = np.maximum(self._likeness[candidates], best).sum(axis=1)
            # Rounded, so that the order of additions can never decide between equals.
            place = candidates[int(np.argmax(np.round(gains, 6)))]
            chosen.append(place)
            best = np.maximum(best, self._likeness[place])
        return [self.demonstrations[place] for place in chosen]

    @cached_property
    def _likeness(self) -> NDArray[Any]:
        """How well one demonstration stands for another: half by text, half by the tools called."""
        import numpy as np

        # By place: of the steps of one trajectory each is a demonstration of the same task.
        ids = [f"{place:06}" for place in range(len(self.demonstrations))]
        queries = (d.query for d in self.demonstrations)
        lexical = LexicalIndex(dict(zip(ids, queries, strict=True))).similarities()
        tools = [frozenset(d.tools) for d in self.demonstrations]
        table = np.empty((len(ids), len(ids)))
        for row, (own_id, own_tools) in enumerate(zip(ids, tools, strict=True)):
            texts = lexical[own_id]
            table[row] = [
                0.5 * texts.get(other, 0.0) + 0.5 * _overlap(own_tools, theirs)
                for other, theirs in zip(ids, tools, strict=True)
            ]
        return table


def _candidates(total: int, chosen: Sequence[int], spread: int, generator: random.Random) -> list[int]:
    """The places to look at in one greedy step: all free ones, or with `spread` > 1 a random share."""
    taken = set(chosen)
    free = [place for place in range(total) if place not in taken]
    # Enough that one of the best is among them with a chance of nine in ten.
    share = len(free) if spread == 1 else min(len(free), math.ceil(len(free) / spread * math.log(10)))
    return sorted(generator.sample(free, share))


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    union = ours | theirs
    return len(ours & theirs) / len(union) if union else 1.0
