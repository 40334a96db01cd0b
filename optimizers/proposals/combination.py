"""Joins parts of candidates that did better than the program as it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing, fresh


class Combination:
    """All of the better candidates together first, then pairs, those with the larger gains first."""

    name = "combination"
    adaptive = True

    def __init__(self, checks: Checks) -> None:
        self._checks = checks

    def max_calls(self, count: int) -> int:
        return 0

    def propose(self, standing: Standing, count: int) -> list[Candidate]:
        return fresh(_joined(standing), standing, count, self._checks)


def _joined(standing: Standing) -> Iterator[Candidate]:
    gains = {name: standing.gain(name) for name in standing.tried}
    better = sorted((name for name in gains if gains[name] > 0), key=lambda name: -gains[name])
    pairs = sorted(combinations(better, 2), key=lambda pair: -sum(gains[name] for name in pair))
    for names in (better, *pairs):
        whole = Candidate()
        for name in names:
            # Where two change the same, the one with the larger gain is kept.
            whole = standing.tried[name].joined(whole)
        yield whole
