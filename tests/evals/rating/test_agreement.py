from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worksmith.evals.rating.agreement import agreement, ordinal_alpha
from worksmith.evals.rating.ratings import Rating
from worksmith.evals.rating.scales import scales

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section E: four observers, twelve units;
# 0 where somebody did not rate. Published for ordered values: 0.815.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]
PUBLISHED = [[level for level in unit if level] for unit in zip(*OBSERVERS, strict=True)]


def test_alpha_is_the_published_one() -> None:
    alpha = ordinal_alpha(PUBLISHED)
    assert alpha.value == pytest.approx(0.815, abs=0.0005)
    assert alpha.low < alpha.value < alpha.high <= 1
    assert alpha.n == 11


def test_what_only_one_has_rated_or_all_rate_alike_says_nothing() -> None:
    assert math.isnan(ordinal_alpha([]).value)
    assert math.isnan(ordinal_alpha([[3], [4]]).value)
    assert math.isnan(ordinal_alpha([[3, 3], [3, 3]]).value)


@settings(max_examples=8)  # each draws a thousand samples
@given(st.lists(st.integers(1, 5), min_size=2, max_size=8).filter(lambda levels: len(set(levels)) > 1))
def test_who_always_agrees_agrees_perfectly(levels: list[int]) -> None:
    assert ordinal_alpha([[level, level] for level in levels]).value == pytest.approx(1)


def rated(rater: str, key: str, task: str, scale: str, level: int) -> Rating:
    return Rating(key=key, task_id=task, rater=rater, scale=scale, level=level)


def test_realism_is_about_the_task_in_whichever_episode_it_was_shown() -> None:
    ratings = [
        rated("ann", "of react", "t1", "realism", 4),
        rated("bob", "of plan", "t1", "realism", 4),
        rated("ann", "of react", "t2", "realism", 1),
        rated("bob", "of react", "t2", "realism", 1),
        rated("ann", "of react", "t1", "correctness", 5),
        rated("bob", "of plan", "t1", "correctness", 1),
    ]
    of_tasks = agreement(scales()["realism"], ratings)
    assert of_tasks.alpha.value == pytest.approx(1)
    assert of_tasks.alpha.n == 2
    assert (of_tasks.raters, of_tasks.ratings, of_tasks.mean) == (2, 4, 2.5)
    assert agreement(scales()["correctness"], ratings).alpha.n == 0
