from __future__ import annotations

import math
from typing import Any

from tests.evals.episodes import make_record, make_result
from worksmith.evals.running.result import EvalResult
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.trial import Pareto, Trial, pareto_front


def trial(name: str, *outcomes: float | None, **facts: Any) -> Trial:
    """A candidate's; None is an episode that was lost."""
    records = [
        make_record(number, status="model_error", scores={}, **facts)
        if outcome is None
        else make_record(number, scores={"outcome": outcome}, **facts)
        for number, outcome in enumerate(outcomes)
    ]
    result: EvalResult = make_result(records)
    return Trial.of(name, result, (), Settings())


def test_who_loses_its_failures_is_not_ahead() -> None:
    lossy, sound = trial("lossy", 1, 1, None, None), trial("sound", 1, 1, 1, 0)

    assert (lossy.score.value, sound.score.value) == (1.0, 0.75)
    assert lossy.rank.score == 0.5
    assert lossy.rank < sound.rank
    assert pareto_front([lossy, sound]) == ("sound",)


def test_nobody_is_on_the_front_beside_one_that_is_as_good_in_everything() -> None:
    trials = [
        trial("dear", 1, 1, prompt_tokens=9, seconds=1.0),
        trial("slow", 1, 1, prompt_tokens=5, seconds=3.0),
        trial("quick", 1, 0, prompt_tokens=5, seconds=0.5),
        trial("worse", 1, 0, prompt_tokens=6, seconds=0.5),
        trial("same", 1, 0, prompt_tokens=5, seconds=0.5),
        trial("left", 1, prompt_tokens=1, seconds=0.1),
    ]
    found = Pareto.of(trials)
    assert found.front == ("dear", "slow", "quick")
    assert pareto_front(trials) == ("slow",)
    assert [row["front"] for row in found.to_json()] == [True, True, True, False, False, False]
    assert "| * quick | 50.0 [9.5, 90.5] | 2 | 5 | 0.50 |" in str(found)


def test_who_was_never_graded_stands_behind_who_did_nothing_right() -> None:
    lost, poor = trial("lost", None, None), trial("poor", 0, 0)

    assert math.isnan(lost.score.value)
    assert lost.rank < poor.rank
