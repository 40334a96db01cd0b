"""How demonstrations are chosen, as a user of `worksmith compile` says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worksmith.commands import run
from worksmith.evals.suite import Suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("optimizer", "selection", "named"),
    [
        ("bootstrap", "random", "random-0"),
        ("bootstrap", "nearest", "nearest"),
        ("knn", "mixture", "mixture-0"),
        ("race", "mixture", "mixture-8-0"),
    ],
)
def test_the_selection_asked_for_is_the_only_one_tried(
    suite: Suite, tmp_path: Path, optimizer: str, selection: str, named: str
) -> None:
    file = tmp_path / "program.json"
    told = ("--optimizer", optimizer, "--selection", selection, "--demos", 8, "--dev-limit", 6)
    run(suite.path, "--out", file, *told, "--candidates", 2)
    artifact = Artifact.read(file)

    tried = [trial["name"] for trial in artifact.manifest.trials if trial["name"] != "uncompiled"]
    assert named in tried
    assert all(name.startswith(selection) for name in tried)
    assert artifact.manifest.settings["selection"] == selection
    load_program(file, suite.env)


def test_steps_and_tokens_are_kept_in_the_file(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    steps = ("--demo-unit", "step", "--demo-tokens", 700)
    told = ("--optimizer", "knn", "--accept", "best", *steps, "--dev-limit", 3)
    said = json.loads(run(suite.path, "--out", file, *told, "--json").stdout)
    artifact = Artifact.read(file)
    nearest = load_program(file, suite.env).selector.predict.nearest

    assert said["demonstrations"] == len(artifact.manifest.demonstrations) == 36
    assert (nearest.tokens, nearest.by_state) == (700, True)
    assert len({source.key for source in artifact.manifest.demonstrations}) == 36


def test_what_nobody_chose_is_told_as_well(suite: Suite, tmp_path: Path) -> None:
    told = ("--optimizer", "knn", "--accept", "best", "--dev-limit", 2)
    run(suite.path, "--out", tmp_path / "program.json", *told)
    artifact = Artifact.read(tmp_path / "program.json")

    told_of = {name: artifact.manifest.settings[name] for name in ("selection", "demo_unit", "demo_tokens")}
    assert told_of == {"selection": None, "demo_unit": "trajectory", "demo_tokens": None}
    nearest = artifact.state_json()["selector.predict"]["nearest"]
    assert (nearest["fixed"], nearest["tokens"], nearest["by_state"]) == (0, 0, False)
