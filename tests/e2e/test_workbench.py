"""The published system's own files through the command line. Skipped where they are not at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_office import as_json

DATA = Path(__file__).parents[2] / "../shared/data/workbench"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the published files in ../shared/data/workbench"
)


@pytest.fixture
def published() -> dict[tuple[str, str], tuple[bool, bool]]:
    lines = (DATA / "reference_verdicts.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return {(row["mode"], row["query"]): (row["correct"], row["unwanted_side_effects"]) for row in rows}


def verdicts(rows: list[Any], mode: str) -> dict[tuple[str, str], tuple[bool, bool]]:
    return {
        (row[mode].split("-")[-1] if mode == "run" else _mode(row[mode]), row["query"]): (
            row["correct"],
            row["unwanted_side_effects"],
        )
        for row in rows
    }


def _mode(file: str) -> str:
    return "domains" if "_domains_" in file else "all"


@pytest.mark.slow
def test_scoring_and_our_own_loop_give_the_published_verdicts(published: Any, here: Path) -> None:
    suite = here / "wb"
    assert as_json("suite", "import", "workbench", DATA, "--out", suite)["tasks"] == 345
    scoring = as_json("score", suite, "--predictions", DATA / "results")
    assert verdicts(scoring["rows"], "file") == published

    found = as_json("eval", suite, "--strategy", "act", "--lm", f"replay:{DATA / 'results'}", "--no-track")

    assert verdicts(found["rows"], "run") == published
    scored = scoring["summary"]["by_run"]
    for run in found["runs"]:
        assert run["summary"]["errors"] == 0
        accuracy = scored[" ".join(run["run"].rsplit("-", 1))]["accuracy"]["value"]
        assert run["summary"]["scores"]["outcome"]["value"] == accuracy
