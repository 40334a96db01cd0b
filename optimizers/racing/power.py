"""The power of a race with a number of intents, by simulation with the race itself.

There is no short formula: a race looks after each block, and candidates leave on the way. One candidate is
better by a given difference; the others are as good as the incumbent, and differ from it on as many tasks.
Random numbers come from a seed, the same ones for every difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from worksmith.evals.statistics.power import POWER
from worksmith.optimizers.racing.race import race_over
from worksmith.optimizers.racing.rules import Rules, sealed_intents
from worksmith.tools.seeding import digest

if TYPE_CHECKING:
    import numpy as np

_RACES = 500
_BATCH = 100
_MOST_SCORES = 350_000
"""Scores that a simulation draws at most; of large races it simulates fewer, one batch at least."""
_MOST_INTENTS = 4_000
_PLANTED = "1"
"""The candidate that is better."""


class Field(NamedTuple):
    """The intents, tasks and candidates of a race.

    Attributes:
        per_intent: tasks of each intent.
        candidates: programs that race with the incumbent.
        alike: the factor on the variance because tasks of one intent are alike; 1 if they are not.
        margin: of the race, see `worksmith.optimizers.racing.race.Rules`.
        adaptive: whether a part of the intents is sealed, because candidates are made from dev episodes.
    """

    intents: int
    per_intent: int = 1
    candidates: int = 1
    alike: float = 1.0
    alpha: float = Rules.alpha
    margin: float = Rules.margin
    adaptive: bool = False


def race_power(field: Field, difference: float, discordance: float) -> float:
    """The chance that a race ends with the candidate that is better by `difference`.

    Args:
        discordance: the share of tasks on which it and the incumbent differ, at least the difference.
    """
    batches = [_found(field, difference, discordance, number) for number in range(_batches(field))]
    return sum(batches) / (_BATCH * len(batches))


def smallest_race_difference(
    field: Field, discordance: Callable[[float], float], *, largest: float = 1.0
) -> float:
    """The smallest difference that a race finds 8 times of 10; nan where it does not find the largest.

    Args:
        discordance: the share of tasks on which programs differ, by their difference.
        largest: the largest possible difference.
    """

    def found(size: float) -> bool:
        return _reaches(field, size, discordance(size))

    if not found(largest):
        return math.nan
    low, high = 0.0, largest
    while high - low > 0.004:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def race_intents_needed(field: Field, difference: float, discordance: float) -> int:
    """The fewest intents with which a race finds a difference 8 times of 10; `field.intents` is not used."""

    def found(intents: int) -> bool:
        return _reaches(field._replace(intents=intents), difference, discordance)

    high = 4
    while not found(high):
        high *= 2
        if high > _MOST_INTENTS:
            raise ValueError(
                f"not even {_MOST_INTENTS:,} intents find a difference of {100 * difference:g} points 8 times"
                f" of 10; candidates that are better by less than {100 * field.margin:g} points may leave"
            )
    low = high // 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _reaches(field: Field, difference: float, discordance: float) -> bool:
    """Whether the power suffices; ends early where the first batches leave no doubt."""
    found = races = 0
    for number in range(_batches(field)):
        found, races = found + _found(field, difference, discordance, number), races + _BATCH
        if abs(found / races - POWER) > 3 * math.sqrt(POWER * (1 - POWER) / races):
            break
    return found / races >= POWER


def _batches(field: Field) -> int:
    scores = field.intents * field.per_intent * (1 + field.candidates)
    return max(1, min(_RACES, _MOST_SCORES // scores) // _BATCH)


def _found(field: Field, difference: float, discordance: float, batch: int) -> int:
    """How many races of a batch end with the better candidate."""
    how = Rules(alpha=field.alpha, margin=field.margin)
    sealed = sealed_intents(field.intents, field.alpha) if field.adaptive else 0
    if field.adaptive and not sealed:
        return 0
    tables = _tables(field, difference, max(discordance, abs(difference)), batch)
    return sum(race_over(table, how, sealed=sealed).winner == _PLANTED for table in tables)


def _tables(field: Field, difference: float, differing: float, batch: int) -> Iterator[list[Any]]:
    """Scores of 0 and 1 of all arms, with a mood of each candidate in each intent."""
    import numpy as np

    drawn, signs = _draws(field.intents, field.per_intent, field.candidates, batch)
    share = min(1.0, (field.alike - 1) / (field.per_intent - 1)) if field.per_intent > 1 else 0.0
    mood = math.sqrt(share * max(0.0, differing - difference**2))
    lead = np.clip(difference + mood * signs[..., :1], -1, 1)
    apart = np.maximum(differing, abs(lead))
    # The incumbent's chance leaves room for a candidate that wins or loses more than half of the tasks.
    base = np.clip(0.5, (apart - lead) / 2, 1 - (apart - lead) / 2 - lead)
    room = 2 * np.minimum(base, 1 - base)
    others = np.minimum(mood, room) * signs[..., 1:]
    leads = np.concatenate([lead, others], axis=-1)
    differ = np.concatenate([apart, np.maximum(np.minimum(differing, room), abs(others))], axis=-1)
    plain = drawn[..., :1] < base
    with np.errstate(divide="ignore", invalid="ignore"):
        wins, losses = (differ + leads) / 2 / (1 - base), (differ - leads) / 2 / base
    flips = drawn[..., 1:]
    candidates = np.where(plain, flips <= 1 - losses, flips < wins)
    yield from np.concatenate([plain, candidates], axis=-1).astype(float).tolist()


@lru_cache(maxsize=_RACES // _BATCH)
def _draws(
    intents: int, per_intent: int, candidates: int, batch: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A number for each task and arm of each race, and a sign for each intent and candidate."""
    import numpy as np

    seed = int(digest(["race power", intents, per_intent, candidates, batch]), 16)
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.random((_BATCH, intents, per_intent, 1 + candidates), dtype=np.float32)
    return drawn, generator.integers(0, 2, (_BATCH, intents, 1, candidates)) * 2.0 - 1.0
