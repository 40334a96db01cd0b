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


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("suites") / "wb"
    facts = as_json("suite", "import", "workbench", DATA, "--out", out)
    assert facts["tasks"] == 345
    return out


@pytest.fixture(scope="module")
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
def test_scoring_the_result_files_gives_the_published_verdicts(suite: Path, published: Any) -> None:
    files = sorted((DATA / "results").glob("*/*.csv"))

    found = as_json("score", suite, "--predictions", *files)

    assert verdicts(found["rows"], "file") == published


@pytest.mark.slow
def test_a_real_model_through_our_own_loop_gives_the_published_verdicts(
    suite: Path, published: Any, here: Path
) -> None:
    found = as_json("eval", suite, "--strategy", "act", "--lm", f"replay:{DATA / 'results'}", "--no-track")

    assert verdicts(found["rows"], "run") == published
    scored = as_json("score", suite, "--predictions", DATA / "results")["summary"]["by_run"]
    for run in found["runs"]:
        assert run["summary"]["errors"] == 0
        accuracy = scored[" ".join(run["run"].rsplit("-", 1))]["accuracy"]["value"]
        assert run["summary"]["scores"]["outcome"]["value"] == accuracy
