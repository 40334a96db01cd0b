"""What needs no model, where answers are judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evals import small_office
from tests.evals.help_desk import ALLOWED, CRUD, DENIED, NOTHING, SEARCH, TASKS
from worksmith.evals.running.baseline_program import BaselineProgram, baselines_for
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

Solve = Callable[[str], set[str]]


@pytest.fixture(scope="module")
def solved(shop: Environment) -> Solve:
    def solve(name: str) -> set[str]:
        result = evaluate(BaselineProgram(name, shop), TASKS, EvalSettings(env=shop, workers=1))
        return {record.task_id for record in result.records if record.scores["outcome"]}

    return solve


def test_the_oracle_solves_everything(solved: Solve) -> None:
    assert solved("oracle") == {task.id for task in TASKS}


def test_refusing_is_right_for_what_is_to_be_denied_only(solved: Solve) -> None:
    assert solved("always_refuse") == {DENIED.id}


def test_one_search_answers_nothing_that_takes_two(solved: Solve) -> None:
    assert not solved("keyword_only") & {SEARCH.id, CRUD.id, ALLOWED.id, DENIED.id}


def test_one_search_names_the_first_record(shop: Environment) -> None:
    task = SEARCH.model_copy(update={"query": "tickets whose issue is the projector"})
    episode = BaselineProgram("keyword_only", shop)(task).episode

    assert [call.tool for call in episode.calls] == ["tickets.read"]
    assert (episode.answer_status, episode.answer.split("; ")[0]) == ("answered", "1001")


def test_nothing_found_is_said(shop: Environment) -> None:
    task = NOTHING.model_copy(update={"query": "espresso"})

    assert BaselineProgram("keyword_only", shop)(task).episode.answer_status == "not_found"


def test_baselines_fit_the_world(shop: Environment, tmp_path: Path) -> None:
    office = small_office.env(tmp_path)

    assert baselines_for(shop) == ("always_refuse", "keyword_only", "oracle")
    assert baselines_for(office) == ("do_nothing", "keyword_only")
    for name, where in (("do_nothing", shop), ("oracle", office)):
        with pytest.raises(InputError, match="no baseline"):
            BaselineProgram(name, where)
