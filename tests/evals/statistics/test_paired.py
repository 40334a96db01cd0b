from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.statistics import differences, exchange_test, holm, mcnemar, mean, paired_difference
from worksmith.tools.seeding import rng

BITS = st.lists(st.booleans(), min_size=1, max_size=40)


def test_no_common_units_give_no_difference() -> None:
    for interval in (paired_difference({}, {}), paired_difference({1: [1]}, {2: [1]})):
        assert math.isnan(interval.value)
        assert interval.n == 0


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
    assert interval.low <= 0 <= interval.high


def test_pairing_sees_what_separate_intervals_hide() -> None:
    ours = {task: [float(task < 60)] for task in range(100)}
    theirs = {task: [float(task < 50)] for task in range(100)}

    assert not paired_difference(ours, theirs).low <= 0 <= paired_difference(ours, theirs).high
    assert mean(ours).low < mean(theirs).high


def test_the_paired_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for study in range(100):
        dice = rng(study, "coverage")
        ours, theirs = {}, {}
        for task in range(60):
            hard = dice.random()
            ours[task] = [float(dice.random() < 0.2 + 0.7 * hard)]
            theirs[task] = [float(dice.random() < 0.1 + 0.7 * hard)]
        interval = paired_difference(ours, theirs)
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


def test_intents_on_which_programs_differ_alike_prove_less() -> None:
    ours = {task: [float(task < 60)] for task in range(100)}
    theirs = {task: [float(task < 40)] for task in range(100)}
    intents = {task: task // 20 for task in range(100)}

    assert not paired_difference(ours, theirs).low <= 0 <= paired_difference(ours, theirs).high
    assert paired_difference(ours, theirs, intents).low <= 0 <= paired_difference(ours, theirs, intents).high
    assert paired_difference(ours, theirs, intents).groups == 5


@given(st.lists(st.sampled_from([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0]), max_size=9))
def test_exchanges_are_all_gone_through(values: list[float]) -> None:
    reached = abs(sum(values))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, values, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(values))
    ]

    assert exchange_test(dict(enumerate(values))) == pytest.approx(
        sum(total >= reached - 1e-9 for total in sums) / len(sums)
    )


def test_exchanges_that_are_drawn_come_near_those_gone_through() -> None:
    random = rng(0, "exchanges")
    values = [random.uniform(-0.5, 1) for _ in range(12)]
    reached = abs(sum(values))
    exact = sum(
        abs(sum(s * v for s, v in zip(signs, values, strict=True))) >= reached
        for signs in itertools.product((-1, 1), repeat=12)
    )

    assert exchange_test(dict(enumerate(values))) == pytest.approx(exact / 2**12, abs=0.015)


def test_units_of_a_group_keep_their_sign_together() -> None:
    found = dict.fromkeys(range(12), 1.0)

    assert exchange_test(found) == pytest.approx(2 / 2**12)
    assert exchange_test(found, {task: task // 4 for task in found}) == pytest.approx(2 / 2**3)
    assert exchange_test({}) == 1


def test_differences_are_of_units_that_both_have() -> None:
    assert differences({"a": [1.0, 0.0], "b": [1.0], "c": []}, {"a": [0.0], "d": [1.0], "c": [1.0]}) == {
        "a": 0.5
    }
