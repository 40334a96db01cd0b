"""Whether intervals hold the truth as often as they say, and tests err no more often than they may.

Evaluations are simulated (`benchmarks/_evaluations.py`), so the truth is known. Of 100 intervals
93 to 97 should hold it. Where fewer than three successes (or failures, or tasks on which two programs differ)
are to be expected, no interval of a count can be that exact: those cells are marked `sparse`, and are only to
hold it often enough.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._evaluations import Design, Results
from evals.statistics import (
    Interval,
    differences,
    exchange_test,
    holm,
    macro_mean,
    mcnemar,
    mean,
    paired_difference,
    pass_hat,
)
from evals.statistics.power import power, smallest_difference
from tools.seeding import digest

NAME = "statistics"
DESCRIPTION = (
    "coverage of intervals, bias of pass^k, false positives of paired tests, power, all by simulation"
)

SIZES = {30: 10, 100: 25, 500: 50}
"""Tasks, and intents where they have such."""
RATES = (0.05, 0.5, 0.9)
LOW, HIGH = 0.93, 0.97
DOMAINS = 6

Cell = dict[str, Any]


def run(quick: bool) -> dict[str, Any]:
    """2,000 evaluations of each kind (quick: 100)."""
    started = time.perf_counter()
    times = 100 if quick else 2_000
    cells = [*_proportions(times), *_reliability(times), *_pairs(times), *_macro(times)]
    counted = [cell for cell in cells if not cell["sparse"]]
    tests = _tests(times)
    # What simulation itself may be off by: two standard errors of a share of 95 %.
    slack = 2 * math.sqrt(0.95 * 0.05 / times)
    outside = [
        cell
        for cell in cells
        if cell["coverage"] < LOW - (slack if quick else 0)
        or (not cell["sparse"] and cell["coverage"] > HIGH + (slack if quick else 0))
    ]
    return {
        "evaluations": times,
        "cells": cells,
        "coverage_least": min(cell["coverage"] for cell in cells),
        "coverage_most": max(cell["coverage"] for cell in counted),
        "coverage_mean": round(sum(cell["coverage"] for cell in counted) / len(counted), 4),
        "within_93_97": sum(LOW <= cell["coverage"] <= HIGH for cell in cells),
        "of": len(cells),
        "outside": outside,
        "percentile_bootstrap": _percentile(min(times, 400)),
        "pass_hat_bias": _bias(times),
        "tests": tests,
        "false_positives_within_5_percent": all(found["false_positives"] <= 0.05 + slack for found in tests),
        "power": _power(times),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _cell(
    name: str, design: Design, times: int, truth: float, find: Callable[[int], Interval], expected: float
) -> Cell:
    """How often the intervals of one kind of evaluation hold the truth."""
    found = [find(number) for number in range(times)]
    held = sum(interval.low - 1e-12 <= truth <= interval.high + 1e-12 for interval in found)
    return {
        "interval": name,
        "tasks": design.tasks,
        "intents": design.intents,
        "trials": design.trials,
        "rate": design.rate,
        "truth": round(truth, 4),
        "coverage": round(held / times, 4),
        "width": round(sum(interval.high - interval.low for interval in found) / times, 4),
        "sparse": expected < 3,
    }


def _designs(trials: tuple[int, ...] = (1, 4)) -> Iterator[Design]:
    for tasks, intents in SIZES.items():
        for rate in RATES:
            for count in trials:
                for groups in (0, intents):
                    yield Design(tasks, groups, count, rate)


def _proportions(times: int) -> Iterator[Cell]:
    for design in _designs():

        def find(number: int, design: Design = design) -> Interval:
            (results,) = design.draw(key=f"{design}/{number}")
            return mean(results, design.alike)

        # Of independent successes there are as many as intents, where each is all right or all wrong.
        rare = min(design.rate, 1 - design.rate) * (design.intents or design.tasks)
        yield _cell("mean", design, times, design.rate, find, rare)


def _reliability(times: int) -> Iterator[Cell]:
    for design in _designs((4,)):
        for k in (2, 4):

            def find(number: int, design: Design = design, k: int = k) -> Interval:
                (results,) = design.draw(key=f"{design}/{number}")
                return pass_hat(results, k, design.alike)

            truth = design.all_succeed(k)
            rare = min(truth, 1 - truth) * (design.intents or design.tasks)
            yield _cell(f"pass^{k}", design, times, truth, find, rare)


def _pairs(times: int) -> Iterator[Cell]:
    """Differences of 10 points, and of none."""
    for design in _designs():
        for other in {design.rate, design.rate + (0.1 if design.rate < 0.9 else -0.1)}:

            def find(number: int, design: Design = design, other: float = other) -> Interval:
                ours, theirs = design.draw(other, design.rate, key=f"pair/{other}/{design}/{number}")
                return paired_difference(ours, theirs, design.alike)

            differing = _discordance(design, other)
            units = design.intents or design.tasks
            yield _cell("difference", design, times, other - design.rate, find, differing * units / 2)


def _discordance(design: Design, other: float) -> float:
    """On what share of single attempts two programs differ."""
    one = Design(40_000, 0, 1, design.rate, task=design.task + (design.intent if design.intents else 0))
    ours, theirs = one.draw(other, design.rate, key=f"discordance/{design}/{other}")
    return sum(value != 0 for value in differences(ours, theirs).values()) / one.tasks


def _macro(times: int) -> Iterator[Cell]:
    """Means over domains of different size and rate."""
    for tasks in SIZES:
        for rate in RATES:
            for trials in (1, 4):
                weights = range(1, DOMAINS + 1)
                sizes = [max(2, round(tasks * weight / sum(weights))) for weight in weights]
                reach = 0.6 * min(rate, 1 - rate)
                rates = [rate + reach * (2 * place / (DOMAINS - 1) - 1) for place in range(DOMAINS)]
                design = Design(tasks, 0, trials, rate)

                def find(
                    number: int,
                    sizes: list[int] = sizes,
                    rates: list[float] = rates,
                    design: Design = design,
                ) -> Interval:
                    parts = [
                        Design(size, 0, design.trials, own).draw(key=f"macro/{design}/{number}/{place}")[0]
                        for place, (size, own) in enumerate(zip(sizes, rates, strict=True))
                    ]
                    return macro_mean(parts)

                yield _cell("macro mean", design, times, rate, find, min(rate, 1 - rate) * tasks)


def _percentile(times: int) -> list[Cell]:
    """What resampling intents and taking percentiles would hold: the reason for not doing it."""
    cells = []
    for rate in RATES:
        design = Design(30, SIZES[30], 1, rate)

        def find(number: int, design: Design = design) -> Interval:
            (results,) = design.draw(key=f"{design}/{number}")
            return _percentile_interval(design, results, number)

        cells.append(_cell("percentile bootstrap", design, times, rate, find, 30.0))
    return cells


def _percentile_interval(design: Design, results: Results, number: int) -> Interval:
    groups = design.alike or {}
    totals = np.zeros(design.intents)
    for task, values in results.items():
        totals[groups[task]] += sum(values)
    random = np.random.Generator(np.random.PCG64(int(digest(["percentile", number]), 16)))
    drawn = totals[random.integers(0, design.intents, size=(1_000, design.intents))]
    low, high = np.quantile(drawn.sum(axis=1) / design.tasks, [0.025, 0.975])
    return Interval(float(totals.sum()) / design.tasks, float(low), float(high), design.tasks)


def _bias(times: int) -> list[dict[str, Any]]:
    """The mean error of pass^k, with its standard error."""
    found = []
    for rate in RATES:
        design = Design(30, SIZES[30], 4, rate)
        for k in (2, 3, 4):
            truth = design.all_succeed(k)
            errors = [
                pass_hat(design.draw(key=f"bias/{design}/{number}")[0], k).value - truth
                for number in range(times)
            ]
            error = float(np.std(errors, ddof=1)) / math.sqrt(times)
            bias = sum(errors) / times
            found.append(
                {
                    "k": k,
                    "rate": rate,
                    "truth": round(truth, 5),
                    "bias": round(bias, 5),
                    "standard_error": round(error, 5),
                    "within_3_errors": abs(bias) <= 3 * error,
                }
            )
    return found


def _tests(times: int) -> list[dict[str, Any]]:
    """How often tests find a difference between programs that do not differ."""
    found = []
    for tasks, intents in SIZES.items():
        for rate in RATES:
            single, alike = Design(tasks, 0, 1, rate), Design(tasks, intents, 1, rate)
            several = Design(tasks, intents, 4, rate)
            rates = {
                "McNemar": _false(single, times, _mcnemar),
                "exchange": _false(single, times, _exchange),
                "exchange, by intent": _false(alike, times, _exchange),
                "exchange, by intent, 4 trials": _false(several, times, _exchange),
                "any of 4, Holm": _familywise(alike, times),
            }
            found += [
                {"test": name, "tasks": tasks, "rate": rate, "false_positives": share}
                for name, share in rates.items()
            ]
    return found


def _false(design: Design, times: int, test: Callable[[Design, Results, Results], float]) -> float:
    hits = 0
    for number in range(times):
        ours, theirs = design.draw(design.rate, design.rate, key=f"null/{design}/{number}")
        hits += test(design, ours, theirs) <= 0.05
    return round(hits / times, 4)


def _mcnemar(design: Design, ours: Results, theirs: Results) -> float:
    return mcnemar([ours[task][0] == 1 for task in ours], [theirs[task][0] == 1 for task in ours]).p


def _exchange(design: Design, ours: Results, theirs: Results) -> float:
    return exchange_test(differences(ours, theirs), design.alike)


def _familywise(design: Design, times: int) -> float:
    hits = 0
    for number in range(times):
        first, *others = design.draw(*[design.rate] * 5, key=f"family/{design}/{number}")
        hits += min(holm([_exchange(design, other, first) for other in others])) <= 0.05
    return round(hits / times, 4)


def _power(times: int) -> list[dict[str, Any]]:
    """How often the smallest difference that is promised to be found 8 times of 10 is found."""
    found = []
    for tasks in SIZES:
        for rate, trials in ((0.5, 1), (0.5, 4), (0.9, 1)):
            design = Design(tasks, 0, trials, rate)
            sign = -1 if rate > 0.5 else 1
            least = 0.1
            for _ in range(4):  # how much programs differ depends on how far apart they are
                other = rate + sign * least
                discordance, noise = _discordance(design, other), _noise(design, other)
                least = smallest_difference(tasks, _always(discordance), trials=trials, noise=noise)
            other = rate + sign * least
            hits = 0
            for number in range(times):
                ours, theirs = design.draw(other, rate, key=f"power/{design}/{number}")
                hits += exchange_test(differences(ours, theirs)) <= 0.05
            found.append(
                {
                    "tasks": tasks,
                    "trials": trials,
                    "rate": rate,
                    "discordance": round(discordance, 3),
                    "noise": round(noise, 3),
                    "points": round(100 * least, 1),
                    "promised": round(power(tasks, least, discordance, trials=trials, noise=noise), 3),
                    "found": round(hits / times, 3),
                }
            )
    return found


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


def _noise(design: Design, other: float) -> float:
    """What part of single differences is chance: two attempts of one program differ as well."""
    within = []
    for rate in (design.rate, other):
        (results,) = Design(40_000, 0, 2, rate, task=design.task).draw(key=f"noise/{rate}")
        within.append(sum(a != b for a, b in results.values()) / len(results))
    return min(1.0, sum(within) / 2 / _discordance(design, other))
