"""Selections: which demonstrations of a bank a prompt shows.

display = selection_called("mixture").choose(Selector(bank.demonstrations), 16, seed=0)
program, demonstrations = show(program, display, tokens=4000)
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.steps import Unit, in_units
from worksmith.retrievers.ranking.lexical import LexicalIndex
from worksmith.tools.errors import unknown
from worksmith.tools.seeding import rng

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

    from worksmith.optimizers.demos.trace_bank import TraceBank

_FIXED_SHARE: Final = 4
"""A mixture shows every fourth demonstration always: enough to show each prompt the usual ways to end."""


class Selector:
    """Draws sets of demonstrations from a bank. Drawing does not change it."""

    def __init__(self, demonstrations: Sequence[Demonstration]) -> None:
        self.demonstrations = tuple(demonstrations)

    @classmethod
    def of(cls, bank: TraceBank, unit: Unit) -> Self:
        """A selector over a bank.

        Raises:
            InputError: the unit is a step, and the program makes all calls at once.
        """
        return cls(in_units(bank.demonstrations, unit))

    def random(self, count: int, *, seed: int, restart: int = 0) -> list[Demonstration]:
        """Draw `count` demonstrations uniformly, without replacement."""
        drawn = rng(seed, "random", restart).sample(
            range(len(self.demonstrations)), min(count, len(self.demonstrations))
        )
        return [self.demonstrations[place] for place in drawn]

    def covering(self, count: int, *, seed: int, restart: int = 0) -> list[Demonstration]:
        """Draw `count` demonstrations such that every demonstration of the bank is near one of them.

        Greedy facility location. Restart 0 looks at all candidates in each step. Later restarts look at a
        random part of them, which gives other sets of almost the same coverage (Mirzasoleiman et al. 2015).
        """
        import numpy as np

        total = len(self.demonstrations)
        count = min(count, total)
        chosen: list[int] = []
        best = np.zeros(total)
        generator = rng(seed, "covering", restart)
        for _ in range(count):
            candidates = _candidates(total, chosen, count if restart else 1, generator)
            # One row at a time: all at once are two more tables.
            gains = [np.maximum(self._likeness[place], best).sum() for place in candidates]
            # Rounded, so that the order of additions can never decide between equals.
            place = candidates[int(np.argmax(np.round(gains, 6)))]
            chosen.append(place)
            best = np.maximum(best, self._likeness[place])
        return [self.demonstrations[place] for place in chosen]

    @cached_property
    def _likeness(self) -> NDArray[Any]:
        """The similarity of each pair of demonstrations: half by text, half by the tools called."""
        import numpy as np

        # Keys are places, not task ids: each step of one trajectory is a demonstration of the same task.
        queries = {f"{place:06}": each.query for place, each in enumerate(self.demonstrations)}
        tools = [frozenset(d.way) for d in self.demonstrations]
        table = np.empty((len(tools), len(tools)))
        for row, scores in enumerate(LexicalIndex(queries).similarities()):
            shared = {theirs: _overlap(tools[row], theirs) for theirs in set(tools)}
            table[row] = [
                0.5 * score + 0.5 * shared[theirs] for score, theirs in zip(scores, tools, strict=True)
            ]
        return table


def _candidates(total: int, chosen: Sequence[int], spread: int, generator: random.Random) -> list[int]:
    """The places to look at in one greedy step: all free ones, or with `spread` > 1 a random share."""
    taken = set(chosen)
    free = [place for place in range(total) if place not in taken]
    # With this share, one of the best is among them with a chance of nine in ten.
    share = len(free) if spread == 1 else min(len(free), math.ceil(len(free) / spread * math.log(10)))
    return sorted(generator.sample(free, share))


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    union = ours | theirs
    return len(ours & theirs) / len(union) if union else 1.0


@dataclass(frozen=True)
class Display:
    """The demonstrations that prompts show.

    Attributes:
        fixed: shown in every prompt.
        searched: every prompt shows the `count` of these that are nearest to its task.
    """

    fixed: tuple[Demonstration, ...] = ()
    searched: tuple[Demonstration, ...] = ()
    count: int = 0

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        return self.fixed + self.searched

    @property
    def content(self) -> Hashable:
        """Equal for displays that show the same demonstrations, in any order."""
        return (
            frozenset((each.task_id, each.step) for each in self.fixed),
            frozenset((each.task_id, each.step) for each in self.searched),
            self.count,
        )


class Selection(Protocol):
    """A way to choose demonstrations.

    Attributes:
        searches: whether prompts differ by task, so that nothing is drawn again.
    """

    searches: bool

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """Choose for prompts that have room for `size` demonstrations; another restart, another draw."""
        ...


class Random:
    """Uniform draws."""

    searches = False

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        return Display(fixed=tuple(pool.random(size, seed=seed, restart=restart)))


class Covering:
    """A set that covers the bank, by words and tools."""

    searches = False

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        return Display(fixed=tuple(pool.covering(size, seed=seed, restart=restart)))


class Nearest:
    """The demonstrations nearest to each task; the whole bank goes into the program."""

    searches = True

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        return Display(searched=pool.demonstrations, count=size)


class Mixture:
    """A quarter covers the bank and is always shown, the rest is nearest to the task."""

    searches = True

    def choose(self, pool: Selector, size: int, *, seed: int, restart: int = 0) -> Display:
        """Choose; a single demonstration is the nearest one."""
        fixed = pool.covering(size // _FIXED_SHARE, seed=seed, restart=restart)
        always = {id(demonstration) for demonstration in fixed}
        rest = tuple(each for each in pool.demonstrations if id(each) not in always)
        return Display(tuple(fixed), rest, size - len(fixed))


SELECTIONS: Final[Mapping[str, Selection]] = {
    "random": Random(),
    "covering": Covering(),
    "nearest": Nearest(),
    "mixture": Mixture(),
}


def selection_called(name: str) -> Selection:
    """The selection called `name`.

    Raises:
        InputError: the name is unknown.
    """
    if name not in SELECTIONS:
        raise unknown("no selection", name, SELECTIONS, "--selection")
    return SELECTIONS[name]
