"""What a race can show with so many intents: the power of `evals.sequential`, by simulation.

The bets of a race have no short formula for it, since they may win at any look. So many races are simulated
with numbers drawn from a seed; the same ones for every difference, so that a larger one is never found less
often. Of several candidates one is better and nothing is known of the others, as Bonferroni has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evals.sequential import needed, stakes
from evals.statistics.power import POWER
from tools.seeding import digest

if TYPE_CHECKING:
    import numpy as np

_RACES = 2_000
_MOST_NUMBERS = 4_000_000
"""Random numbers that a simulation draws at most; of large races it simulates fewer."""
_FEWEST_RACES = 400
_MOST_INTENTS = 20_000


class Field(NamedTuple):
    """What is raced on, and by whom.

    Attributes:
        per_intent: tasks of each intent.
        candidates: programs that race with the incumbent.
        alike: by what the variance is larger because tasks of one intent are alike; 1 for not at all.
    """

    intents: int
    per_intent: int = 1
    candidates: int = 1
    alike: float = 1.0
    alpha: float = 0.05


def race_power(field: Field, difference: float, discordance: float) -> float:
    """The chance that a race accepts the candidate that is better by `difference`.

    Args:
        discordance: on what share of tasks it and the incumbent differ; at least the difference is taken.
    """
    import numpy as np

    drawn, moods = _draws(field.intents, field.per_intent)
    differing = max(discordance, abs(difference))
    lead: Any = difference
    if field.per_intent > 1 and field.alike > 1:
        share = min(1.0, (field.alike - 1) / (field.per_intent - 1))
        lead = difference + moods * math.sqrt(share * max(0.0, differing - difference**2))
    wins, losses = np.clip((differing + lead) / 2, 0, 1), np.clip((differing - lead) / 2, 0, 1)
    means = ((drawn < wins).mean(axis=2) - (drawn > 1 - losses).mean(axis=2)).astype(float)
    need = needed(field.alpha / field.candidates)
    stocks = [np.cumsum(np.log1p(stake * means), axis=1) for stake in stakes(field.intents, need)]
    evidence = np.logaddexp.reduce(stocks, axis=0) - math.log(len(stocks))
    return float((evidence.max(axis=1) >= need).mean())


def smallest_race_difference(
    field: Field, discordance: Callable[[float], float], *, largest: float = 1.0
) -> float:
    """The smallest difference that a race finds 8 times of 10; nan where it does not find the largest.

    Args:
        discordance: on what share of tasks programs differ, by their difference.
        largest: difference that there is room for.
    """

    def found(size: float) -> bool:
        return race_power(field, size, discordance(size)) >= POWER

    if not found(largest):
        return math.nan
    low, high = 0.0, largest
    while high - low > 0.002:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def race_intents_needed(field: Field, difference: float, discordance: float) -> int:
    """With how many intents a race finds a difference 8 times of 10; `field.intents` does not count.

    Raises:
        ValueError: the difference is so small that 20,000 intents do not do.
    """

    def found(intents: int) -> bool:
        return race_power(field._replace(intents=intents), difference, discordance) >= POWER

    high = 4
    while not found(high):
        high *= 2
        if high > _MOST_INTENTS:
            raise ValueError(f"not even {_MOST_INTENTS:,} intents find a difference of {difference:g}")
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


@lru_cache(maxsize=4)
def _draws(intents: int, per_intent: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A number for each task of each race, and a sign for each intent."""
    import numpy as np

    races = max(_FEWEST_RACES, min(_RACES, _MOST_NUMBERS // (intents * per_intent)))
    generator = np.random.Generator(np.random.PCG64(int(digest(["race power", intents, per_intent]), 16)))
    drawn = generator.random((races, intents, per_intent), dtype=np.float32)
    return drawn, generator.integers(0, 2, (races, intents, 1)) * 2.0 - 1.0
