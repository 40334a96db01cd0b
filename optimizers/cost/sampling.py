"""The cost and the time of many episodes, estimated from a few."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worksmith.evals.lm.prices import Prices
from worksmith.optimizers.cost.spending import Spent

if TYPE_CHECKING:
    from worksmith.evals.records.record import EpisodeRecord
    from worksmith.tools.episode_result import EpisodeResult

_BOUND = 0.6
"""The share of the time that a processor at its limit is busy."""


@dataclass
class Ledger:
    """The costs of one model's episodes in a rehearsal.

    Attributes:
        model: its name, for its price.
        sampled: how many episodes were run.
        sampling: the seconds of running episodes that stand for others.
        seconds: the time that the compile's episodes will take.
        programs: the cost of each episode, run or made up, by program.
    """

    model: str
    prices: Prices
    sampled: int = 0
    sampling: float = 0.0
    seconds: float = 0.0
    programs: defaultdict[str, list[Spent]] = field(default_factory=lambda: defaultdict(list))

    def add(self, program: str, episode: EpisodeRecord | EpisodeResult) -> None:
        self.programs[program].append(Spent.without_cache(episode, self.model, self.prices))

    def ran(self, count: int, seconds: float = 0.0) -> None:
        """Count episodes that were run, and their seconds if they stand for others."""
        self.sampled += count
        self.sampling += seconds

    def expect(self, seconds: float) -> None:
        """Count time that the compile's episodes will take."""
        self.seconds += seconds

    @property
    def spent(self) -> Spent:
        return sum((spent for of_one in self.programs.values() for spent in of_one), start=Spent())

    @property
    def dearest(self) -> Spent:
        """The mean cost of an episode of the dearest program."""
        means = [_mean(of_one) for of_one in self.programs.values()]
        return max(means, key=lambda mean: mean.tokens, default=Spent())


@dataclass
class Sample:
    """Episodes of one program that were run side by side.

    Attributes:
        wall: seconds from the start of the first to the end of the last.
        busy: processor time in between.
        seconds: of each.
    """

    wall: float = 0.0
    busy: float = 0.0
    seconds: list[float] = field(default_factory=list)

    def add(self, wall: float, busy: float, seconds: Iterable[float]) -> None:
        """Count episodes that were run side by side."""
        self.wall += wall
        self.busy += busy
        self.seconds.extend(seconds)

    def extend(self, wall: float, busy: float, seconds: float) -> None:
        """Count one more episode, with the times from the start of the first to its end."""
        self.wall, self.busy = wall, busy
        self.seconds.append(seconds)

    def makespan(self, count: int, workers: int) -> float:
        """The seconds that `count` such episodes take with this number of workers.

        Waiting runs side by side, computing one after the other. If the processor was the bottleneck here, it
        will be; else it is where waiting side by side takes less than computing.
        """
        number = len(self.seconds)
        if not number or not count:
            return 0.0
        busy = self.busy * slowdown()
        if busy > _BOUND * self.wall or workers == 1:
            return self.wall / number * count
        mean, longest = sum(self.seconds) / number, max(self.seconds)
        # The last ones run while other workers are idle.
        tail = (longest - mean) / 2 if count > workers else 0.0
        return max(busy / number * count, longest, mean * count / workers + tail)


def slowdown(spins: int = 1_000_000) -> float:
    """The factor by which other work slows the machine down now."""
    started, busy = time.perf_counter(), time.process_time()
    total = 0
    for number in range(spins):
        total += number
    busy = time.process_time() - busy
    return max(1.0, (time.perf_counter() - started) / busy) if busy else 1.0


def _mean(spent: Sequence[Spent]) -> Spent:
    total = sum(spent, start=Spent())
    return Spent(*(value / len(spent) for value in total.values))
