"""The benchmark of models keeps its cells, and its page says what they say."""

from __future__ import annotations

import json
from pathlib import Path

import dspy
import pytest

from benchmarks import models
from benchmarks.models import page
from benchmarks.models.cells import ARMS
from benchmarks.models.suites import SUITES
from benchmarks.quality import replies, surfaces
from benchmarks.support.page import PAGE
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dspy, "cache", dspy.cache)  # put back: the benchmark reads no cached replies


def test_the_page_is_made_from_the_cells_and_replies() -> None:
    text = PAGE.read_text()

    assert page.with_tables(text, page.finished()) == text
    assert replies.with_tables(text, replies.kept()) == text
    assert surfaces.with_table(text, surfaces.kept()) == text


def test_a_finished_cell_is_not_measured_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = models.run(True, lm="gold", work=tmp_path, attack=True)
    first = capsys.readouterr().err

    assert models.run(True, lm="gold", work=tmp_path, attack=True) == found
    assert ("helpdesk/knn/gold" in first, "helpdesk/knn/gold" in capsys.readouterr().err) == (True, False)
    assert {arm: each["outcome"]["value"] for arm, each in found["suites"]["helpdesk"].items()} == {
        "uncompiled": 1.0,
        "uncompiled under attack": 1.0,
        "knn": 1.0,
        "knn under attack": 1.0,
    }
    cells = [json.loads(file.read_text()) for file in tmp_path.glob("*/result.json")]
    assert "| `gold` | helpdesk | knn | 2 | 0.0 [0.0, 65.8] | 2 of 2 |" in page.with_tables(
        PAGE.read_text(), [cell for cell in cells if "arm" in cell]
    )


def test_a_plan_has_every_cell_and_a_wrong_name_is_told(tmp_path: Path) -> None:
    planned = models.run(False, lm="gold", work=tmp_path, plan=True)

    there = len(SUITES) - len(planned["skipped"])
    assert len(planned["cells"]) == there * (1 + len(ARMS))
    with pytest.raises(InputError, match="chess"):
        models.run(False, suite="chess")


def test_every_project_over_own_data_is_as_its_optimizers_need_it(tmp_path: Path) -> None:
    for name, suite in SUITES.items():
        if suite.own:
            suite.make(tmp_path / name)
            made = Suite.open(tmp_path / name)
            intents = [{task.intent for task in made.select(split=split)} for split in ("train", "test")]
            assert intents[0] == intents[1]
            assert len(made.select(split="test")) == suite.test
