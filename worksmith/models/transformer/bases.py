"""The models from which training begins: by name, with the folder and the digest of their weights."""

from __future__ import annotations

from pathlib import Path

from worksmith.evals.lm.named import SMOLLM2
from worksmith.models.transformer.manifest import ADAPTER, MANIFEST, BaseWeights, file_digests
from worksmith.models.transformer.smollm2 import smollm2_weights, source_digest
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest


def base_model(name: str) -> tuple[Path, BaseWeights]:
    """The folder of a base model, and its name with a digest of its files.

    Nothing is downloaded.

    Args:
        name: `local/smollm2`, a folder with weights as safetensors, or the name of a model on Hugging Face's
            hub that this machine has already.

    Raises:
        InputError: it is not here, or has no weights as safetensors.
    """
    if name == SMOLLM2:
        return smollm2_weights(), BaseWeights(name=name, digest=base_digest(name))
    folder, files = _found(name)
    return folder, BaseWeights(name=name, digest=_digest(files))


def base_digest(name: str) -> str:
    """The digest of a base model's files.

    Raises:
        InputError: as in `base_model`.
    """
    return source_digest() if name == SMOLLM2 else _digest(_found(name)[1])


def _digest(files: dict[str, str]) -> str:
    return digest(files, length=64)


def _found(name: str) -> tuple[Path, dict[str, str]]:
    """The folder of a model that is not `local/smollm2`, and the digests of its files."""
    folder = Path(name)
    if not folder.is_dir():
        folder = _from_hub(name)
    if (folder / ADAPTER[0]).is_file():
        raise InputError(
            "an adapter is not a base", where=str(folder), hint=f"name the base that its {MANIFEST} names"
        )
    files = file_digests(folder)
    if "config.json" not in files or not any(file.endswith(".safetensors") for file in files):
        raise InputError(
            "no model with weights as safetensors", where=str(folder), hint="name another base model"
        )
    return folder, files


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise InputError(
            "no such base model on this machine",
            where=name,
            hint=f"download it first (hf download {name}), or name {SMOLLM2} or a folder",
        ) from error
