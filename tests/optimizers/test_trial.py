from __future__ import annotations

import math

from tests.evals.episodes import make_record, make_result
from worksmith.evals.running.result import EvalResult
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.trial import Trial, pareto_front


def trial(name: str, *outcomes: float | None) -> Trial:
    """A candidate's; None is an episode that was lost."""
    records = [
        make_record(number, status="model_error", scores={})
        if outcome is None
        else make_record(number, scores={"outcome": outcome})
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


def test_who_was_never_graded_stands_behind_who_did_nothing_right() -> None:
    lost, poor = trial("lost", None, None), trial("poor", 0, 0)

    assert math.isnan(lost.score.value)
    assert lost.rank < poor.rank
