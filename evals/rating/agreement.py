"""Agreement of raters: Krippendorff's alpha for ordered levels, with an interval over rated units.

1 is perfect agreement, 0 chance, less is worse than chance. Source: Krippendorff, Content Analysis
(2004), who asks for 0.8, or 0.667 for tentative conclusions. Ratings may be missing.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from worksmith.evals.rating.ratings import Rating
from worksmith.evals.rating.scales import LEVELS, Scale
from worksmith.evals.statistics import NOTHING, Interval
from worksmith.tools.errors import needing
from worksmith.tools.seeding import digest

_RESAMPLES = 1_000


class RaterAgreement(NamedTuple):
    """The agreement of raters on one scale.

    Attributes:
        alpha: with its interval; `n` is the number of units that at least two rated. NaN where all ratings
            are the same, or no unit has two.
        mean: of all ratings, from 1 to 5; NaN without any.
    """

    scale: str
    raters: int
    ratings: int
    alpha: Interval
    mean: float


def agreement(scale: Scale, ratings: Sequence[Rating], *, seed: int = 0) -> RaterAgreement:
    """The agreement of raters on a scale.

    A unit is an episode or a task, by the scale.

    Args:
        ratings: of any scales; those of others are left out.
        seed: of the bootstrap over units.
    """
    units: dict[Hashable, dict[str, int]] = {}
    for rating in ratings:
        if rating.scale == scale.name:
            unit = rating.task_id if scale.about == "task" else rating.key
            units.setdefault(unit, {})[rating.rater] = rating.level
    levels = [level for given in units.values() for level in given.values()]
    return RaterAgreement(
        scale=scale.name,
        raters=len({rater for given in units.values() for rater in given}),
        ratings=len(levels),
        alpha=ordinal_alpha([list(given.values()) for given in units.values()], seed=seed),
        mean=math.fsum(levels) / len(levels) if levels else math.nan,
    )


def ordinal_alpha(units: Sequence[Sequence[int]], *, seed: int = 0) -> Interval:
    """Krippendorff's alpha of levels from 1 to 5, and its percentile interval over units."""
    import numpy as np

    counts = np.array([[list(unit).count(level) for level in range(1, LEVELS + 1)] for unit in units])
    paired = counts[counts.sum(axis=1) > 1] if len(counts) else counts
    value = _alpha(paired)
    if value is None:
        return NOTHING._replace(n=len(paired))
    generator = np.random.Generator(np.random.PCG64(int(digest([seed, "alpha"]), 16)))
    drawn = (paired[generator.integers(0, len(paired), len(paired))] for _ in range(_RESAMPLES))
    found = [alpha for sample in drawn if (alpha := _alpha(sample)) is not None]
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(value, float(low), float(high), len(paired))


def to_json(found: RaterAgreement) -> Mapping[str, Any]:
    """The agreement as JSON-able data; null stands for nan."""
    from worksmith.evals.records.summary import interval_json

    return {
        "raters": found.raters,
        "ratings": found.ratings,
        "alpha": interval_json(found.alpha),
        "mean": None if math.isnan(found.mean) else found.mean,
    }


def _alpha(counts: Any) -> float | None:
    """Alpha of ratings by unit (rows) and level (columns); None without two different levels."""
    import numpy as np

    with needing("the agreement of raters", "rating"):
        import krippendorff
    if (counts.sum(axis=0) > 0).sum() < 2:
        return None
    levels = np.arange(1, LEVELS + 1)
    return float(krippendorff.alpha(value_counts=counts, value_domain=levels, level_of_measurement="ordinal"))
