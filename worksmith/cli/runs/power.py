"""`worksmith power`: how small a difference some tasks can show, or how many tasks a difference needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worksmith.cli.options import JsonFlag

if TYPE_CHECKING:
    from collections.abc import Callable

    from optimizers.search.race_power import Field


def plan_comparison(
    tasks: Annotated[int | None, typer.Option(min=2, help="Tasks that both programs get.")] = None,
    points: Annotated[
        float | None, typer.Option(min=0.01, max=100, help="Difference to be seen, in percentage points.")
    ] = None,
    rate: Annotated[
        float, typer.Option(min=0, max=100, help="What the reference solves, in percent.")
    ] = 50.0,
    agreement: Annotated[
        float,
        typer.Option(min=0, max=1, help="Correlation of what both solve: 0 for none, 1 for the same tasks."),
    ] = 0.5,
    discordance: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=100,
            help="Tasks in percent on which single attempts of both differ.",
            show_default="from rate and agreement",
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Attempts of each program at each task.")] = 1,
    noise: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="What part of that is chance: two attempts of one program differ as well."
        ),
    ] = 0.5,
    alike: Annotated[
        float,
        typer.Option(min=1, help="By what variance grows since tasks of an intent are alike; 1 if not."),
    ] = 1.0,
    race: Annotated[
        bool,
        typer.Option(
            "--race", help="Plan a race: with --intents, --per-intent and --candidates in place of --tasks."
        ),
    ] = False,
    intents: Annotated[int | None, typer.Option(min=1, max=20_000, help="Dev intents of a race.")] = None,
    per_intent: Annotated[int, typer.Option(min=1, max=1000, help="Dev tasks of each intent.")] = 1,
    candidates: Annotated[
        int, typer.Option(min=1, max=1000, help="Programs that race with the one as it is.")
    ] = 4,
    as_json: JsonFlag = False,
) -> None:
    """Say how small a difference tasks can show, how many tasks one needs, or how likely they are to show it.

    A difference counts as seen if a paired test at 5 % finds it 8 times of 10.
    """
    from evals.statistics.power import discordance_of, power, smallest_difference, tasks_needed
    from optimizers.search.race_power import Field
    from tools.errors import InputError

    told = intents is not None or points is not None
    if (race and (tasks is not None or not told)) or (not race and intents is not None):
        raise InputError(
            "a race is over intents",
            where="--race",
            hint="give --race with --intents, --points or both, and no --tasks",
        )
    if not race and tasks is None and points is None:
        raise InputError("nothing to work out", hint="give --tasks, --points or both")

    def differing(size: float) -> float:
        """On what share of tasks the programs differ, the other one being better where there is room."""
        base = rate / 100
        other = base + size if base + size <= 1 else base - size
        if not 0 <= other <= 1:
            return 1.0
        return max(size, discordance_of(base, other, agreement) if discordance is None else discordance / 100)

    if race:
        field = Field(intents or 0, per_intent, candidates, alike)
        room = max(rate, 100 - rate) / 100
        try:
            raced = _raced(field, None if points is None else points / 100, differing, room)
        except ValueError as error:
            raise InputError(str(error), where="--points") from error
        raced = {"rate": rate, **raced}
        typer.echo(json.dumps(raced) if as_json else _said_of_race(raced))
        return
    shape: dict[str, Any] = {"trials": trials, "noise": noise, "alike": alike}
    found: dict[str, Any] = {"rate": rate, **shape, "alpha": 0.05, "power": 0.8}
    try:
        if points is None:
            assert tasks is not None
            size = smallest_difference(tasks, differing, **shape)
            found |= {"tasks": tasks, "points": None if size != size else round(100 * size, 2)}
        elif tasks is None:
            size = points / 100
            found |= {"points": points, "tasks": tasks_needed(size, differing(size), **shape)}
        else:
            size = points / 100
            chance = power(tasks, size, differing(size), **shape)
            found |= {"points": points, "tasks": tasks, "power": round(chance, 4)}
    except ValueError as error:
        raise InputError(str(error), where="--points") from error
    found["discordance"] = None if size != size else round(100 * differing(size), 2)
    typer.echo(json.dumps(found) if as_json else _said(found))


def _said(found: dict[str, Any]) -> str:
    """The finding in a sentence, and what it rests on in another."""
    if found["points"] is None:
        return f"{found['tasks']} tasks show no difference 8 times of 10, however large. Take more tasks."
    times = f"{found['power'] * 100:.0f} times of 100"
    attempts = f"{found['trials']} attempts at each" if found["trials"] > 1 else "one attempt at each"
    return (
        f"{found['tasks']} tasks, {attempts}, show a difference of {found['points']:g} points {times} "
        f"(paired test at 5 %).\nAssumed: the reference solves {found['rate']:g} %, and single attempts of "
        f"both differ on {found['discordance']:g} % of the tasks."
    )


def _raced(
    field: Field, difference: float | None, differing: Callable[[float], float], room: float
) -> dict[str, Any]:
    """What a race can show; where no intents are given, how many it needs.

    Raises:
        ValueError: no number of intents does.
    """
    from evals.statistics.sequential import fewest_intents
    from optimizers.search.race_power import race_intents_needed, race_power, smallest_race_difference

    if difference is None:
        size = smallest_race_difference(field, differing, largest=room)
        points, chance = (None, None) if size != size else (round(100 * size, 1), 0.8)
    else:
        size = differing(difference)
        if not field.intents:
            field = field._replace(intents=race_intents_needed(field, difference, size))
        points, chance = 100 * difference, race_power(field, difference, size)
    fewest = fewest_intents(field.alpha, field.candidates)
    return {**field._asdict(), "points": points, "power": chance, "fewest_intents": fewest}


def _said_of_race(found: dict[str, Any]) -> str:
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
