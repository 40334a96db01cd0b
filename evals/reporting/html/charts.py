"""Charts that are tables with drawn cells.

Colour only repeats a number, a word or a shape.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from worksmith.evals.statistics import NOTHING, Interval
from worksmith.evals.table import Grid, percent, share


@dataclass(frozen=True)
class FlippedTasks(Grid):
    """A table of tasks on which programs differ; each leads to its episodes.

    Attributes:
        requests: the whole request of each row's task.
    """

    requests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Change:
    """A score between 0 and 1, and the one before it, if there is any.

    Attributes:
        where: fields of the episodes behind it, as filters of the page take them.
        said: what stands beside the scores, e.g. their difference.
        faint: whether it is there for orientation.
    """

    label: str
    after: Interval
    before: Interval | None = None
    said: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    faint: bool = False

    @property
    def text(self) -> str:
        old = None if self.before is None else share(self.before.value)
        return percent(self.after) if old is None else f"{old} → {share(self.after.value)}"

    @property
    def drawn(self) -> list[Drawn]:
        """The scores with their places, the older first; those without data are left out."""
        found = (("before", self.before or NOTHING), ("faint" if self.faint else "after", self.after))
        return [Drawn.of(style, score) for style, score in found if not math.isnan(score.value)]


@dataclass(frozen=True)
class Changes:
    """Scores as dots on their intervals, each below the one before it.

    Attributes:
        across: what the rows are.
    """

    title: str
    rows: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    across: str = ""


class Drawn(NamedTuple):
    """A dot on its interval, its places in percent from the left."""

    style: str
    low: float
    middle: float
    width: float

    @classmethod
    def of(cls, style: str, score: Interval) -> Drawn:
        bounds = (score.low, score.value, score.high)
        low, middle, high = (round(100 * min(1.0, max(0.0, x)), 1) for x in bounds)
        return cls(style, low, middle, round(high - low, 1))
