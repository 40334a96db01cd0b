"""Joins candidates that did better than the program as it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import combinations

from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.proposals.checks import Checks
from worksmith.optimizers.proposals.source import Standing


def combined(standing: Standing, _: Checks) -> Iterator[Candidate]:
    """All of the better ones together, then pairs, those with the larger gains first.

    Where two change the same, the one with the larger gain is kept.
    """
    gains = {name: gain for name in standing.tried if (gain := standing.gain(name)) > 0}
    better = sorted(gains, key=lambda name: gains[name])
    pairs = sorted(combinations(better, 2), key=lambda pair: -sum(gains[name] for name in pair))
    for names in (better, *pairs):
        yield reduce(Candidate.joined, (standing.tried[name] for name in names), Candidate())
