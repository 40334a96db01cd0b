"""On a generated suite: everything can be got right, and guessing gets little."""

from __future__ import annotations

import pytest

from tests.evals.kinds.crm.orgs import small_suite
from worksmith.evals.kinds.crm.scorer import CrmScorer
from worksmith.evals.running.baseline_program import BaselineProgram, baselines_for
from worksmith.evals.running.result import EvalResult
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.evals.task_kind import scorers_for
from worksmith.tools.seeding import digest

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


def test_guessers_know_the_train_split_only(suite: Suite) -> None:
    train = suite.select(split="train")
    learnt = BaselineProgram("most_frequent", suite.env, train)

    assert {task.split for task in train} == {"train"}
    assert learnt.digest == f"baseline/most_frequent/{digest([task.digest for task in train])}"


def test_the_kind_has_a_scorer_and_baselines_of_its_own(suite: Suite) -> None:
    scorer, *_ = scorers_for(suite.env)

    assert isinstance(scorer, CrmScorer)
    assert baselines_for(suite.env) == ("always_none", "most_frequent", "keyword_only", "oracle")
