"""The manifest of a trained model: files that were changed, left out or slipped in are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worksmith.models.transformer.bases import base_model
from worksmith.models.transformer.manifest import (
    MANIFEST,
    BaseWeights,
    TrainedModel,
    file_digests,
    read_manifest,
    write_manifest,
)
from worksmith.tools.errors import InputError

BASE = BaseWeights(name="local/smollm2", digest="0" * 64)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a manifest; the weights are no weights, which nobody reads here."""
    (tmp_path / "adapter_config.json").write_text("{}")
    (tmp_path / "adapter_model.safetensors").write_bytes(b"weights")
    (tmp_path / "training.log").write_text("not read")
    files = file_digests(tmp_path)
    write_manifest(
        tmp_path,
        TrainedModel(weights="adapter", base=BASE, files=files, context_window=2_048, licence="Apache-2.0"),
    )
    return tmp_path


def test_a_manifest_is_read_as_it_was_written(folder: Path) -> None:
    model = read_manifest(folder)

    assert (model.weights, model.prompt, model.base) == ("adapter", "compact", BASE)
    assert sorted(model.files) == ["adapter_config.json", "adapter_model.safetensors"]


def test_the_digest_is_of_all_that_decides_a_reply_and_of_nothing_else(folder: Path) -> None:
    model = read_manifest(folder)
    moved = BaseWeights(name="/elsewhere", digest=BASE.digest)

    assert model.digest == model.model_copy(update={"licence": "MIT", "base": moved}).digest
    assert model.digest != model.model_copy(update={"observation": 500}).digest
    assert model.digest != model.model_copy(update={"files": {**model.files, "config.json": "1" * 64}}).digest


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "adapter_config.json"])
def test_a_changed_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"{ }")

    with pytest.raises(InputError, match="not the file") as caught:
        read_manifest(folder)

    assert caught.value.where == str(folder / name)


def test_a_missing_file_and_one_slipped_in_are_refused(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="does not name tokenizer"):
        read_manifest(folder)

    (folder / "tokenizer.json").unlink()
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(InputError, match="missing"):
        read_manifest(folder)


def test_files_that_others_lead_to_are_refused(folder: Path) -> None:
    (folder / "additional_chat_templates").mkdir()
    with pytest.raises(InputError, match="several chat templates"):
        read_manifest(folder)

    (folder / "additional_chat_templates").rmdir()
    (folder / "tokenizer_config.json").write_text('{"fast_tokenizer_files": ["other.json"]}')
    with pytest.raises(InputError, match="names files"):
        file_digests(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"files": {"../adapter_model.safetensors": "0" * 64}},
        {"files": {"pytorch_model.bin": "0" * 64}},
        {"files": {"modeling.py": "0" * 64}},
        {"files": {}},
        {"weights": "whole"},
        {"observation": 0},
        {"context_window": -1},
        {"remote_code": True},
        {"version": 2},
        {"base": {"name": "", "digest": "0" * 64}},
    ],
)
def test_a_manifest_of_unknown_keys_or_other_files_is_refused(folder: Path, change: dict[str, Any]) -> None:
    data = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**data, **change}))

    with pytest.raises(InputError, match="the manifest of a model"):
        read_manifest(folder)


def test_a_folder_without_a_manifest_is_no_model(tmp_path: Path) -> None:
    for place, said in ((tmp_path, "model.json is missing"), (tmp_path / "none", "no such folder")):
        with pytest.raises(InputError, match=said):
            read_manifest(place)


def test_a_base_has_weights_as_safetensors_and_is_no_adapter(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an adapter is not a base"):
        base_model(str(folder))

    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text("{}")
    (tmp_path / "other" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(InputError, match="no model with weights as safetensors"):
        base_model(str(tmp_path / "other"))

    (tmp_path / "other" / "model.safetensors").write_bytes(b"weights")
    at, base = base_model(str(tmp_path / "other"))
    (at / "config.json").write_text("{ }")
    assert base_model(str(tmp_path / "other"))[1].digest != base.digest


def test_a_base_that_is_not_here_is_not_downloaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("nobody/no-such-model", str(tmp_path / "none"), "no name at all"):
        with pytest.raises(InputError, match="no such base model"):
            base_model(name)
