"""Trained models in MLflow: their files, their origin, and a registered version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from worksmith.evals.tracking.registry import KeptModel
from worksmith.models.transformer.manifest import DATA_CARD, MANIFEST, read_manifest

if TYPE_CHECKING:
    from worksmith.evals.tracking import Run
    from worksmith.evals.tracking.registry import Registration


def record_model(run: Run, folder: Path, register_as: Registration | None = None) -> str | None:
    """Keep a trained model with a run: weights, manifest and data card.

    Returns:
        Its address, `models:/...`. The files that MLflow downloads from there are a folder for `local/DIR`.
        None if nothing is kept.

    Raises:
        InputError: the folder is not a trained model.
    """
    model = read_manifest(folder)
    names = [MANIFEST, *([DATA_CARD] if model.data_card else []), *model.files]
    params = {
        "digest": model.digest,
        "weights": model.weights,
        "base": model.base.name,
        "base_digest": model.base.digest,
        "data_card": model.data_card or "none",
        "prompt": model.prompt,
        "licence": model.licence,
    }
    files = [folder / name for name in names]
    return run.model(KeptModel(folder.resolve().name, files, params, register_as=register_as))
