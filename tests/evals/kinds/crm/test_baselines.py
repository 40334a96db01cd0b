"""Guessers that open no record, and the ceiling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.evals.kinds.crm import small_org as org
from tests.evals.kinds.crm.small_org import AGENT, OTHER, TASKS
from worksmith.evals.kinds.crm.baselines import BASELINES
from worksmith.evals.kinds.crm.scorer import CrmScorer
from worksmith.evals.running.baseline_program import BaselineProgram, baselines_for
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.task_kind import TASK_KINDS, TaskKind
from worksmith.evals.tasks.task import Task
from worksmith.tools.environment import Environment

TRAIN = [
    org.task("case_routing", AGENT, "The shirt is too small.", number=1),
    org.task("case_routing", AGENT, "The shoes are too wide.", number=2),
    org.task("case_routing", OTHER, "The refund has not come, and I want my money.", number=3),
    org.task("transfer_count", None, "In the past two weeks?", number=1),
    org.task("transfer_count", None, "In the past three weeks?", number=2),
    org.task("transfer_count", OTHER, "In the past two years?", number=3),
]
ROUTED = org.task("case_routing", OTHER, "My money, please: where is my refund?", number=9)
YEARS = org.task("transfer_count", OTHER, "In the past five years?", number=9)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    own = TaskKind(name=org.KIND.name, baselines=lambda: BASELINES)
    monkeypatch.setitem(TASK_KINDS._loaded, own.name, own)
    return org.env(tmp_path)


def answer(name: str, task: Task, shop: Environment, **more: Any) -> str:
    episode = BaselineProgram(name, shop, **more)(task).episode
    assert name == "oracle" or not episode.calls
    return str(episode.answer)


def test_there_are_three_guessers_and_a_ceiling(shop: Environment) -> None:
    assert baselines_for(shop) == ("always_none", "most_frequent", "keyword_only", "oracle")
    assert set(BASELINES) == set(baselines_for(shop))
    assert baselines_for(shop, learning=False) == ("always_none", "oracle")


def test_the_oracle_solves_everything_and_looks_it_up(shop: Environment) -> None:
    result = evaluate(
        BaselineProgram("oracle", shop), TASKS, EvalSettings(env=shop, workers=1, scorers=[CrmScorer(shop)])
    )

    assert result.summary.scores["outcome"].value == result.summary.scores["reward"].value == 1
    # The plan of the question about refunds shows the number alone.
    assert result.summary.scores["supported"].value == pytest.approx(8 / 9)


def test_the_most_frequent_answer_is_that_of_the_kind(shop: Environment) -> None:
    assert answer("most_frequent", ROUTED, shop, train=TRAIN) == AGENT
    assert answer("most_frequent", YEARS, shop, train=TRAIN) == "None"
    assert answer("most_frequent", TASKS[8], shop, train=TRAIN) == "None"
    assert answer("most_frequent", ROUTED, shop) == "None"


def test_words_tell_the_answer_where_they_go_together(shop: Environment) -> None:
    assert answer("keyword_only", ROUTED, shop, train=TRAIN) == OTHER
    assert answer("keyword_only", YEARS, shop, train=TRAIN) == OTHER
    assert answer("keyword_only", TASKS[0], shop, train=TRAIN) == AGENT
    assert answer("keyword_only", ROUTED, shop) == "None"


def test_nothing_is_always_an_answer(shop: Environment) -> None:
    assert {answer("always_none", task, shop) for task in TASKS} == {"None"}


def test_what_a_guesser_learnt_from_is_part_of_its_identity(shop: Environment) -> None:
    assert (
        BaselineProgram("most_frequent", shop, TRAIN).digest
        != BaselineProgram("most_frequent", shop, TRAIN[:2]).digest
    )
    assert BaselineProgram("oracle", shop, TRAIN).digest == BaselineProgram("oracle", shop).digest
