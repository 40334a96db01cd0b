from __future__ import annotations

import math
from random import Random

import pytest

from worksmith.evals.statistics.optimism import corrected_maximum


def coins(random: Random, tasks: int, chance: float = 0.5) -> dict[int, float]:
    return {task: float(random.random() < chance) for task in range(tasks)}


def mean(scores: dict[int, float]) -> float:
    return sum(scores.values()) / len(scores)


def test_the_best_of_equal_programs_is_worth_what_they_all_are() -> None:
    best, corrected = [], []
    for seed in range(40):
        random = Random(seed)
        programs = [coins(random, 40) for _ in range(8)]
        best.append(max(map(mean, programs)))
        corrected.append(corrected_maximum(programs, {task: task for task in range(40)}, seed=seed))

    assert sum(best) / 40 > 0.58
    assert sum(corrected) / 40 == pytest.approx(0.5, abs=0.03)


def test_a_program_that_stands_out_is_worth_nearly_what_it_scored() -> None:
    random = Random(0)
    programs = [coins(random, 200, chance) for chance in (0.2, 0.3, 0.9)]

    assert corrected_maximum(programs, {task: task for task in range(200)}) == pytest.approx(
        mean(programs[2]), abs=0.01
    )


def test_what_is_new_is_a_whole_intent() -> None:
    """Two programs share the intents between them: on the others each is worth nothing."""
    groups = {task: task // 10 for task in range(40)}
    programs = [{task: float(groups[task] % 2 == number) for task in groups} for number in range(2)]

    assert corrected_maximum(programs, groups) < 0.4
    assert corrected_maximum(programs, {task: task for task in groups}) > corrected_maximum(programs, groups)


def test_one_group_says_nothing() -> None:
    assert math.isnan(corrected_maximum([{0: 1.0, 1: 0.0}], {0: "a", 1: "a"}))
