"""Whether intervals hold the truth as often as they say, and tests err no more often than they may.

Evaluations are simulated (`support/evaluations.py`), so the truth is known. Of 100 intervals
93 to 97 should hold it. Where fewer than three successes (or failures, or tasks on which two programs differ)
are to be expected, no interval of a count can be that exact: those cells are marked `sparse`, and are only to
hold it often enough. Tests are to find a difference between equal programs 5 times of 100 at most; of 45 such
figures some exceed it by chance, so three standard errors are allowed for, and a kind of test is judged by
all its evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

import numpy as np

from benchmarks.soundness.statistics.coverage import RATES, SIZES, discordance, jobs, percentile_jobs
from benchmarks.support.evaluations import Design, Results
from worksmith.evals.statistics import differences, exchange_test, holm, mcnemar, pass_hat
from worksmith.evals.statistics.power import power, smallest_difference

DESCRIPTION = (
    "coverage of intervals, bias of pass^k, false positives of paired tests, power, all by simulation"
)

LOW, HIGH = 0.93, 0.97
LEVEL = 0.05

T = TypeVar("T")
Figures = dict[str, Any]


def run(quick: bool) -> Figures:
    """2,000 evaluations of each kind (quick: 100)."""
    times = 100 if quick else 2_000
    kinds = [
        jobs(times),
        percentile_jobs(min(times, 400)),
        _bias_jobs(times),
        _test_jobs(times),
        _power_jobs(times),
    ]
    cells, percentile, bias, tests, powers = _side_by_side(kinds)
    return {
        "evaluations": times,
        "cells": cells,
        **_coverage(cells, times if quick else None),
        "percentile_bootstrap": percentile,
        "pass_hat_bias": bias,
        "pass_hat_unbiased": all(found["within_3_errors"] for found in bias),
        "tests": tests,
        **_false_positives(tests, times),
        "power": powers,
    }


def _side_by_side(kinds: Sequence[Sequence[Callable[[], Figures]]]) -> list[list[Figures]]:
    """What the jobs of each kind find, in their order, on all processors."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        waiting = [[pool.submit(job) for job in kind] for kind in kinds]
        return [[future.result() for future in kind] for kind in waiting]


def _coverage(cells: Sequence[Figures], few: int | None) -> Figures:
    # What simulation itself may be off by: two standard errors of a share of 95 %.
    slack = 2 * math.sqrt(0.95 * 0.05 / few) if few else 0.0
    counted = [cell for cell in cells if not cell["sparse"]]
    under = [cell for cell in cells if cell["coverage"] < LOW - slack]
    over = [cell for cell in counted if cell["coverage"] > HIGH + slack]
    return {
        "coverage_least": min(cell["coverage"] for cell in cells),
        "coverage_most": max(cell["coverage"] for cell in counted),
        "coverage_mean": round(sum(cell["coverage"] for cell in counted) / len(counted), 4),
        "within_93_97": sum(LOW <= cell["coverage"] <= HIGH for cell in cells),
        "sparse_above_97": sum(cell["sparse"] and cell["coverage"] > HIGH for cell in cells),
        "of": len(cells),
        "outside": [*under, *over],
    }


def _false_positives(tests: Sequence[Figures], times: int) -> Figures:
    names = {found["test"] for found in tests}
    shares = {
        name: round(float(np.mean([f["false_positives"] for f in tests if f["test"] == name])), 4)
        for name in sorted(names)
    }
    slack = 3 * math.sqrt(LEVEL * (1 - LEVEL) / times)
    most = max(found["false_positives"] for found in tests)
    return {
        "false_positives": shares,
        "false_positives_most": most,
        "false_positives_within_5_percent": max(shares.values()) <= LEVEL and most <= LEVEL + slack,
    }


def _bias_jobs(times: int) -> list[Callable[[], Figures]]:
    designs = [Design(30, SIZES[30], 4, rate) for rate in RATES]
    return [partial(_bias, design, k, times) for design in designs for k in (2, 3, 4)]


def _bias(design: Design, k: int, times: int) -> Figures:
    """The mean error of pass^k, with its standard error."""
    truth = design.all_succeed(k)
    errors = [
        pass_hat(design.draw(key=f"bias/{design}/{number}")[0], k).value - truth for number in range(times)
    ]
    error = float(np.std(errors, ddof=1)) / math.sqrt(times)
    bias = sum(errors) / times
    return {
        "k": k,
        "rate": design.rate,
        "truth": round(truth, 5),
        "bias": round(bias, 5),
        "standard_error": round(error, 5),
        "within_3_errors": abs(bias) <= 3 * error,
    }


def _test_jobs(times: int) -> list[Callable[[], Figures]]:
    """How often tests find a difference between programs that do not differ."""
    found: list[Callable[[], Figures]] = []
    for tasks, intents in SIZES.items():
        for rate in RATES:
            single, alike = Design(tasks, 0, 1, rate), Design(tasks, intents, 1, rate)
            several = Design(tasks, intents, 4, rate)
            found += [
                partial(_false, "McNemar", single, times, _mcnemar),
                partial(_false, "exchange", single, times, _exchange),
                partial(_false, "exchange, by intent", alike, times, _exchange),
                partial(_false, "exchange, by intent, 4 trials", several, times, _exchange),
                partial(_familywise, "any of 4, Holm", alike, times),
            ]
    return found


def _false(
    name: str, design: Design, times: int, test: Callable[[Design, Results, Results], float]
) -> Figures:
    hits = 0
    for number in range(times):
        ours, theirs = design.draw(design.rate, design.rate, key=f"null/{design}/{number}")
        hits += test(design, ours, theirs) <= LEVEL
    return _found(name, design, hits / times)


def _familywise(name: str, design: Design, times: int) -> Figures:
    hits = 0
    for number in range(times):
        first, *others = design.draw(*[design.rate] * 5, key=f"family/{design}/{number}")
        hits += min(holm([_exchange(design, other, first) for other in others])) <= LEVEL
    return _found(name, design, hits / times)


def _found(name: str, design: Design, share: float) -> Figures:
    return {"test": name, "tasks": design.tasks, "rate": design.rate, "false_positives": round(share, 4)}


def _mcnemar(design: Design, ours: Results, theirs: Results) -> float:
    return mcnemar([ours[task][0] == 1 for task in ours], [theirs[task][0] == 1 for task in ours]).p


def _exchange(design: Design, ours: Results, theirs: Results) -> float:
    return exchange_test(differences(ours, theirs), design.alike)


def _power_jobs(times: int) -> list[Callable[[], Figures]]:
    return [
        partial(_power, Design(tasks, 0, trials, rate), times)
        for tasks in SIZES
        for rate, trials in ((0.5, 1), (0.5, 4), (0.9, 1))
    ]


def _power(design: Design, times: int) -> Figures:
    """How often the smallest difference that is promised to be found 8 times of 10 is found."""
    sign = -1 if design.rate > 0.5 else 1
    least = 0.1
    for _ in range(4):  # how much programs differ depends on how far apart they are
        other = design.rate + sign * least
        differing, noise = discordance(design, other), _noise(design, other)
        least = smallest_difference(design.tasks, _always(differing), trials=design.trials, noise=noise)
    other = design.rate + sign * least
    hits = 0
    for number in range(times):
        ours, theirs = design.draw(other, design.rate, key=f"power/{design}/{number}")
        hits += exchange_test(differences(ours, theirs)) <= LEVEL
    promised = power(design.tasks, least, differing, trials=design.trials, noise=noise)
    return {
        "tasks": design.tasks,
        "trials": design.trials,
        "rate": design.rate,
        "discordance": round(differing, 3),
        "noise": round(noise, 3),
        "points": round(100 * least, 1),
        "promised": round(promised, 3),
        "found": round(hits / times, 3),
    }


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


def _noise(design: Design, other: float) -> float:
    """What part of single differences is chance: two attempts of one program differ as well."""
    within = []
    for rate in (design.rate, other):
        (table,) = Design(40_000, 0, 2, rate, task=design.task).attempts(key=f"noise/{rate}")
        within.append(float((table[:, 0] != table[:, 1]).mean()))
    return min(1.0, sum(within) / 2 / discordance(design, other))
