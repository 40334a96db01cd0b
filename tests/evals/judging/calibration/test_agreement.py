"""Agreement, beside values that are known."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.judging.calibration.agreement import (
    clustered,
    confusion,
    kappa_of,
    spearman,
    spearman_of,
)

LEVELS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


def kappa(ours: Sequence[int], theirs: Sequence[int]) -> float:
    return kappa_of(confusion(ours, theirs))


def test_kappa_of_a_small_table_by_hand() -> None:
    # Squared distances 0 + 1 + 0 + 1 seen; by chance (1/4)(sum over all pairs) = 6: 1 - 2/6.
    ours, theirs = [1, 1, 3, 3], [1, 2, 3, 2]
    chance = sum((a - b) ** 2 for a in ours for b in theirs) / 4
    assert kappa(ours, theirs) == pytest.approx(1 - 2 / chance)


def test_kappa_of_judges_that_say_nothing() -> None:
    levels = [1, 2, 3, 4, 5]
    assert kappa(levels, levels) == pytest.approx(1)
    assert kappa(levels[::-1], levels) == pytest.approx(-1)
    assert kappa([5] * 5, levels) == pytest.approx(0)
    assert math.isnan(kappa([5] * 5, [5] * 5))


@pytest.mark.slow
def test_spearman_has_the_mean_rank_for_ties() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 30, 25]) == pytest.approx(0.8)
    assert spearman([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert math.isnan(spearman([5, 5], [1, 2]))


@given(LEVELS)
def test_agreement_is_symmetric_and_bounded(pairs: list[tuple[int, int]]) -> None:
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    for measure in (kappa, spearman):
        value, turned = measure(ours, theirs), measure(theirs, ours)
        assert (math.isnan(value) and math.isnan(turned)) or value == pytest.approx(turned)
        assert math.isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9
    assert spearman_of(confusion(ours, theirs)) == pytest.approx(spearman(ours, theirs), nan_ok=True)


def test_rows_of_the_confusion_are_labels() -> None:
    table = confusion([5, 1], [1, 1])
    assert table[0].tolist() == [1, 0, 0, 0, 1]
    assert table.sum() == 2


def test_intervals_draw_whole_groups() -> None:
    draw = random.Random(1)
    theirs = [draw.randint(1, 5) for _ in range(60)]
    ours = [min(5, max(1, level + draw.choice((-1, 0, 0, 1)))) for level in theirs]
    alone = clustered(kappa_of, ours, theirs, range(60))
    # The same cases six times over are no more evidence than they are once.
    groups = [place % 60 for place in range(360)]
    copied = clustered(kappa_of, ours * 6, theirs * 6, groups)
    assert alone.low < alone.value < alone.high
    assert copied.value == pytest.approx(alone.value)
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.3)
