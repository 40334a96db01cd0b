"""The main job through the command line: build, run, compile, evaluate, compare, score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import invoke

CUSTOMERS = ("--where", "domain=customer_relationship_manager", "--no-track")


def as_json(*arguments: object) -> Any:
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(office: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    invoke("suite", "build", "office", "--seed", 7, "--scale", 0.5, "--per-intent", 4, "--out", twin)

    for file in sorted(office.iterdir()):
        assert (twin / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.slow
def test_another_seed_gives_other_tasks_and_the_same_counts(office: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    invoke("suite", "build", "office", "--seed", 8, "--scale", 0.5, "--per-intent", 4, "--out", other)

    one, two = as_json("suite", "info", office), as_json("suite", "info", other)

    assert one["digest"] != two["digest"]
    for name in ("rows", "tasks", "intents", "splits", "domains"):
        assert one[name] == two[name]


def test_a_suite_is_not_overwritten_by_accident(office: Path) -> None:
    result = invoke("suite", "build", "office", "--out", office)

    assert result.exit_code != 0


@pytest.mark.slow
def test_gold_plans_score_everything(office: Path, here: Path) -> None:
    found = as_json("eval", office, "--lm", "gold", "--split", "all", "--no-track")

    assert found["runs"][0]["summary"]["scores"]["outcome"]["value"] == 1.0


@pytest.mark.slow
def test_compiling_pays_and_the_file_gives_the_same_scores_again(office: Path, here: Path) -> None:
    options = ("--optimizer", "knn", "--dev-limit", 6, "--accept", "best", "--no-track")
    compiled = as_json("compile", office, *options, "--out", "knn.json")
    before = as_json("eval", office, *CUSTOMERS)
    after = as_json("eval", office, "--program", "knn.json", *CUSTOMERS)
    again = as_json("eval", office, "--program", "knn.json", *CUSTOMERS, "--workers", 1)

    assert compiled["from_gold_plans"]
    assert share(after) > share(before) + 0.2
    assert verdicts(again) == verdicts(after)
    wrong = [row["fault"] for found in (before, after) for row in found["rows"] if row["fault"]]
    assert len(wrong) > 12
    assert wrong.count("unexplained") <= len(wrong) / 20


def share(found: Any) -> float:
    return float(found["runs"][0]["summary"]["scores"]["outcome"]["value"])


def verdicts(found: Any) -> list[tuple[str, bool, bool]]:
    return [(row["task_id"], row["correct"], row["unwanted_side_effects"]) for row in found["rows"]]
