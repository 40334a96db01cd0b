from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest
from pydantic import ValidationError

from tests.evals.episodes import make_record, make_result
from tests.optimizers.shop import Clerk, lm, make_context
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite
from worksmith.optimizers.compiling.artifact import Artifact, DemonstrationSource, Manifest
from worksmith.optimizers.optimizer import Compiled
from worksmith.optimizers.registry import OPTIMIZERS, optimizer
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.trial import Trial
from worksmith.tools.errors import InputError

pytestmark = pytest.mark.usefixtures("few_rounds")


def compiled(suite: Suite, folder: Path, name: str, **settings: Any) -> Compiled:
    """What a search finds, which runs no more episodes than it planned."""
    teacher, student = lm("Cancel", "Rename", "Shift"), lm()
    work = make_context(suite, folder, teacher=teacher, student=student, demos=12, **settings)
    planned = optimizer(name).max_episodes(work)
    found = optimizer(name).search(work)
    assert work.teacher.cost.episodes <= planned.get("teacher", 0)
    assert 0 < work.student.cost.episodes <= sum(n for role, n in planned.items() if role != "teacher")
    return found


def artifact(
    suite: Suite, folder: Path, name: str = "knn", seconds: float = 1.0, **settings: Any
) -> Artifact:
    found = compiled(suite, folder, name, **settings)
    manifest = Manifest(
        program={"strategy": "clerk"},
        suite={"digest": suite.digest},
        scheme="standard",
        train=("cancel-00",),
        dev=("cancel-04",),
        lm="scripted/none",
        teacher="scripted/all",
        gold=False,
        optimizer=name,
        settings={"demos": 12},
        trials=tuple(trial.to_json() for trial in found.trials),
        demonstrations=tuple(map(DemonstrationSource.of, found.demonstrations)),
    )
    return Artifact.of(found.program, manifest, {"seconds": seconds})


@pytest.fixture(scope="module")
def nearest(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    return artifact(suite, tmp_path_factory.mktemp("nearest"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bootstrap", "dspy:KNNFewShot", "dspy:MIPROv2"])
def test_a_loaded_program_acts_like_the_one_written(suite: Suite, tmp_path: Path, name: str) -> None:
    written = artifact(suite, tmp_path, name, candidates=2)
    written.write(tmp_path / "program.json")
    read = Artifact.read(tmp_path / "program.json")
    program = read.restore(Clerk(suite.env))

    assert read == written
    tasks = suite.select(split="test")
    result = evaluate(program, tasks, EvalSettings(env=suite.env, lm=lm()))
    if not OPTIMIZERS[name].proposes:
        assert result.summary.scores["outcome"].value == 1.0
    assert Artifact.of(program, read.manifest, read.measured).state == read.state


def test_dspys_own_load_says_how_a_compiled_program_is_loaded(
    suite: Suite, tmp_path: Path, nearest: Artifact
) -> None:
    nearest.write(tmp_path / "program.json")
    program = Clerk(suite.env)

    with pytest.raises(KeyError, match=r"load it with worksmith\.load"):
        program.load(tmp_path / "program.json")
    assert program.step.demos == []


def test_time_spent_is_no_part_of_the_digest(suite: Suite, tmp_path: Path, nearest: Artifact) -> None:
    assert artifact(suite, tmp_path, seconds=2.0).digest == nearest.digest


def test_provenance_names_task_teacher_and_records(nearest: Artifact) -> None:
    source = nearest.manifest.demonstrations[0]

    assert source.task_id == "cancel-00"
    assert source.teacher == "scripted/Cancel-Rename-Shift"
    assert source.records == ("calendar/00000000",)


def test_models_on_predictors_are_not_written(suite: Suite, tmp_path: Path) -> None:
    written = artifact(suite, tmp_path, "none")
    program = Clerk(suite.env)
    program.step.lm = dspy.LM("openai/x", api_key="sk-secret", api_base="http://inside")

    assert Artifact.of(program, written.manifest, {}).state == written.state


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["manifest"].update(lm="other"), "differs from its digest"),
        (lambda data: data.pop("state"), "state: Field required"),
        (lambda data: data.update(format="worksmith-program/9"), "this version reads"),
        (lambda data: data.pop("format"), "not a compiled program"),
    ],
)
def test_damage_and_foreign_files_are_named(
    tmp_path: Path, change: Any, message: str, nearest: Artifact
) -> None:
    file = tmp_path / "program.json"
    nearest.write(file)
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))

    with pytest.raises(InputError, match=message):
        Artifact.read(file)


def test_a_program_of_another_shape_is_refused(nearest: Artifact) -> None:
    with pytest.raises(InputError, match="has the parts step"):
        nearest.restore(dspy.ChainOfThought("task -> answer"))


def test_dev_tasks_that_share_intents_are_no_reason_to_refuse_a_manifest(nearest: Artifact) -> None:
    records = [make_record(number, intent=f"intent-{number // 2}") for number in range(12)]
    trial = Trial.of("uncompiled", make_result(records), (), Settings())
    told = nearest.manifest.model_copy(update={"trials": (trial.to_json(),)})

    assert trial.to_json()["outcome"]["groups"] == 6
    assert Manifest.model_validate_json(told.model_dump_json()) == told


def test_a_manifest_says_nothing_unknown_of_its_acceptance(nearest: Artifact) -> None:
    told = nearest.manifest.model_dump()

    assert Manifest.model_validate({**told, "acceptance": {"rule": "none", "said": "x"}}).acceptance
    with pytest.raises(ValidationError, match="acceptance"):
        Manifest.model_validate({**told, "acceptance": {"lm": "x"}})
