from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import standin
from tests.optimizers.shop import make_suite
from tests.tables import each_row
from tests.worksmith.commands import called, run
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite, write_suite
from worksmith.jobs.opening.programs import load_program
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.tools.errors import InputError

ROOT = Path(__file__).parents[3]


def outcome(program: Any, suite: Suite) -> float:
    tasks = suite.select(split="test")
    result = evaluate(program, tasks, EvalSettings(env=suite.env, lm=standin.lm()))
    return result.summary.scores["outcome"].value


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["knn", "bootstrap"])
def test_a_compiled_agent_does_what_it_could_not(suite: Suite, tmp_path: Path, optimizer: str) -> None:
    for name in ("none", optimizer):
        run(suite.path, "--out", tmp_path / name, "--optimizer", name, "--demos", 12)
    before, after = (outcome(load_program(tmp_path / name, suite.env), suite) for name in ("none", optimizer))

    assert after > before
    assert Artifact.read(tmp_path / optimizer).manifest.gold
    assert not Artifact.read(tmp_path / "none").manifest.gold
    assert (tmp_path / f"{optimizer}.journal").is_dir()


@pytest.mark.slow
def test_a_compile_says_first_what_it_decided(suite: Suite, tmp_path: Path) -> None:
    said = run(suite.path, "--out", tmp_path / "program.json", "--optimizer", "knn", "--demos", 12).stdout

    assert said.startswith(("Took nearest: ", "Kept the program as it is: "))
    assert " ".join(said.split()).count("intents (evidence") == 1


def test_json_says_what_the_file_says(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    said = json.loads(run(suite.path, "--out", file, "--optimizer", "knn", "--json").stdout)
    manifest = Artifact.read(file).manifest

    assert said["digest"] == Artifact.read(file).digest
    assert said["demonstrations"] == len(manifest.demonstrations) == 12
    assert said["dev"][0]["outcome"] == manifest.trials[0]["outcome"]
    assert manifest.suite["digest"] == suite.digest
    assert manifest.program["strategy"]["name"] == "react"


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["direct", "act", "plan"])
def test_every_strategy_compiles_and_loads(suite: Suite, tmp_path: Path, strategy: str) -> None:
    file = tmp_path / "program.json"
    told = ("--optimizer", "knn", "--accept", "best", "--strategy", strategy, "--dev-limit", 2)
    run(suite.path, "--out", file, *told)
    agent = load_program(file, suite.env)

    assert agent.strategy.name == strategy
    assert all(len(predictor.demos) == 12 for predictor in agent.predictors())


def test_dry_run_runs_nothing(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    said = json.loads(run(suite.path, "--out", file, "--dry-run", "--json").stdout)

    assert said["episodes_at_most"] == {"teacher": 12, "dev": 60}
    assert said["model_calls_about"] == {"teacher": 36, "dev": 180}
    assert list(tmp_path.iterdir()) == []


@each_row(
    ("arguments", "message"),
    [
        (["--optimizer", "magic"], "no optimizer"),
        (["--optimizer", "KNNFewShot"], "did you mean 'dspy:KNNFewShot'"),
        (["--accept", "testd"], "no way to accept 'testd' .did you mean 'tested'"),
        (["--strategy", "raect"], "no strategy 'raect' .did you mean 'react'"),
        (["--scheme", "standrd"], "no scheme 'standrd' .did you mean 'standard'"),
        (["--toolset", "requierd"], "no toolset 'requierd' .did you mean 'required'"),
        (["--embedding", "lexcal", "--optimizer", "knn"], "no embedding 'lexcal' .did you mean 'lexical'"),
        (["--teacher", "local/aprentice"], "no local model .* .did you mean 'local/apprentice'"),
        (["--teacher", "golt"], "names no provider .did you mean 'gold'"),
        (["--optimizer", "race", "--over", "tolos"], "no part of a program 'tolos' .did you mean 'tools'"),
        (["--optimizer", "race", "--over", "tools"], "a model writes descriptions of tools"),
        (["--optimizer", "race", "--pinned", "selector"], "--pinned: .*'selector' .*'selector.predict'"),
        (["--optimizer", "race", "--forbidden", " "], "--forbidden: one is blank"),
        (["--optimizer", "knn", "--over", "form"], "use race"),
        (["--optimizer", "none", "--maximize", "outcome - 0.1*steps"], "use race, bootstrap or knn"),
        (["--maximize", "outcome - 0.1*dolars"], "no score 'dolars'"),
        (["--maximize", "f1"], "have no score"),
        (["--constraint", "leak=0"], "have no score"),
        (["--constraint", "judge>=0.5"], "have no score"),
        (["--optimizer", "dspy:BootstrapFewShot", "--selection", "random"], "in its own way"),
        (["--optimizer", "none", "--demo-tokens", "100"], "in its own way"),
        (["--optimizer", "knn", "--selection", "covering"], "covering does not"),
        (["--selection", "best"], "no selection 'best'"),
        (["--demo-unit", "word"], "no unit 'word'"),
        (["--strategy", "direct", "--demo-unit", "step"], "no steps"),
    ],
)
def test_bad_options_are_named(suite: Suite, tmp_path: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(suite.path, "--out", tmp_path / "program.json", *arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_suite_without_tasks_to_choose_by_is_refused(tmp_path: Path, more: list[str]) -> None:
    whole = make_suite(tmp_path / "suite")
    write_suite(whole.world, whole.select(split="train"))
    with pytest.raises(InputError, match="no dev tasks to choose a program by"):
        run(tmp_path / "suite", "--out", tmp_path / "x.json", *more)
    assert [each.name for each in tmp_path.iterdir()] == ["suite"]


@pytest.mark.slow
def test_a_file_is_replaced_only_on_demand(suite: Suite, tmp_path: Path) -> None:
    file = tmp_path / "program.json"
    run(suite.path, "--out", file, "--optimizer", "none")
    with pytest.raises(InputError, match="already there"):
        run(suite.path, "--out", file, "--optimizer", "knn")
    run(suite.path, "--out", file, "--optimizer", "knn", "--force")

    assert Artifact.read(file).manifest.optimizer == "knn"


def test_what_cannot_begin_is_no_run_in_mlflow(suite: Suite, tmp_path: Path) -> None:
    file, store = tmp_path / "program.json", tmp_path / "mlflow.db"
    run(suite.path, "--out", file, "--optimizer", "none")
    file.unlink()
    command = [suite.path, "--out", file, "--optimizer", "none", "--tracking-uri", f"sqlite:///{store}"]
    with pytest.raises(InputError, match="an unfinished compile is here"):
        called("compile", *command)

    assert not store.exists()
