"""The enterprise through the command line: build, ask who may do what, compile, evaluate, compare."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import standin
from tests.e2e.conftest import invoke

pytestmark = pytest.mark.slow


def as_json(*arguments: object) -> Any:
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def by_label(found: Any) -> dict[str, Any]:
    return {row["label"]: row for row in found["rows"]}


def test_gold_plans_score_everything_under_the_index(enterprise: Path, here: Path) -> None:
    found = as_json("eval", enterprise, "--lm", "gold", "--split", "all", "--no-track")
    scores = found["runs"][0]["summary"]["scores"]
    assert scores["outcome"]["value"] == 1.0
    assert scores["retrieval_recall"]["value"] == 1.0


def test_tasks_made_under_other_rules_are_pointed_out(enterprise: Path, here: Path) -> None:
    suite = here / "edited"
    shutil.copytree(enterprise, suite)
    run = ("eval", suite, "--lm", "gold", "--limit", 1, "--no-track")
    assert "access rules" not in invoke(*run).stderr

    rules = json.loads((suite / "policy.json").read_text())
    del rules["sources"]["mail"]["rules"][0]
    (suite / "policy.json").write_text(json.dumps(rules))
    assert "the access rules are not those that the tasks were made under" in invoke(*run).stderr


def test_compiling_gains_and_baselines_stand_beside(enterprise: Path, here: Path) -> None:
    programs = ("--strategies", "react", "--optimizers", "none,knn")
    found = as_json("compare", enterprise, *programs, "--limit", 60, "--no-track")
    rows = by_label(found)
    score = {label: row["scores"]["outcome"]["value"] for label, row in rows.items()}
    assert score["oracle"] == 1.0
    assert max(score["always_refuse"], score["keyword_only"]) <= 0.15
    assert score["react + knn"] > score["react"]
    assert rows["oracle"]["rates"]["leak"]["count"] == 0


def test_several_models_stand_below_each_other(enterprise: Path, here: Path) -> None:
    options = ["--strategies", "react,direct", "--optimizers", "none", "--limit", 4, "--no-track"]
    options += ["--lm", f"gold,{standin.NAME}"]
    result = invoke("compare", enterprise, *options, "--verbose")
    assert result.exit_code == 0, result.output
    assert "Outcome by model and strategy" in result.stdout
    rows = by_label(as_json("compare", enterprise, *options, "--resume"))
    assert rows["react, gold"]["scores"]["outcome"]["value"] == 1.0
    assert rows[f"react, {standin.NAME}"]["scores"]["outcome"]["value"] < 1.0
