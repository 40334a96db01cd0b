"""How often a compile accepts a program that is no better, and how often it finds one that is.

Scores are simulated, and the decisions are the product's: `thorough` is the race of `bootstrap` and `knn`,
`race` the one with its default rules. `exchange` is an exchange test over intents with Holm's correction,
which is right only where differences are symmetric.

In `skewed` candidates are as good as the program as it is on average over intents: with a small chance a
candidate fails a whole intent, else it gains a little. Scores are without noise, or right and wrong drawn
anew with these chances. `interval` is the share of paired 95 % intervals, as `compare` shows them, above
zero; 2.5 % are due. In `power` one candidate is right more often by so many points, in each intent, and the
others are not.

In `rounds` candidates of 1 to 6 rounds race who are made from dev episodes, so that a part of dev is sealed.
They are skewed as above, and an adversary chose them: those of a round are the luckiest of many on the open
intents. `late` has one that is better, in the last round, and how often races find it: the sealed one, and
one that knows of all candidates beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product, repeat
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from worksmith.evals.records.summary import interval_json
from worksmith.evals.statistics import holm, paired_difference, wilson
from worksmith.optimizers.racing.race import race_over
from worksmith.optimizers.racing.rules import INCUMBENT, RaceOutcome, Rules, sealed_intents
from worksmith.tools.seeding import digest

DESCRIPTION = "false acceptances of compiles where differences are skewed, and the power of their tests"

INTENTS = (8, 10, 12, 20, 40, 70, 138)
TASKS = (1, 2, 4)
CANDIDATES = (1, 4)
SKEWS = ((0.05, 0.9), (0.1, 0.5), (0.2, 0.8))
"""The chance that a candidate fails an intent, and the score of the program as it is."""
EFFECTS = (0.1, 0.2, 0.3, 0.5, 1.0)
ALPHA = Rules().alpha
ROUNDS = range(1, 7)
IN_ROUNDS = ((12, 4), (24, 2), (60, 1))
"""Intents, and tasks of each, where there are rounds."""

_ENTERING = 4
"""The candidates of a round."""
_LUCKIEST_OF = 20

_SIGNS = 1_000
_FEW = 200
"""So many compiles are decided by exchanges and intervals, which take long."""

Table = np.ndarray[Any, np.dtype[np.float64]]
"""Scores by intent, task and arm; the first arm is the program as it is."""


class Setting(NamedTuple):
    """What is simulated.

    Attributes:
        fails: the chance that a candidate fails an intent; what it gains in the others makes up for it.
        base: the score of the program as it is.
        effect: by which the first candidate is right more often.
        noisy: whether scores are right and wrong, drawn anew for each task.
    """

    intents: int
    per_intent: int
    candidates: int
    fails: float = 0.0
    base: float = 0.5
    effect: float = 0.0
    noisy: bool = True


def run(quick: bool) -> dict[str, Any]:
    """Simulate 1,000 compiles in each cell, 400 of them with a better candidate (quick: 20 in some cells)."""
    compiles, finds = (20, 20) if quick else (1_000, 400)
    sizes = [*product(INTENTS[::3] if quick else INTENTS, TASKS[::2] if quick else TASKS, CANDIDATES)]
    skewed = [
        Setting(*size, fails, base, noisy=noisy)
        for size in sizes
        for fails, base in SKEWS
        for noisy in (False, True)
        if noisy or size[1] != 2  # without noise the number of tasks matters to the blocks of a race only
    ]
    power = [Setting(*size, base=0.5 - effect / 2, effect=effect) for size in sizes for effect in EFFECTS]
    times = [compiles] * len(skewed) + [finds] * len(power)
    with ProcessPoolExecutor(1 if quick else 2, get_context("spawn")) as pool:
        found = list(pool.map(_cell, [*skewed, *power], times, chunksize=4))
        lucky, late = _in_rounds(quick)
        rounds = list(pool.map(luckiest, *zip(*lucky, strict=True), repeat(compiles), chunksize=4))
        found_late = list(pool.map(_late, *zip(*late, strict=True), repeat(finds), chunksize=4))
    nulls = found[: len(skewed)]
    most = {name: max(cell[name] for cell in nulls) for name in ("thorough", "race", "exchange", "interval")}
    most["rounds"] = max(cell["accepted"] for cell in rounds)
    # Three standard errors: some of so many cells exceed what is due by chance.
    slack = 3 * math.sqrt(ALPHA * (1 - ALPHA) / compiles)
    return {
        "alpha": ALPHA,
        "compiles": compiles,
        "compiles_with_a_better_one": finds,
        "skewed": nulls,
        "most": most,
        "within_alpha": max(most["thorough"], most["race"], most["rounds"]) <= ALPHA + slack,
        "power": found[len(skewed) :],
        "rounds": rounds,
        "late": found_late,
    }


def _cell(setting: Setting, compiles: int) -> dict[str, Any]:
    tables = [_table(setting, number) for number in range(compiles)]
    found: dict[str, Any] = setting._asdict()
    rules: dict[str, Callable[[Table], int | None]] = {
        "thorough": partial(_raced, rules=Rules(thorough=True)),
        "race": partial(_raced, rules=Rules()),
        "exchange": _exchanged,
    }
    for name, accept in rules.items():
        some = tables[:_FEW] if name == "exchange" else tables
        found[name] = sum(_right(setting, accept(table)) for table in some) / len(some)
    if not setting.effect:
        found["interval"] = sum(map(_interval_above, tables[:_FEW])) / len(tables[:_FEW])
    return found


def _right(setting: Setting, accepted: int | None) -> bool:
    """Whether a candidate was accepted; of those where one is better, that one."""
    return accepted == 1 if setting.effect else accepted is not None


_Rounds = list[tuple[Setting, int]]


def _in_rounds(quick: bool) -> tuple[_Rounds, _Rounds]:
    """Settings with their numbers of rounds: all candidates are lucky, or the last round has a better one."""
    cells = [*product(IN_ROUNDS[:1] if quick else IN_ROUNDS, ROUNDS[::5] if quick else ROUNDS)]
    lucky = [
        (Setting(intents, per_intent, _LUCKIEST_OF * rounds, fails, base), rounds)
        for ((intents, per_intent), rounds), (fails, base) in product(cells, SKEWS)
    ]
    late = [
        (Setting(intents, per_intent, _ENTERING * rounds, base=0.5 - effect / 2, effect=effect), rounds)
        for ((intents, per_intent), rounds), effect in product(cells, EFFECTS[1:4])
    ]
    return lucky, late


def luckiest(setting: Setting, rounds: int, compiles: int) -> dict[str, Any]:
    sealed, accepted = sealed_intents(setting.intents, ALPHA), 0
    for number in range(compiles):
        table = _table(setting, number)
        leads = _leads(table)[:, : setting.intents - sealed].mean(axis=1)
        places = np.arange(setting.candidates).reshape(rounds, -1)
        entering = [names[np.argsort(-leads[names])[:_ENTERING]] + 1 for names in places]
        accepted += _sealed(table, [[*map(str, names)] for names in entering], sealed).winner != INCUMBENT
    interval = interval_json(wilson(accepted, compiles))
    return {**setting._asdict(), "rounds": rounds, "accepted": accepted / compiles, "interval": interval}


def _late(setting: Setting, rounds: int, compiles: int) -> dict[str, Any]:
    sealed = sealed_intents(setting.intents, ALPHA)
    names = np.arange(setting.candidates, 0, -1).reshape(rounds, -1)
    entering = [[*map(str, each)] for each in names]
    tables = [_table(setting, number) for number in range(compiles)]
    found = {
        "sealed": [_sealed(table, entering, sealed) for table in tables],
        "beforehand": [race_over(table.tolist(), Rules()) for table in tables],
    }
    finds = {name: sum(one.winner == "1" for one in races) / compiles for name, races in found.items()}
    episodes = {name: round(sum(one.episodes for one in races) / compiles) for name, races in found.items()}
    return {**setting._asdict(), "rounds": rounds, **finds, "episodes": episodes}


def _sealed(table: Table, entering: list[list[str]], sealed: int) -> RaceOutcome:
    return race_over(table.tolist(), Rules(patience=len(ROUNDS)), entering, sealed=sealed)


def _table(setting: Setting, number: int) -> Table:
    generator = np.random.Generator(np.random.PCG64(int(digest(["acceptance", *setting, number]), 16)))
    intents, per_intent, candidates = setting[:3]
    chances = np.full((intents, 1, 1 + candidates), setting.base)
    chances[:, :, 1] += setting.effect
    if setting.fails:
        fails = generator.random((intents, 1, candidates)) < setting.fails
        gained = setting.base * (1 + setting.fails / (1 - setting.fails))
        chances[:, :, 1:] = np.where(fails, 0.0, gained)
    if not setting.noisy:
        return np.repeat(chances, per_intent, axis=1)
    return (generator.random((intents, per_intent, 1 + candidates)) < chances).astype(float)


def _leads(table: Table) -> Table:
    """The mean lead of each candidate in each intent."""
    means: Table = table.mean(axis=1)
    leads: Table = (means[:, 1:] - means[:, :1]).T
    return leads


def _raced(table: Table, rules: Rules) -> int | None:
    winner = race_over(table.tolist(), rules).winner
    return None if winner == INCUMBENT else int(winner)


def _exchanged(table: Table) -> int | None:
    """The candidate with the highest score, if it passes the exchange test."""
    leads = _leads(table)
    signs = np.random.Generator(np.random.PCG64(0)).integers(0, 2, (leads.shape[1], _SIGNS)) * 2 - 1
    hits = (np.abs(leads) @ signs >= leads.sum(axis=1, keepdims=True) - 1e-9).sum(axis=1)
    p_values = holm([(hit + 1) / (_SIGNS + 1) for hit in hits.tolist()])
    best = int(leads.sum(axis=1).argmax())
    return best + 1 if p_values[best] <= ALPHA else None


def _interval_above(table: Table) -> bool:
    theirs, ours = (dict(enumerate(table[:, :, arm].reshape(-1, 1).tolist())) for arm in (0, 1))
    groups = {task: task // table.shape[1] for task in ours}
    return paired_difference(ours, theirs, groups).low > 0
