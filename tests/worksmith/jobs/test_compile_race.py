from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import standin
from tests.worksmith.commands import run
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_race_says_who_met_how_many_and_why_they_left(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    options = ("--optimizer", "race", "--candidates", 3, "--alpha", 0.1, "--margin", 0.2, "--demos", 6)
    said = json.loads(run(suite.path, "--out", file, *options, "--json").stdout)
    manifest = Artifact.read(file).manifest

    assert (manifest.settings["alpha"], manifest.settings["margin"]) == (0.1, 0.2)
    assert [trial["race"] for trial in said["dev"]] == [trial["race"] for trial in manifest.trials]
    for trial in manifest.trials[1:]:
        assert trial["race"].keys() == {"met", "left", "accepted", "evidence", "needed", "intents"}
        assert trial["race"]["met"] == trial["outcome"]["n"]
    assert manifest.trials[0]["race"]["rules"]["alpha"] == 0.1
    assert len(next(iter(load_program(file, suite.env).predictors())).demos) == len(manifest.demonstrations)


@pytest.mark.slow
def test_a_race_is_told_in_words(suite: Suite, tmp_path: Path) -> None:
    options = ("--optimizer", "race", "--candidates", 2, "--demos", 6, "--pareto")
    said = " ".join(run(suite.path, "--out", tmp_path / "program.json", *options).stdout.split())

    assert "better than the program as it is" in said or "no difference shown" in said
    assert "score, % tasks tokens seconds" in said


def test_the_check_compiles_nothing_and_writes_what_it_found(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "aa.json"
    options = ("--aa", "--candidates", 2, "--dev-limit", 6)
    forecast = json.loads(run(suite.path, "--out", file, *options, "--dry-run", "--json").stdout)
    done = run(suite.path, "--out", file, *options, "--json")
    said = json.loads(done.stdout)

    assert forecast["episodes_at_most"] == {"dev": 18}
    assert done.exit_code == 0
    assert said["passed"]
    assert said["stated"] == 0.05
    assert said["told_apart"]["n"] == 1_000
    assert said["told_apart"]["low"] <= said["told_apart"]["value"] <= 0.05
    assert json.loads(file.read_text()) == {name: value for name, value in said.items() if name != "file"}
    assert [path.name for path in tmp_path.iterdir()] == ["aa.json"]


@pytest.mark.slow
def test_a_killed_race_goes_on_to_the_same_program(suite: Suite, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.json", tmp_path / "killed.json"
    options = ("--lm", standin.NAME, "--optimizer", "race", "--demos", "4", "--workers", "1")
    run(suite.path, "--out", whole, *options)
    command = [
        sys.executable,
        "-m",
        "worksmith.cli",
        "compile",
        str(suite.path),
        "--out",
        str(killed),
        *options,
    ]
    command.append("--no-track")
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    log = tmp_path / "killed.json.journal" / "student" / "race-random-4-0-000.jsonl"
    while process.poll() is None and not (log.exists() and log.stat().st_size):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()

    if not killed.exists():  # it may have been faster than the kill
        run(suite.path, "--out", killed, *options, "--resume")
    assert Artifact.read(killed).digest == Artifact.read(whole).digest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--optimizer", "race", "--dev-limit", 4),
            "with 4 dev intents a race of 4 candidates can accept none, ",
        ),
        (
            ("--optimizer", "bootstrap", "--dev-limit", 6),
            "with 6 dev intents a race of 4 candidates can accept none, ",
        ),
    ],
)
def test_too_few_intents_for_any_claim_are_told_before_it_begins(
    suite: Suite, tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    told = run(suite.path, "--out", tmp_path / "program.json", *options, "--dry-run", "--json")

    assert json.loads(told.stdout)["too_few_intents"].startswith(said)
    assert said in told.stderr
    assert "that takes 7 at least" in told.stderr
    assert "worksmith power --race" in told.stderr


@pytest.mark.slow
def test_enough_intents_are_nothing_to_talk_of(suite: Suite, tmp_path: Path) -> None:
    told = run(suite.path, "--out", tmp_path / "a", "--optimizer", "race", "--dry-run", "--json")

    assert json.loads(told.stdout)["dev_intents"] == 12
    assert "dev intents" not in told.stderr


@pytest.mark.slow
def test_a_race_that_shows_no_difference_says_what_it_could_have_shown(suite: Suite, tmp_path: Path) -> None:
    """Demonstrations change nothing for a model that does what the gold plans say."""
    options = ("--optimizer", "race", "--lm", "gold", "--candidates", 2, "--demos", 2)
    file = tmp_path / "program.json"
    said = json.loads(run(suite.path, "--out", file, *options, "--json").stdout)
    shown = " ".join(run(suite.path, "--out", file, *options, "--force").stdout.split())

    assert said["chosen"] == "uncompiled"
    assert (said["power"]["intents"], said["power"]["per_intent"]) == (12, 1)
    assert "with 12 dev intents of 1 tasks and 2 candidates a race finds" in shown
    assert "more dev intents show more" in shown
