"""`worksmith power`: how small a difference some tasks can show, or how many tasks a difference needs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from worksmith.commands.options import JsonFlag


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
    as_json: JsonFlag = False,
) -> None:
    """Say how small a difference tasks can show, how many tasks one needs, or how likely they are to show it.

    A difference counts as seen if a paired test at 5 % finds it 8 times of 10.
    """
    from evals.statistics.power import discordance_of, power, smallest_difference, tasks_needed
    from tools.errors import InputError

    if tasks is None and points is None:
        raise InputError("nothing to work out", hint="give --tasks, --points or both")

    def differing(size: float) -> float:
        """On what share of tasks the programs differ, the other one being better where there is room."""
        base = rate / 100
        other = base + size if base + size <= 1 else base - size
        if not 0 <= other <= 1:
            return 1.0
        return max(size, discordance_of(base, other, agreement) if discordance is None else discordance / 100)

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
