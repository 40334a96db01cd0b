from __future__ import annotations

import itertools
import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evals.statistics import (
    NOTHING,
    holm,
    mcnemar,
    mean,
    mean_of,
    paired_difference,
    pass_at,
    pass_at_k,
    pass_hat,
    pass_hat_k,
    quantile,
    wilson,
)

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
BITS = st.lists(st.booleans(), min_size=1, max_size=40)


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
    for interval in (
        wilson(0, 0),
        mean({}),
        paired_difference({}, {}),
        paired_difference({1: [1]}, {2: [1]}),
    ):
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
    assert value == mean(clusters)


def test_seeds_repeat_and_differ() -> None:
    clusters = {task: [math.sin(task), math.cos(task)] for task in range(30)}

    assert mean(clusters, seed=1) == mean(clusters, seed=1)
    assert mean(clusters, seed=1) != mean(clusters, seed=2)


@given(BITS, st.data())
def test_a_difference_changes_sign_with_its_direction(ours: list[bool], data: st.DataObject) -> None:
    theirs = data.draw(st.lists(st.booleans(), min_size=len(ours), max_size=len(ours)))
    a = {i: [float(v)] for i, v in enumerate(ours)}
    b = {i: [float(v)] for i, v in enumerate(theirs)}
    forth, back = paired_difference(a, b), paired_difference(b, a)

    assert forth.value == pytest.approx(-back.value)
    assert forth.low == pytest.approx(-back.high)
    assert forth.low <= forth.value <= forth.high


def test_identical_results_are_no_proof_of_equality() -> None:
    same = {task: [float(task % 2)] for task in range(20)}
    interval = paired_difference(same, same)

    assert interval.value == 0
    assert -0.2 < interval.low < -0.1
    assert not interval.excludes_zero


def test_pairing_sees_what_separate_intervals_hide() -> None:
    ours = {task: [float(task < 60)] for task in range(100)}
    theirs = {task: [float(task < 50)] for task in range(100)}

    assert paired_difference(ours, theirs).excludes_zero
    assert mean(ours).low < mean(theirs).high


def test_the_paired_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    from tools.seeding import rng

    covered = 0
    for study in range(100):
        dice = rng(study, "coverage")
        ours, theirs = {}, {}
        for task in range(60):
            hard = dice.random()
            ours[task] = [float(dice.random() < 0.2 + 0.7 * hard)]
            theirs[task] = [float(dice.random() < 0.1 + 0.7 * hard)]
        interval = paired_difference(ours, theirs, seed=study)
        covered += interval.low <= 0.1 <= interval.high

    assert 89 <= covered <= 99


def _brute_force_mcnemar(a: int, b: int) -> float:
    """Probability of a split at least as unlikely, from all coin sequences."""
    outcomes = [sum(flips) for flips in itertools.product((0, 1), repeat=a + b)]
    extreme = [k for k in outcomes if abs(2 * k - a - b) >= abs(a - b)]
    return len(extreme) / len(outcomes)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 5))
def test_mcnemar_is_the_exact_binomial_test(a: int, b: int, ties: int) -> None:
    ours = [True] * a + [False] * b + [True] * ties
    theirs = [False] * a + [True] * b + [True] * ties
    result = mcnemar(ours, theirs)

    assert (result.only_ours, result.only_theirs) == (a, b)
    assert result.p == pytest.approx(_brute_force_mcnemar(a, b) if a + b else 1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_only_raises_p_and_keeps_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)

    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert [q for _, q in pairs] == sorted(adjusted)
    assert min(adjusted) == pytest.approx(min(1.0, min(p_values) * len(p_values)))


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
    parts = [wilson(1, 2), wilson(80, 100), NOTHING]
    whole = mean_of(parts)

    assert whole.value == pytest.approx((0.5 + 0.8) / 2)
    assert whole.n == 102
    assert 0 < whole.low < whole.value < whole.high < 1
    assert mean_of([NOTHING]) is NOTHING
    # One part is that part; and nine in which nothing succeeded leave a doubt.
    assert mean_of(parts[:1]) == pytest.approx(parts[0])
    assert 0.01 < mean_of([wilson(0, 20)] * 9).high < wilson(0, 20).high


def test_the_interval_of_a_mean_of_parts_covers_the_truth() -> None:
    random = Random(5)
    chances = [0.02, 0.1, 0.3, 0.5, 0.5, 0.7, 0.9, 0.95, 1.0]
    truth, hits, tries = sum(chances) / len(chances), 0, 1000
    for _ in range(tries):
        found = mean_of([wilson(sum(random.random() < p for _ in range(15)), 15) for p in chances])
        hits += found.low <= truth <= found.high

    assert 0.93 <= hits / tries <= 0.985


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0, 1))
def test_quantiles_lie_within_the_values(values: list[float], share: float) -> None:
    assume(all(math.isfinite(value) for value in values))

    assert min(values) - 1e-6 <= quantile(values, share) <= max(values) + 1e-6
    assert quantile(values, 0.0) == min(values)
