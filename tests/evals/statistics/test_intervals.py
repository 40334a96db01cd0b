from __future__ import annotations

import itertools
import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from worksmith.evals.statistics import (
    Interval,
    macro_mean,
    mean,
    pass_at,
    pass_at_k,
    pass_hat,
    pass_hat_k,
    quantile,
    wilson,
)

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_agrees_with_the_published_table(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)

    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


@given(COUNTS)
def test_wilson_holds_its_estimate_and_mirrors(counts: tuple[int, int]) -> None:
    successes, n = counts
    interval, mirror = wilson(successes, n), wilson(n - successes, n)

    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirror.high, abs=1e-12)


@given(COUNTS)
def test_more_data_narrows_wilson(counts: tuple[int, int]) -> None:
    successes, n = counts
    few, many = wilson(successes, n), wilson(successes * 4, n * 4)

    assert many.high - many.low < few.high - few.low


def test_no_data_gives_no_estimate() -> None:
    for interval in (wilson(0, 0), mean({}), mean({"task": []}), macro_mean([]), macro_mean([{}])):
        assert math.isnan(interval.value)
        assert interval.n == 0


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="5 successes of 4"):
        wilson(5, 4)
    with pytest.raises(ValueError, match=r"pass\^4"):
        pass_hat_k(2, 3, 4)


def test_trials_of_a_task_count_as_one_unit() -> None:
    clustered = {task: [float(task % 2)] * 8 for task in range(20)}
    separate = {(task, trial): [float(task % 2)] for task in range(20) for trial in range(8)}

    assert mean(clustered).value == mean(separate).value == 0.5
    assert mean(clustered).n == 20
    assert mean(clustered).high - mean(clustered).low > 2 * (mean(separate).high - mean(separate).low)


def test_unanimous_trials_are_not_certainty() -> None:
    interval = mean({task: [1.0, 1.0] for task in range(10)})

    assert interval.value == interval.high == 1
    assert interval.low == pytest.approx(wilson(10, 10).low)


@given(st.dictionaries(st.integers(0, 30), st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1))
def test_mean_does_not_depend_on_order(clusters: dict[int, list[float]]) -> None:
    value = mean(clusters)

    assert value.low <= value.value + 1e-12
    assert value.high >= value.value - 1e-12
    assert value == mean(dict(reversed(clusters.items())))


def test_tasks_of_one_intent_count_for_less() -> None:
    alike = {task: [float(task // 10 % 2)] for task in range(100)}
    mixed = {task: [float(task % 2)] for task in range(100)}
    intents = {task: task // 10 for task in range(100)}

    def width(interval: Interval) -> float:
        return interval.high - interval.low

    assert mean(alike, intents).value == mean(mixed, intents).value == 0.5
    assert (mean(alike, intents).n, mean(alike, intents).groups) == (100, 10)
    assert width(mean(alike, intents)) > 2 * width(mean(alike))
    # As much as ten intents of which each is all right or all wrong.
    assert mean(alike, intents).low < wilson(5, 10).low
    assert mean(alike) == wilson(50, 100)
    assert mean(alike, {task: task for task in range(100)}) == wilson(50, 100)


def test_the_interval_of_a_mean_knows_the_usual_one() -> None:
    # Student's interval of ten durations, by hand: 5.5 +- 2.262 * 3.028 / sqrt(10).
    interval = mean({task: [float(task)] for task in range(1, 11)}, seed=3)

    assert interval.value == 5.5
    assert interval.low == pytest.approx(5.5 - 2.166, abs=0.25)
    assert interval.high == pytest.approx(5.5 + 2.166, abs=0.25)
    # A long tail upwards leaves more doubt above than below.
    tail = mean({task: [math.exp(task / 5)] for task in range(20)})
    assert tail.high - tail.value > 1.2 * (tail.value - tail.low)


def test_values_of_one_unit_are_bounded_by_its_number() -> None:
    assert mean({"task": [0.0, 1.0]}) == pytest.approx((0.5, *wilson(0.5, 1)[1:3], 1, 0))
    assert mean({"task": [3.0, 5.0]}) == (4.0, 4.0, 4.0, 1, 0)


def test_seeds_repeat_and_differ() -> None:
    clusters = {task: [10 + math.sin(task), math.cos(task)] for task in range(30)}

    assert mean(clusters, seed=1) == mean(clusters, seed=1)
    assert mean(clusters, seed=1) != mean(clusters, seed=2)


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.data())
def test_pass_hat_k_is_the_share_of_subsets_that_all_pass(trials: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(trials)))
    subsets = list(itertools.combinations(trials, k))

    assert pass_hat_k(sum(trials), len(trials), k) == pytest.approx(
        sum(all(subset) for subset in subsets) / len(subsets)
    )


def test_pass_hat_leaves_out_tasks_with_too_few_trials() -> None:
    clusters = {"a": [1.0, 1.0, 1.0], "b": [1.0, 0.0, 1.0], "c": [1.0]}

    assert pass_hat(clusters, 2).n == 2
    assert pass_hat(clusters, 2).value == pytest.approx((1 + 1 / 3) / 2)


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_success(trials: list[bool], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(trials)))
    subsets = list(itertools.combinations(trials, k))

    assert pass_at_k(sum(trials), len(trials), k) == pytest.approx(
        sum(any(subset) for subset in subsets) / len(subsets)
    )
    assert pass_at({"a": [float(passed) for passed in trials]}, k).value == pytest.approx(
        pass_at_k(sum(trials), len(trials), k)
    )


def test_parts_count_the_same_whatever_their_size() -> None:
    parts = [_part(1, 2), _part(80, 100), {}]
    whole = macro_mean(parts)

    assert whole.value == pytest.approx((0.5 + 0.8) / 2)
    assert whole.n == 102
    assert 0 < whole.low < whole.value < whole.high < 1
    # Half of it rests on two tasks.
    assert whole.high - whole.low > wilson(81, 102).high - wilson(81, 102).low
    # Nine parts in which nothing succeeded leave a doubt.
    assert 0.01 < macro_mean([_part(0, 20)] * 9).high < wilson(0, 20).high


def test_one_part_is_about_its_mean() -> None:
    whole, plain = macro_mean([_part(30, 100)]), wilson(30, 100)

    assert whole.value == plain.value
    assert whole.low == pytest.approx(plain.low, abs=0.01)
    assert whole.high == pytest.approx(plain.high, abs=0.01)


def test_a_mean_of_parts_knows_what_is_alike_in_them() -> None:
    parts = [{(part, task): [float(task // 10 % 2)] for task in range(60)} for part in range(3)]
    intents = {unit: (unit[0], unit[1] // 10) for part in parts for unit in part}
    alike, apart = macro_mean(parts, intents), macro_mean(parts)

    assert alike.value == apart.value == 0.5
    assert alike.groups == 18
    assert alike.high - alike.low > 2 * (apart.high - apart.low)


def _part(successes: int, of: int) -> dict[int, list[float]]:
    return {task: [float(task < successes)] for task in range(of)}


def test_the_interval_of_a_mean_of_parts_covers_the_truth() -> None:
    random = Random(5)
    chances = [0.02, 0.1, 0.3, 0.5, 0.5, 0.7, 0.9, 0.95, 1.0]
    truth, hits, tries = sum(chances) / len(chances), 0, 1000
    for _ in range(tries):
        found = macro_mean([_part(sum(random.random() < p for _ in range(15)), 15) for p in chances])
        hits += found.low <= truth <= found.high

    assert 0.93 <= hits / tries <= 0.985


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 1))
def test_quantiles_lie_within_the_values(values: list[float], share: float) -> None:
    assume(all(math.isfinite(value) for value in values))

    assert min(values) - 1e-6 <= quantile(values, share) <= max(values) + 1e-6
    assert quantile(values, 0.0) == min(values)
