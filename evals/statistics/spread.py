"""The variance of a mean over groups of values, and its degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Spread:
    """A mean of grouped values, as a ratio of the groups' totals to their sizes.

    Attributes:
        totals: the sum of each group's values.
        sizes: the number of each group's values.
    """

    totals: tuple[float, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, clusters: Mapping[K, Sequence[float]], groups: Mapping[K, Hashable] | None = None) -> Spread:
        """The spread of the values of units, each its own group unless `groups` has another."""
        totals: dict[Hashable, list[float]] = {}
        for unit, values in clusters.items():
            totals.setdefault(unit if groups is None else groups[unit], []).extend(values)
        return cls(tuple(math.fsum(v) for v in totals.values()), tuple(len(v) for v in totals.values()))

    @property
    def groups(self) -> int:
        return len(self.totals)

    @property
    def mean(self) -> float:
        return math.fsum(self.totals) / sum(self.sizes)

    @property
    def variance(self) -> float:
        """The variance of the mean between groups (Cochran 1977, section 6.3); 0 with one group.

        Rounding errors of equal groups count as 0.
        """
        squares = math.fsum(r * r for r in self._residuals)
        if self.groups < 2 or squares <= 1e-18 * max(1.0, math.fsum(t * t for t in self.totals)):
            return 0.0
        return self.groups / (self.groups - 1) * squares / sum(self.sizes) ** 2

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance, at least 1: few if few groups cause most of it.

        They follow from the kurtosis of the residuals (Satterthwaite 1946).
        """
        return self._degrees(self._excess)

    @property
    def cautious_degrees(self) -> float:
        """The same from the unbiased kurtosis; the plain one is too small with few groups.

        For means whose bounds are not drawn towards the middle, as Wilson's are.
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
    """The standard errors to either side that hold `confidence` of Student's t distribution."""
    from scipy.special import stdtrit  # slow to import, and rarely needed

    return float(stdtrit(degrees, 0.5 + confidence / 2))
