"""A card of a run from somebody else: what it names is not opened, and what it says is checked."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.worksmith.commands import called, run, shown
from worksmith.evals.records.run_card import CARD, beside
from worksmith.evals.suite import Suite
from worksmith.tools.errors import InputError


@pytest.fixture(scope="module")
def log(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a compiled program, whose file is gone."""
    folder = tmp_path_factory.mktemp("log")
    program, log = folder / "p.json", folder / "log.jsonl"
    run(suite.path, "--out", program, "--optimizer", "bootstrap", "--train-limit", 6, "--dev-limit", 3)
    shown("eval", suite.path, "--program", program, "--log", log, "--limit", 2, "--no-track")
    program.unlink()
    return log


def report(log: Path, **changed: Any) -> str:
    """The report of a run whose card says something else."""
    card = beside(log, CARD)
    said = card.read_text()
    try:
        card.write_text(json.dumps({**json.loads(said), **changed}))
        page = log.with_name("page.html")
        shown("report", log, "--out", page, "--force")
    finally:
        card.write_text(said)
    return page.read_text()


def test_a_report_tells_of_the_compile_without_the_programs_file(log: Path) -> None:
    told = report(log)

    assert "candidates on dev" in told
    assert "uncompiled" in told


def test_what_a_card_names_is_not_opened(log: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    plain = report(log, artifact="p.json")
    for place in (tmp_path / "fifo", "/dev/zero", "/dev/stdin", tmp_path / "absent"):
        assert report(log, artifact=str(place)).replace(str(place), "p.json") == plain


@each_row(
    "changed",
    [
        {"compiled": {"optimizer": "x", "trials": [{"zzz": 1}]}},
        {"compiled": {"optimizer": "x", "trials": "/dev/zero"}},
        {"compiled": 5},
        {"lm": {"api_base": "http://127.0.0.1:9"}},
        {"api_base": "http://127.0.0.1:9"},
        {"trials": "many"},
    ],
)
def test_a_malformed_card_is_bad_input(log: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"log\.card\.json: not the card of a run"):
        report(log, **changed)


def test_a_race_that_makes_no_sense_is_bad_input(log: Path) -> None:
    compiled = json.loads(beside(log, CARD).read_text())["compiled"]
    for race in ({"evidence": "x"}, {"met": "many", "left": ""}, {"met": 1, "left": "", "zzz": 1}):
        trials = [{**trial, "race": race} for trial in compiled["trials"]]
        with pytest.raises(InputError, match="not the card of a run"):
            report(log, compiled={**compiled, "trials": trials})


@pytest.mark.parametrize(
    "command", [pytest.param(("log", "--tracking-uri"), marks=pytest.mark.slow), ("judge", "run")]
)
def test_a_project_that_a_card_names_is_not_run(log: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "worksmith.toml").write_text("")
    (tmp_path / "environment.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n")
    (tmp_path / "here").mkdir()
    for file in log.parent.glob("log*"):
        shutil.copy(file, tmp_path / "here")
    copied = tmp_path / "here" / log.name
    card = beside(copied, CARD)
    card.write_text(json.dumps({**json.loads(card.read_text()), "suite": str(tmp_path)}))
    store = [f"sqlite:///{tmp_path / 'mlflow.db'}"] if command[0] == "log" else []
    try:
        said = called(*command, *store, copied).output
    except InputError as error:
        said = str(error)

    assert "whose code is not run" in said
    assert not (tmp_path / "sprung").exists()


def test_a_suite_runs_no_project_that_lies_in_it(suite: Suite, tmp_path: Path) -> None:
    shutil.copytree(suite.path, tmp_path / "suite")
    (tmp_path / "suite" / "worksmith.toml").write_text("")
    (tmp_path / "suite" / "environment.py").write_text("raise SystemExit\n")
    assert Suite.open(tmp_path / "suite").digest == suite.digest
