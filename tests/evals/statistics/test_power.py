from __future__ import annotations

import math

import pytest

from worksmith.evals.statistics import Interval, mcnemar
from worksmith.evals.statistics.power import discordance_of, power, seen, smallest_difference, tasks_needed
from worksmith.tools.seeding import rng


@pytest.mark.parametrize(
    ("difference", "discordance", "tasks"),
    # By hand: n = (1.96 sqrt(psi) + 0.842 sqrt(psi - d^2))^2 / d^2. An exact test needs some more.
    [(0.1, 0.2, 155), (0.1, 0.5, 390), (0.05, 0.2, 626), (0.2, 0.4, 76)],
)
def test_the_number_of_tasks_is_near_the_usual_formula(
    difference: float, discordance: float, tasks: int
) -> None:
    assert tasks <= tasks_needed(difference, discordance) <= 1.12 * tasks + 5


def test_power_is_what_simulation_finds() -> None:
    random, tasks, times = rng(0, "power"), 60, 1_500
    difference, discordance = 0.2, 0.35
    win, lose = (discordance + difference) / 2, (discordance - difference) / 2
    hits = 0
    for _ in range(times):
        drawn = [random.random() for _ in range(tasks)]
        ours = [value < win for value in drawn]
        theirs = [win <= value < win + lose for value in drawn]
        hits += mcnemar(ours, theirs).p <= 0.05

    assert hits / times == pytest.approx(power(tasks, difference, discordance), abs=0.035)


@pytest.mark.parametrize(("tasks", "discordance"), [(20, 0.5), (60, 0.1), (300, 0.3), (3_000, 0.2)])
def test_the_smallest_difference_is_found_8_times_of_10(tasks: int, discordance: float) -> None:
    least = smallest_difference(tasks, lambda _: discordance)

    assert power(tasks, least, discordance) >= 0.8
    assert power(tasks, 0.9 * least, discordance) < 0.8


def test_more_tasks_and_more_trials_see_smaller_differences() -> None:
    sizes = [smallest_difference(tasks, lambda _: 0.3) for tasks in (50, 100, 400, 5_000)]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.03
    assert smallest_difference(100, lambda _: 0.3, trials=4) < sizes[1]
    assert smallest_difference(100, lambda _: 0.3, trials=4, noise=0.0) == pytest.approx(sizes[1], abs=0.01)
    assert smallest_difference(100, lambda _: 0.3, alike=3.0) > 1.5 * sizes[1]


def test_few_tasks_show_nothing() -> None:
    assert math.isnan(smallest_difference(4, lambda size: size))
    with pytest.raises(ValueError, match="no difference"):
        tasks_needed(0, 0.2)
    with pytest.raises(ValueError, match="not even"):
        tasks_needed(0.0001, 0.5)


def test_discordance_follows_from_rates_and_agreement() -> None:
    assert discordance_of(0.5, 0.5, 0) == pytest.approx(0.5)
    assert discordance_of(0.5, 0.5, 1) == 0
    assert discordance_of(0.5, 0.7, 1) == pytest.approx(0.2, abs=0.05)
    assert discordance_of(0.0, 0.3, 0.5) == pytest.approx(0.3)


def test_what_a_comparison_could_have_seen_follows_from_its_interval() -> None:
    # Half a width of 1.96 standard errors: 2.8 of them are found 8 times of 10.
    assert seen(Interval(0.0, -0.07, 0.07, 100)) == pytest.approx(0.1, abs=0.0005)
