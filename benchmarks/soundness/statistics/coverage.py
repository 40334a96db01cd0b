"""How often intervals hold the truth, in every kind of simulated evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from benchmarks.support.evaluations import Design, Results
from worksmith.evals.statistics import Interval, macro_mean, mean, paired_difference, pass_hat
from worksmith.tools.seeding import digest

Cell = dict[str, Any]

SIZES = {30: 10, 100: 25, 500: 50}
"""Tasks, and intents where they have such."""
RATES = (0.05, 0.5, 0.9)
DOMAINS = 6


def jobs(times: int) -> list[Callable[[], Cell]]:
    """Each finds the coverage of one kind of interval in one kind of evaluation."""
    return [
        *(partial(_mean, design, times) for design in designs()),
        *(partial(_reliability, design, k, times) for design in designs((4,)) for k in (2, 4)),
        *(partial(_pair, design, other, times) for design in designs() for other in _others(design.rate)),
        *(partial(_macro, Design(n, 0, t, rate), times) for n in SIZES for rate in RATES for t in (1, 4)),
    ]


def percentile_jobs(times: int) -> list[Callable[[], Cell]]:
    """What resampling intents and taking percentiles would hold: the reason for not doing it."""
    return [partial(_percentile, Design(30, SIZES[30], 1, rate), times) for rate in RATES]


def designs(trials: tuple[int, ...] = (1, 4)) -> Iterator[Design]:
    """Every size, rate and number of trials, with tasks that have nothing in common and with intents."""
    for tasks, intents in SIZES.items():
        for rate in RATES:
            for count in trials:
                for groups in (0, intents):
                    yield Design(tasks, groups, count, rate)


@lru_cache(maxsize=256)
def discordance(design: Design, other: float) -> float:
    """On what share of single attempts two programs differ."""
    one = Design(40_000, 0, 1, design.rate, task=design.task + (design.intent if design.intents else 0))
    ours, theirs = one.attempts(other, design.rate, key=f"discordance/{design}/{other}")
    return float((ours != theirs).mean())


def _others(rate: float) -> tuple[float, float]:
    """Rates of the other program: a difference of none, and of 10 points."""
    return rate, rate + (0.1 if rate < 0.9 else -0.1)


def _cell(
    name: str, design: Design, times: int, truth: float, find: Callable[[int], Interval], expected: float
) -> Cell:
    """How often the intervals of one kind of evaluation hold the truth."""
    found = [find(number) for number in range(times)]
    below = sum(truth < interval.low - 1e-12 for interval in found)
    above = sum(truth > interval.high + 1e-12 for interval in found)
    return {
        "interval": name,
        "tasks": design.tasks,
        "intents": design.intents,
        "trials": design.trials,
        "rate": design.rate,
        "truth": round(truth, 4),
        "coverage": round(1 - (below + above) / times, 4),
        "missed_below": round(below / times, 4),
        "missed_above": round(above / times, 4),
        "width": round(sum(interval.high - interval.low for interval in found) / times, 4),
        "sparse": expected < 3,
    }


def _units(design: Design) -> int:
    """Of independent successes there are as many as intents, where each is all right or all wrong."""
    return design.intents or design.tasks


def _mean(design: Design, times: int) -> Cell:
    def find(number: int) -> Interval:
        (results,) = design.draw(key=f"{design}/{number}")
        return mean(results, design.alike)

    return _cell("mean", design, times, design.rate, find, min(design.rate, 1 - design.rate) * _units(design))


def _reliability(design: Design, k: int, times: int) -> Cell:
    def find(number: int) -> Interval:
        (results,) = design.draw(key=f"{design}/{number}")
        return pass_hat(results, k, design.alike)

    truth = design.all_succeed(k)
    return _cell(f"pass^{k}", design, times, truth, find, min(truth, 1 - truth) * _units(design))


def _pair(design: Design, other: float, times: int) -> Cell:
    def find(number: int) -> Interval:
        ours, theirs = design.draw(other, design.rate, key=f"pair/{other}/{design}/{number}")
        return paired_difference(ours, theirs, design.alike)

    expected = discordance(design, other) * _units(design) / 2
    return _cell("difference", design, times, other - design.rate, find, expected)


def _macro(design: Design, times: int) -> Cell:
    """Domains of different size and rate."""
    weights = range(1, DOMAINS + 1)
    sizes = [max(2, round(design.tasks * weight / sum(weights))) for weight in weights]
    reach = 0.6 * min(design.rate, 1 - design.rate)
    rates = [design.rate + reach * (2 * place / (DOMAINS - 1) - 1) for place in range(DOMAINS)]
    domains = [Design(size, 0, design.trials, rate) for size, rate in zip(sizes, rates, strict=True)]

    def find(number: int) -> Interval:
        return macro_mean(
            [domain.draw(key=f"macro/{design}/{number}/{place}")[0] for place, domain in enumerate(domains)]
        )

    rare = min(design.rate, 1 - design.rate) * design.tasks
    return _cell("macro mean", design, times, design.rate, find, rare)


def _percentile(design: Design, times: int) -> Cell:
    def find(number: int) -> Interval:
        (results,) = design.draw(key=f"{design}/{number}")
        return _percentile_interval(design, results, number)

    return _cell("percentile bootstrap", design, times, design.rate, find, math.inf)


def _percentile_interval(design: Design, results: Results, number: int) -> Interval:
    groups = design.alike or {}
    totals = np.zeros(design.intents)
    for task, values in results.items():
        totals[groups[task]] += sum(values)
    random = np.random.Generator(np.random.PCG64(int(digest(["percentile", number]), 16)))
    drawn = totals[random.integers(0, design.intents, size=(1_000, design.intents))]
    low, high = np.quantile(drawn.sum(axis=1) / design.tasks, [0.025, 0.975])
    return Interval(float(totals.sum()) / design.tasks, float(low), float(high), design.tasks)
