"""On a generated suite: everything can be got right, and guessing gets little."""

from __future__ import annotations

import pytest

from tests.evals.kinds.crm.orgs import small_suite
from worksmith.evals.running.baseline_program import BaselineProgram
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["clean", "faithful"])
def suite(request: pytest.FixtureRequest) -> Suite:
    return small_suite(request.param)


def run(name: str, suite: Suite) -> EvalResult:
    program = BaselineProgram(name, suite.env, suite.select(split="train"))
    return evaluate(program, suite.select(split="test"), EvalSettings(env=suite.env, workers=2))


def test_the_oracle_gets_everything_right_and_has_seen_it(suite: Suite) -> None:
    scores = run("oracle", suite).summary.scores

    assert {scores[name].value for name in ("outcome", "reward", "exact_strict", "supported")} == {1}
    assert scores["unanswerable"].value == 1
    assert scores["false_none"].value == scores["unwanted_side_effects"].value == 0


def test_guessing_gets_little_and_has_seen_nothing(suite: Suite) -> None:
    for name in ("always_none", "most_frequent", "keyword_only"):
        scores = run(name, suite).summary.scores
        assert scores["outcome"].value < 0.5
        assert scores["supported"].value == 0
