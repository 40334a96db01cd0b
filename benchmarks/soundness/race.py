"""Whether a race keeps what it promises: candidates that are no better, losses, a program against itself.

Outcomes are simulated. Each task has a difficulty that all programs share, and each program now and then does
not meet it by the common measure but by chance, so that programs of equal skill differ on about a fifth of
the tasks. With an intent effect a candidate is better by it in all tasks of one intent and worse by it in
those of another, with equal chance: on average over new intents it is no better, whatever these ones say.

In `cells` no candidate is better, and beside the false acceptances stands how often one that is better by so
many points is missed. `in_rounds` lets candidates enter one after another. `aa` resamples one program's
outcomes, as `worksmith compile --aa` does. In `losses` a candidate is no better and loses some of the
episodes that it would have failed to the infrastructure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from random import Random
from typing import Any, NamedTuple

from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import wilson
from worksmith.optimizers.racing.race import race_over
from worksmith.optimizers.racing.rules import INCUMBENT, RaceOutcome, Rules
from worksmith.optimizers.search.aa import false_accepts
from worksmith.tools.seeding import rng

DESCRIPTION = "false and missed decisions of races over intents, with losses and against itself (A/A)"

DEV_SETS = ((10, 10), (10, 4), (30, 3), (69, 2), (138, 1))
"""Intents, and tasks of each."""
INTENT_EFFECTS = (0.0, 0.25, 0.5)
CANDIDATES = (1, 4)
PLANTED = (0.05, 0.1, 0.2, 0.4)
"""By how much a candidate is better, where chances have room for it."""
LOSING = (0.15, 0.6)
"""Shares of a candidate's failures that are lost: one leaves it in the race, the other does not."""
ROUNDS = (("2", "3"), ("4",), ("1",))
"""Who enters together where there are rounds: the better candidate comes last."""
BASE = 0.5
"""The incumbent's chance on a task."""
SHARED = 0.75
"""How often a program meets the difficulty that a task has for all."""


class Setting(NamedTuple):
    """What is simulated.

    Attributes:
        effect: by which each candidate is better or worse in an intent.
        planted: by which the first candidate is better in all of them.
        losing: the share of the candidates' failures that are lost to the infrastructure.
        rounds: whether candidates enter one after another.
    """

    intents: int
    per_intent: int
    arms: int
    effect: float = 0.0
    planted: float = 0.0
    losing: float = 0.0
    rounds: bool = False

    @property
    def key(self) -> str:
        """Names its random numbers."""
        return repr(tuple(self))


def run(quick: bool) -> dict[str, Any]:
    """Race 1,000 times in each cell (quick: 25), and 400 times with a better candidate (quick: 10)."""
    races, finds = (25, 10) if quick else (1_000, 400)
    dev_sets = DEV_SETS[2:4] if quick else DEV_SETS
    every = [(*size, arms) for size in dev_sets for arms in CANDIDATES]
    work: dict[str, list[_Work]] = {
        "cells": [
            _Work(no_better, Setting(*size, effect), races, finds)
            for size in every
            for effect in INTENT_EFFECTS
        ],
        "in_rounds": [
            _Work(no_better, Setting(*size, 4, effect, rounds=True), races)
            for size in dev_sets
            for effect in INTENT_EFFECTS[::2]
        ],
        "aa": [
            _Work(same_program, Setting(*size, effect), races // 2)
            for size in every
            for effect in INTENT_EFFECTS[::2]
        ],
        "losses": [
            _Work(no_better, Setting(*size, 1, losing=losing), races)
            for size in dev_sets
            for losing in LOSING
        ],
    }
    if quick:
        found = {name: [simulate(one) for one in parts] for name, parts in work.items()}
    else:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            found = {name: list(pool.map(simulate, parts)) for name, parts in work.items()}
    return {
        "rules": asdict(Rules()),
        "races": races,
        **found,
        "within_alpha": all(cell["within_alpha"] for cells in found.values() for cell in cells),
    }


class _Work(NamedTuple):
    what: Callable[..., dict[str, Any]]
    setting: Setting
    races: int
    finds: int = 0


def simulate(work: _Work) -> dict[str, Any]:
    """The figures of a setting, with its name."""
    setting = work.setting
    named = setting._asdict()
    if work.finds:
        room = [points for points in PLANTED if BASE + setting.effect + points <= 1]
        named["missed"] = {
            f"{100 * points:g}": missed(setting._replace(planted=points), work.finds) for points in room
        }
    return {**named, **work.what(setting, work.races)}


def no_better(setting: Setting, races: int) -> dict[str, Any]:
    """How often a race accepts a candidate though none is better, and what part of all episodes it takes."""
    found = [over_simulated(setting, number) for number in range(races)]
    whole = races * setting.intents * setting.per_intent * (1 + setting.arms)
    share = round(sum(one.episodes for one in found) / whole, 4)
    return {**_held(sum(one.winner != INCUMBENT for one in found), races), "episodes_share": share}


def missed(setting: Setting, races: int) -> float:
    """How often a race does not choose the one candidate that is better."""
    return sum(over_simulated(setting, number).winner != "1" for number in range(races)) / races


def same_program(setting: Setting, resamplings: int) -> dict[str, Any]:
    """How often resampled outcomes of one program, whose moods last for an intent, are told apart."""
    random = rng(0, "benchmark", "aa", setting.key)
    table = [
        _intent(
            random, setting, [BASE + random.choice((-1, 1)) * setting.effect for _ in range(setting.arms + 1)]
        )
        for _ in range(setting.intents)
    ]
    found = false_accepts(table, Rules(), seed=0, resamplings=resamplings)
    return _held(round(found.value * resamplings), resamplings)


def over_simulated(setting: Setting, number: int) -> RaceOutcome:
    """The race of this number."""
    random = rng(0, "benchmark", setting.key, number)
    table = [_intent(random, setting, _chances(random, setting)) for _ in range(setting.intents)]
    return race_over(table, Rules(), ROUNDS if setting.rounds else ())


def _chances(random: Random, setting: Setting) -> list[float]:
    """On the tasks of one intent, the incumbent's first."""
    moved = [random.choice((-1, 1)) * setting.effect for _ in range(setting.arms)]
    moved[0] += setting.planted
    return [BASE, *(BASE + move for move in moved)]


def _intent(random: Random, setting: Setting, chances: Sequence[float]) -> list[list[float | None]]:
    """Simulated outcomes of an intent, a row a task."""
    rows: list[list[float | None]] = []
    for _ in range(setting.per_intent):
        difficulty = random.random()
        measures = [difficulty if random.random() < SHARED else random.random() for _ in chances]
        row: list[float | None] = [
            float(measure < chance) for measure, chance in zip(measures, chances, strict=True)
        ]
        if setting.losing:
            row[1:] = [None if not score and random.random() < setting.losing else score for score in row[1:]]
        rows.append(row)
    return rows


def _held(wrong: int, races: int) -> dict[str, Any]:
    alpha = Rules().alpha
    most = alpha + 2 * math.sqrt(alpha * (1 - alpha) / races)
    interval = interval_json(wilson(wrong, races))
    return {"false_accepts": wrong / races, "interval": interval, "within_alpha": wrong / races <= most}
