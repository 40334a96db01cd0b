"""Compiling into weights: the teacher's trajectories train the model, which is measured and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.optimizers.shop import lm, make_context, make_suite
from tests.worksmith.training.tiny import sft_rows, write_rows, write_tiny_model
from worksmith.evals.suite import Suite
from worksmith.jobs.compiling.compilation import compile
from worksmith.jobs.compiling.forecast import forecast_compile
from worksmith.jobs.settings.compiling import CompileSettings
from worksmith.jobs.settings.training import TrainSftSettings
from worksmith.models.resolve import resolve
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.optimizer import CompileContext
from worksmith.optimizers.registry import optimizer
from worksmith.tools.errors import InputError
from worksmith.training.job import train

pytestmark = pytest.mark.slow

VERBS = ("Cancel", "Rename", "Shift")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return make_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weights")
    data = write_rows(place / "sft.jsonl", sft_rows(4))
    base = write_tiny_model(place / "base")
    train(TrainSftSettings(model=str(base), data=data, out=place / "start", max_steps=1, track=False))
    return place / "start"


@pytest.fixture
def context(suite: Suite, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CompileContext:
    monkeypatch.chdir(tmp_path)
    student = resolve(f"local/{start} max_tokens=8")
    found = make_context(suite, tmp_path, teacher=lm(*VERBS), student=student, candidates=1, demos=1)
    found.dev = found.dev[:2]
    return found


def _taught() -> str:
    """What the model was trained on: every call of the teacher."""
    (data,) = Path("weights").glob("*.jsonl")
    taught = data.read_text()
    assert all(taught.count(tool) for tool in ("search_events", "delete_event", "finish"))
    assert "Cancel 'alpha sync'" in taught
    return taught


def test_a_compile_trains_on_every_call_of_the_teacher(context: CompileContext) -> None:
    compiled = optimizer("dspy:BetterTogether").search(context)
    taught = _taught()
    assert not any(task.query in taught for task in context.held_back)
    assert Path(compiled.lm.removeprefix("local/"), "model.json").is_file()
    assert context.student.lm.model.startswith(compiled.lm)


def test_a_model_without_weights_is_refused(context: CompileContext) -> None:
    context.student.lm = lm()
    with pytest.raises(InputError, match="the weights of scripted/none cannot be trained here"):
        optimizer("dspy:BootstrapFinetune").search(context)


@pytest.mark.parametrize("name", ["dspy:BootstrapFinetune", "dspy:BetterTogether"])
def test_a_dry_run_trains_nothing(
    suite: Suite, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said = forecast_compile(
        CompileSettings(
            suite=suite.path,
            lm=f"local/{start} max_tokens=8",
            optimizer=name,
            prompt="compact",
            train_limit=3,
            dev_limit=2,
            candidates=1,
            out="tuned.json",
            track=False,
        )
    ).facts()
    assert not list(tmp_path.iterdir())
    assert said["forecast"]["expected"] is None
    assert "proposer" not in said


def test_a_compile_counts_what_the_trained_model_is_asked(
    suite: Suite, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compile(
        CompileSettings(
            suite=suite.path,
            lm=f"local/{start} max_tokens=8",
            optimizer="dspy:BootstrapFinetune",
            prompt="compact",
            train_limit=3,
            dev_limit=2,
            out="tuned.json",
            track=False,
        )
    )
    manifest = Artifact.read(tmp_path / "tuned.json").manifest
    assert manifest.lm.startswith("local/weights/")
    assert _taught()
    assert manifest.gold
    assert manifest.cost["student"]["model_calls"] >= 2
