"""How far a mean over groups of values may be from the truth: its variance, and how well that is known."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Spread:
    """A mean of values that come in groups, as a ratio of the groups' totals to their sizes.

    Attributes:
        totals: sums of each group's values.
        sizes: numbers of them.
    """

    totals: tuple[float, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, clusters: Mapping[K, Sequence[float]], groups: Mapping[K, Hashable] | None = None) -> Spread:
        """Of the values of units, each a group of its own unless `groups` says which belong together."""
        totals: dict[Hashable, list[float]] = {}
        for unit, values in clusters.items():
            totals.setdefault(unit if groups is None else groups[unit], []).extend(values)
        return cls(tuple(math.fsum(v) for v in totals.values()), tuple(len(v) for v in totals.values()))

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.totals)

    @property
    def mean(self) -> float:
        """The mean of all values."""
        return math.fsum(self.totals) / sum(self.sizes)

    @property
    def variance(self) -> float:
        """Of the mean, from how groups differ (Cochran 1977, section 6.3); 0 with one group.

        What is left of equal groups by rounding counts as nothing.
        """
        squares = math.fsum(r * r for r in self._residuals)
        if self.groups < 2 or squares <= 1e-18 * max(1.0, math.fsum(t * t for t in self.totals)):
            return 0.0
        return self.groups / (self.groups - 1) * squares / sum(self.sizes) ** 2

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance, at least 1: few where few groups make most of it.

        A variance of which one group makes the most says little about the next sample. Its own variance is
        that of residuals with such a kurtosis, and so are the degrees of freedom (Satterthwaite 1946).
        """
        return self._degrees(self._excess)

    @property
    def cautious_degrees(self) -> float:
        """The same from the unbiased kurtosis, which few groups make out to be too small.

        For means whose bounds are not drawn in towards the middle, as Wilson's are.
        """
        n = self.groups
        if n < 4:
            return self.degrees
        return self._degrees((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * self._excess + 6))

    def _degrees(self, excess: float) -> float:
        return max(1.0, 2 / (max(0.0, excess) / self.groups + 2 / (self.groups - 1)))

    @property
    def _excess(self) -> float:
        """The kurtosis of the residuals beyond that of a normal distribution."""
        residuals = self._residuals
        squares = math.fsum(r * r for r in residuals)
        return self.groups * math.fsum(r**4 for r in residuals) / squares**2 - 3

    @property
    def _residuals(self) -> list[float]:
        centre = self.mean
        return [total - centre * size for total, size in zip(self.totals, self.sizes, strict=True)]


@lru_cache(maxsize=4096)
def t_quantile(degrees: float, confidence: float) -> float:
    """How many standard errors to either side hold `confidence` of Student's t distribution."""
    from scipy.special import stdtrit  # takes a moment to load, and most commands need none

    return float(stdtrit(degrees, 0.5 + confidence / 2))
