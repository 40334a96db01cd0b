"""Trained models in MLflow."""

from __future__ import annotations

import hashlib
from pathlib import Path

from worksmith.evals.tracking import KeptModel, Run
from worksmith.evals.tracking.registry import Registration
from worksmith.models.transformer.manifest import (
    DATA_CARD,
    BaseWeights,
    TrainedModel,
    file_digests,
    read_manifest,
    write_manifest,
)
from worksmith.models.transformer.registering import record_model


def make(folder: Path) -> Path:
    """A folder whose weights are none: nobody reads them here. A checkpoint lies in it as well."""
    (folder / "checkpoint-1").mkdir(parents=True)
    (folder / "checkpoint-1" / "optimizer.pt").write_bytes(b"large")
    (folder / "adapter_config.json").write_text("{}")
    (folder / "adapter_model.safetensors").write_bytes(b"weights")
    (folder / DATA_CARD).write_text('{"tasks": 3}')
    write_manifest(
        folder,
        TrainedModel(
            weights="adapter",
            base=BaseWeights(name="local/smollm2", digest="a" * 64),
            files=file_digests(folder),
            context_window=2_048,
            data_card=hashlib.sha256((folder / DATA_CARD).read_bytes()).hexdigest(),
            licence="Apache-2.0",
        ),
    )
    return folder


def test_an_untracked_run_keeps_nothing(tmp_path: Path) -> None:
    assert record_model(Run(), make(tmp_path / "planner")) is None


class Keeping(Run):
    """A run that keeps the files of models by name."""

    def model(self, model: KeptModel) -> str | None:
        self.kept = model
        return "models:/planner/1"


def test_a_model_is_kept_with_its_data_card_and_base_and_without_checkpoints(tmp_path: Path) -> None:
    folder, run, named = make(tmp_path / "planner"), Keeping(), Registration.parse("planner@champion")

    assert record_model(run, folder, named) == "models:/planner/1"

    params = run.kept.params
    assert (run.kept.name, run.kept.register_as) == ("planner", named)
    assert sorted(file.name for file in run.kept.files) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "data_card.json",
        "model.json",
    ]
    assert params["digest"] == read_manifest(folder).digest
    assert (params["base"], params["base_digest"]) == ("local/smollm2", "a" * 64)
