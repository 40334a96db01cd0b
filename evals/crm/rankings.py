"""Who or what comes first by some number, and whether that is beyond doubt."""

from __future__ import annotations

from collections.abc import Mapping

from evals.crm.family import Doubt, Truth, Values
from evals.task import Entity


def leader(values: Mapping[str, float], extreme: str, entity: str, *, margin: float = 1.0) -> Truth:
    """The one with the greatest (`max`) or least (`min`) value; None where there is nobody.

    Args:
        entity: type of the answer.
        margin: by what factor it has to be ahead of the second to be beyond doubt.
    """
    order = sorted(values, key=lambda key: (values[key], key), reverse=extreme == "max")
    if not order:
        return None
    if len(order) > 1:
        first, second = values[order[0]], values[order[1]]
        if first == second:
            return Doubt("tie")
        if max(first, second) < margin * min(first, second):
            return Doubt("too close")
    return (Entity(type=entity, value=order[0]),)


def leaders(values: Mapping[str, float], extreme: str) -> Values:
    """All with the greatest or least value; None where there is nobody."""
    if not values:
        return None
    best = (max if extreme == "max" else min)(values.values())
    return tuple(sorted(key for key, value in values.items() if value == best))
