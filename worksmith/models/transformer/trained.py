"""Models from the folders that `worksmith train` writes."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from worksmith.models.transformer.bases import base_digest, base_model
from worksmith.models.transformer.gguf.conversion import FORM
from worksmith.models.transformer.manifest import read_manifest
from worksmith.models.transformer.transformer_engine import TransformerEngine
from worksmith.models.transformer.weights import Weights, device_in_use
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

_HINT = "get the version of the base that it was trained on, or train it again"


def trained(folder: Path) -> TransformerEngine:
    """The model in a folder: one in a process, so that its weights are in memory once.

    Raises:
        InputError: it is not a trained model, a file was changed, or its base is missing.
    """
    model = read_manifest(folder)
    if model.weights != "whole" and base_digest(model.base.name) != model.base.digest:
        raise InputError(
            f"the {model.weights} is of another {model.base.name}", where=str(folder), hint=_HINT
        )
    return _engine(folder.resolve(), model.digest)


@cache
def _engine(folder: Path, known: str) -> TransformerEngine:
    model, device = read_manifest(folder), device_in_use()
    return TransformerEngine(
        partial(_weights, folder, known),
        digest([known, FORM, "float32", device], length=12),
        window=model.context_window,
        device=device,
        compact_prompts=model.observation if model.prompt == "compact" else None,
    )


def _weights(folder: Path, known: str) -> Weights:
    """The files of the model; the weights are read at the first request, and may have changed since.

    Raises:
        InputError: they have.
    """
    model = read_manifest(folder)
    if model.digest != known:
        raise InputError("the model was changed while it was in use", where=str(folder))
    if model.weights == "whole":
        return Weights(folder)
    tokenizer = folder if "tokenizer.json" in model.files else None
    base = base_model(model.base.name)[0]
    if model.weights == "difference":
        return Weights(base, tokenizer, difference=folder)
    return Weights(base, tokenizer, adapter=folder)
