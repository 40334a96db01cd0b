from __future__ import annotations

import math
from random import Random

import pytest

from worksmith.optimizers.racing.power import Field, race_intents_needed, race_power, smallest_race_difference
from worksmith.optimizers.racing.race import race_over
from worksmith.optimizers.racing.rules import Rules


def differing(size: float) -> float:
    return max(size, 0.25)


@pytest.mark.slow
def test_it_is_the_share_of_races_that_find_the_better_candidate() -> None:
    field, random, found = Field(30, 3), Random(1), 0
    for _ in range(200):
        plain = [[random.random() < 0.5 for _ in range(3)] for _ in range(30)]
        # The candidate wins half of what the incumbent fails and loses a tenth of what it solves.
        table = [
            [[float(task), float(random.random() < (0.9 if task else 0.5))] for task in intent]
            for intent in plain
        ]
        found += race_over(table, Rules()).winner == "1"

    assert race_power(field, 0.2, 0.3) == pytest.approx(found / 200, abs=0.07)
    assert race_power(Field(138), 0.15, 0.3) == pytest.approx(0.9, abs=0.04)


@pytest.mark.slow
def test_who_may_leave_early_is_found_less_often() -> None:
    patient, hasty = (race_power(Field(200, margin=margin), 0.12, 0.3) for margin in (0.02, 0.3))
    assert hasty < patient - 0.1


@pytest.mark.slow
def test_more_intents_show_more_and_as_many_tasks_of_the_same_do_less() -> None:
    few, more, longer = (
        race_power(Field(*size, alike=alike), 0.15, 0.25)
        for size, alike in (((30, 2), 1.2), ((120, 2), 1.2), ((30, 8), 2.4))
    )

    assert few < longer < more


@pytest.mark.slow
def test_more_candidates_and_tasks_that_are_alike_show_less() -> None:
    alone = race_power(Field(69, 2), 0.15, 0.3)

    assert race_power(Field(69, 2, candidates=4), 0.15, 0.3) < alone
    assert race_power(Field(69, 2, alike=1.8), 0.15, 0.3) < alone
    assert race_power(Field(69, 2, adaptive=True), 0.15, 0.3) < alone


def test_too_few_intents_show_nothing() -> None:
    assert race_power(Field(4, 20), 1.0, 1.0) == race_power(Field(5, 20, adaptive=True), 1.0, 1.0) == 0
    assert math.isnan(smallest_race_difference(Field(4, 20), differing))


@pytest.mark.slow
def test_a_program_that_is_no_better_is_seldom_accepted() -> None:
    for field in (Field(10, 10, alike=9.0), Field(69, 2, alike=2.0), Field(138, 1)):
        assert race_power(field, 0.0, 0.5) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.slow
def test_the_intents_that_are_needed_are_enough() -> None:
    field = Field(0, 2)
    intents = race_intents_needed(field, 0.15, 0.3)

    assert race_power(field._replace(intents=intents), 0.15, 0.3) >= 0.8
    assert race_power(field._replace(intents=intents * 3 // 4), 0.15, 0.3) < 0.8


def test_the_same_question_has_the_same_answer() -> None:
    assert race_power(Field(30, 3), 0.2, 0.3) == race_power(Field(30, 3), 0.2, 0.3)


def test_what_no_number_of_intents_shows_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.optimizers.racing.power._MOST_INTENTS", 200)
    with pytest.raises(ValueError, match="not even 200 intents"):
        race_intents_needed(Field(0), 0.0001, 0.5)
