"""What the benchmark of compiling counts, and when it says that a score was reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks._metered import MeteredEngine
from benchmarks.compile import Side, Stage, compared
from tests.optimizers.shop import Clerk, lm, make_context
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.optimizers.search.race import Race

VERBS = ("Cancel", "Rename", "Shift")


def side(*stages: tuple[int, float]) -> Side:
    """A compile that would have returned a program with the score from so many calls on."""
    return Side(
        tuple(Stage(f"at {calls}", calls, calls / 10, {"a": score, "b": score}) for calls, score in stages), 0
    )


def test_a_score_is_reached_where_it_is_not_lost_again() -> None:
    found = side((10, 0.5), (20, 0.3), (30, 0.4), (40, 0.6))

    assert [stage.calls for stage in (found.reached(0.4), found.reached(0.5)) if stage] == [30, 40]
    assert found.reached(0.2) == found.stages[0]
    assert found.reached(0.7) is None


def test_ratios_are_those_of_reaching_and_of_the_whole_run() -> None:
    reaching, missing = side((10, 0.5), (50, 0.8)), side((20, 0.1), (60, 0.2))
    found = compared([reaching, missing], [side((100, 0.5)), side((100, 0.5))])

    assert found["reached"] == 1
    assert [seed["calls_ratio"] for seed in found["seeds"]] == [0.1, 0.6]
    assert (found["calls_ratio"], found["whole_calls_ratio"], found["whole_wall_ratio"]) == (0.35, 0.55, 0.55)
    assert [seed["score_difference"]["value"] > 0 for seed in found["seeds"]] == [True, False]


@pytest.mark.slow
def test_calls_are_counted_as_they_arrive_and_as_a_compile_says(suite: Suite, tmp_path: Path) -> None:
    student, teacher = (MeteredEngine.around(model) for model in (lm(), lm(*VERBS)))
    work = make_context(suite, tmp_path, teacher=teacher, student=student, demos=3, workers=4)
    compiled = Race().search(work)

    arrived = student.engine.calls + teacher.engine.calls
    assert arrived == work.student.cost.model_calls + work.teacher.cost.model_calls
    assert 0 < compiled.path[-1].model_calls <= arrived


def test_the_same_replies_are_spoiled_whoever_asks(suite: Suite, tmp_path: Path) -> None:
    tasks = suite.select(split="dev")
    scores = [
        [
            record.scores
            for record in evaluate(
                Clerk(suite.env),
                tasks,
                EvalSettings(
                    env=suite.env, lm=MeteredEngine.around(lm(*VERBS), spoiled=0.2), workers=workers
                ),
            ).records
        ]
        for workers in (1, 8)
    ]

    assert scores[0] == scores[1]
    assert 0 < sum(score["outcome"] for score in scores[0]) < len(tasks)
