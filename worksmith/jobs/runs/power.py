"""Plan comparisons: the difference that tasks can show, or the number of tasks that a difference needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worksmith.evals.statistics.power import discordance_of, power, smallest_difference, tasks_needed
from worksmith.evals.statistics.sequential import fewest_intents
from worksmith.jobs.showing.printing import Printed
from worksmith.optimizers.racing.power import Field, race_intents_needed, race_power, smallest_race_difference
from worksmith.optimizers.racing.rules import fewest_to_seal
from worksmith.tools.errors import InputError

if TYPE_CHECKING:
    from worksmith.jobs.settings.runs import PowerSettings


def plan_power(settings: PowerSettings) -> Printed:
    """Compute the smallest difference that tasks can show, the tasks that a difference needs, or the power.

    A difference can be shown if a paired test at 5 % finds it with a power of 80 %.
    """
    tasks, points, intents = settings.tasks, settings.points, settings.intents
    named = intents is not None or points is not None
    if (settings.race and (tasks is not None or not named)) or (not settings.race and intents is not None):
        raise InputError(
            "a race is over intents",
            where="--race",
            hint="give --race with --intents, --points or both, and no --tasks",
        )
    if not settings.race and tasks is None and points is None:
        raise InputError("nothing to work out", hint="give --tasks, --points or both")
    try:
        found = _race(settings) if settings.race else _comparison(settings)
    except ValueError as error:
        raise InputError(str(error), where="--points") from error
    found = {"rate": settings.rate, **found}
    said = _of_race(found) if settings.race else _of_comparison(found)
    return Printed(found, tuple(said.splitlines()))


def _differing(settings: PowerSettings, size: float) -> float:
    """The share of tasks on which the programs differ, the other one being better where there is room."""
    base = settings.rate / 100
    other = base + size if base + size <= 1 else base - size
    if not 0 <= other <= 1:
        return 1.0
    known = settings.discordance
    return max(size, discordance_of(base, other, settings.agreement) if known is None else known / 100)


def _comparison(settings: PowerSettings) -> dict[str, Any]:
    """The power of a comparison.

    Raises:
        ValueError: no number of tasks shows the difference.
    """
    tasks, points = settings.tasks, settings.points
    shape: dict[str, Any] = {name: getattr(settings, name) for name in ("trials", "noise", "alike")}
    found: dict[str, Any] = {**shape, "alpha": 0.05, "power": 0.8}
    if points is None:
        assert tasks is not None
        size = smallest_difference(tasks, lambda size: _differing(settings, size), **shape)
        found |= {"tasks": tasks, "points": None if size != size else round(100 * size, 2)}
    elif tasks is None:
        size = points / 100
        found |= {"points": points, "tasks": tasks_needed(size, _differing(settings, size), **shape)}
    else:
        size = points / 100
        chance = power(tasks, size, _differing(settings, size), **shape)
        found |= {"points": points, "tasks": tasks, "power": round(chance, 4)}
    return found | {"discordance": None if size != size else round(100 * _differing(settings, size), 2)}


def _race(settings: PowerSettings) -> dict[str, Any]:
    """The power of a race; without a number of intents, the number that it needs.

    Raises:
        ValueError: no number of intents shows the difference.
    """
    field = Field(
        settings.intents or 0,
        settings.per_intent,
        settings.candidates,
        settings.alike,
        adaptive=settings.sealed,
    )
    points, chance = settings.points, 0.8
    if points is None:
        room = max(settings.rate, 100 - settings.rate) / 100
        size = smallest_race_difference(field, lambda size: _differing(settings, size), largest=room)
        found, power_found = (None, None) if size != size else (round(100 * size, 1), chance)
    else:
        difference = points / 100
        size = _differing(settings, difference)
        if not field.intents:
            field = field._replace(intents=race_intents_needed(field, difference, size))
        found, power_found = 100 * difference, race_power(field, difference, size)
    known = fewest_intents(field.alpha, field.candidates)
    fewest = fewest_to_seal(field.alpha) if field.adaptive else known
    return {**field._asdict(), "points": found, "power": power_found, "fewest_intents": fewest}


def _of_comparison(found: Mapping[str, Any]) -> str:
    if found["points"] is None:
        return f"{found['tasks']} tasks show no difference 8 times of 10, however large. Take more tasks."
    times = f"{found['power'] * 100:.0f} times of 100"
    attempts = f"{found['trials']} attempts at each" if found["trials"] > 1 else "one attempt at each"
    return (
        f"{found['tasks']} tasks, {attempts}, show a difference of {found['points']:g} points {times} "
        f"(paired test at 5 %).\nAssumed: the reference solves {found['rate']:g} %, and single attempts of "
        f"both differ on {found['discordance']:g} % of the tasks."
    )


def _of_race(found: Mapping[str, Any]) -> str:
    what = f"{found['intents']} intents of {found['per_intent']} tasks, {found['candidates']} candidates"
    if found["points"] is None:
        return (
            f"{what}: no difference that there is room for is found 8 times of 10. Take more intents or "
            f"fewer candidates; below {found['fewest_intents']} intents it can accept nothing at all."
        )
    return (
        f"{what}: a race finds a difference of {found['points']:g} points {found['power'] * 100:.0f} times "
        f"of 100.\nAssumed: the reference solves {found['rate']:g} %. More intents show more; as many more "
        "tasks of the same intents do less."
    )
