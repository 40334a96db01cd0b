from __future__ import annotations

import math
from typing import Any

import pytest

from tests.evals.episodes import make_task
from worksmith.evals.scoring.objective import ObjectiveScorer
from worksmith.evals.scoring.scorer import scores_of
from worksmith.tools.errors import InputError

EPISODE: Any = None


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan, math.inf])
def test_scores_by_which_programs_are_compared_lie_between_0_and_1(value: float) -> None:
    def scorer(task: Any, episode: Any) -> dict[str, float]:
        return {"outcome": 1.0, "profit": value}

    assert scores_of([scorer], make_task(1), EPISODE)["outcome"] == 1
    with pytest.raises(InputError, match=r"'profit' of .* lies between 0 and 1"):
        ObjectiveScorer([scorer], "profit")(make_task(1), EPISODE)
    with pytest.raises(InputError, match="'outcome' of"):
        scores_of([lambda task, episode: {"outcome": value}], make_task(1), EPISODE)
