"""Whether a race keeps what it promises: planted differences, and a program against itself.

Outcomes are simulated: each task has a difficulty that all programs share, and each program now and then does
not meet it by the common measure but by chance. Programs of equal skill then differ on about a fifth of the
tasks, as sets of demonstrations do on generated suites. One candidate of eight is better than the incumbent,
the others are as good as it, so that there is always something to be mistaken about. All enter at once, or in
rounds, the better one last.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from evals.statistics import mcnemar, wilson
from evals.summary import interval_json
from optimizers.aa import Table, false_accepts, recorded
from optimizers.racing import INCUMBENT, Outcome, Rules, race
from tools.seeding import rng

NAME = "race"
DESCRIPTION = "planted differences of 0 to 20 points: false and missed decisions of races, episodes; A/A"

EFFECTS = (0.0, 0.05, 0.1, 0.2)
CANDIDATES, TASKS = 8, 200
ROUNDS = (("2", "3", "4", "5", "6", "7"), ("8",), ("1",))
"""Who enters together where there are rounds: the better candidate comes last."""
BASE = 0.5
"""The incumbent's chance on a task."""
SHARED = 0.75
"""How often a program meets the difficulty that a task has for all."""


def run(quick: bool) -> dict[str, Any]:
    """Race 200 times (quick: 40) for each planted effect, and check a program against itself."""
    started = time.perf_counter()
    races, resamplings = (40, 100) if quick else (200, 1_000)
    rules = Rules()
    figures: dict[str, Any] = {
        "candidates": CANDIDATES,
        "tasks": TASKS,
        "races": races,
        "alpha": rules.alpha,
        "beta": rules.beta,
        "margin": rules.margin,
        "effects": {f"{100 * effect:g}": planted(effect, races, rules) for effect in EFFECTS},
        "in_rounds": {f"{100 * effect:g}": planted(effect, races, rules, ROUNDS) for effect in EFFECTS},
        "aa": interval_json(
            false_accepts(outcomes([BASE] * (1 + CANDIDATES), "aa"), rules, seed=0, resamplings=resamplings)
        ),
    }
    figures["false_accepts_within_alpha"] = all(
        found["false_accepts"]["value"] <= rules.alpha
        for found in (*figures["effects"].values(), *figures["in_rounds"].values())
    )
    figures["seconds"] = round(time.perf_counter() - started, 1)
    return figures


def planted(effect: float, races: int, rules: Rules, rounds: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """What races make of one candidate that is better by `effect`.

    Args:
        rounds: as `over` has it.

    `missed_at_fixed_size` is what McNemar's exact test misses with all episodes of all candidates and
    Bonferroni's correction, looking once: the price of looking all the time is the difference.
    """
    counts = dict.fromkeys(("false_accepts", "missed", "left_wrongly", "missed_at_fixed_size"), 0)
    episodes = 0
    for number in range(races):
        table = outcomes([BASE, BASE + effect, *[BASE] * (CANDIDATES - 1)], f"{effect}/{number}")
        found = over(table, rules, rounds)
        episodes += found.episodes
        counts["false_accepts"] += found.winner not in (INCUMBENT, "1") or (
            effect == 0 and found.winner == "1"
        )
        counts["missed"] += effect > 0 and found.winner != "1"
        left = "1" in found.arms and bool(found.arms["1"].left)
        counts["left_wrongly"] += effect >= rules.margin and left
        counts["missed_at_fixed_size"] += effect > 0 and not _shown(table, rules)
    return {
        **{name: interval_json(wilson(count, races)) for name, count in counts.items()},
        "episodes_share": round(episodes / (races * TASKS * (1 + CANDIDATES)), 4),
    }


def outcomes(chances: list[float], key: str) -> Table:
    """Simulated outcomes, a row a task; the first column is the incumbent's."""
    random = rng(0, "benchmark", key)
    rows = []
    for _ in range(TASKS):
        difficulty = random.random()
        measures = [difficulty if random.random() < SHARED else random.random() for _ in chances]
        rows.append([float(measure < chance) for measure, chance in zip(measures, chances, strict=True)])
    return rows


def over(table: Table, rules: Rules, rounds: Sequence[Sequence[str]] = ()) -> Outcome:
    """A race over outcomes that are there already; candidates are called by their columns' numbers.

    Args:
        rounds: who enters together; default is everybody at once.
    """
    names = [str(number) for number in range(1, len(table[0]))]
    columns = dict(zip([INCUMBENT, *names], zip(*table, strict=True), strict=True))
    return race(rounds or [names], len(table), recorded(columns), rules, most=len(names))


def _shown(table: Table, rules: Rules) -> bool:
    test = mcnemar([row[1] == 1 for row in table], [row[0] == 1 for row in table])
    return test.only_ours > test.only_theirs and test.p <= rules.alpha / CANDIDATES
