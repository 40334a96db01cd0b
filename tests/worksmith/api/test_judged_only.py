"""Tasks whose answer is known in words only are scored by judges, apart from those that are checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from tests.tools.kinds.enterprise.importing.small import write_small
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.records.groups import by_task
from worksmith.evals.suite import Suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return import_suite("enterprisebench", write_small(tmp_path / "files"), tmp_path / "suite")


@pytest.fixture
def talkative(suite: Suite) -> Callable[[Any], Any]:
    return lambda task: suite.env.episode(persona=task.persona).finished("About nothing much.")


def test_without_a_judge_they_are_left_out(suite: Suite, talkative: Callable[[Any], Any]) -> None:
    records = ws.evaluate(talkative, suite.examples("all"), progress=False).records
    assert [record.labels.words_only for record in records] == [False]


def test_a_judge_scores_them_in_a_column_of_their_own(suite: Suite, talkative: Callable[[Any], Any]) -> None:
    result = ws.evaluate(talkative, suite.examples("all"), judge="local/rubric", progress=False)
    by_kind = {record.labels.words_only: record.scores for record in result.records}
    assert {"outcome", "judge"} <= by_kind[False].keys()
    assert "judged" not in by_kind[False]
    assert not {"outcome", "judge"} & by_kind[True].keys()
    assert by_kind[True]["words_f1"] == 1
    assert len(by_task(result.records, "outcome_strict")) == 1
