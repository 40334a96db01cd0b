"""Who or what comes first by some number, and whether that is beyond doubt."""

from __future__ import annotations

from collections.abc import Mapping

from evals.kinds.crm.family import Doubt, Truth, Values
from evals.tasks.task import Entity


def leader(values: Mapping[str, float], extreme: str, entity: str) -> Truth:
    """The one with the greatest (`max`) or least (`min`) value; None where there is nobody.

    Args:
        entity: type of the answer.
    """
    found = leaders(values, extreme)
    if found is None:
        return None
    return Doubt("tie") if len(found) > 1 else (Entity(type=entity, value=found[0]),)


def narrow(values: Mapping[str, float], extreme: str, margin: float) -> Doubt | None:
    """Why an answer would be luck: there is only one to choose from, or the second is too near the first.

    Args:
        margin: by what factor the first has to be ahead.
    """
    if not values:
        return None
    if len(values) == 1:
        return Doubt("only one to choose from")
    first, second = sorted(values.values(), reverse=extreme == "max")[:2]
    return Doubt("too close") if max(first, second) < margin * min(first, second) else None


def leaders(values: Mapping[str, float], extreme: str) -> Values:
    """All with the greatest or least value; None where there is nobody."""
    if not values:
        return None
    best = (max if extreme == "max" else min)(values.values())
    return tuple(sorted(key for key, value in values.items() if value == best))
