"""The files of a trained model."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from worksmith.models.transformer.manifest import (
    DATA_CARD,
    TrainedModel,
    file_digests,
    write_manifest,
)
from worksmith.programs.prompting.forms import COMPACT, JSON, OBSERVATION, TEXT, compact_length
from worksmith.training.start import Start


def write_model(
    folder: Path,
    model: Any,
    tokenizer: Any,
    start: Start,
    card: bytes | None,
    *,
    prompt: str,
    licence: str,
) -> None:
    """Write weights, tokenizer, data card and manifest into a new folder.

    Args:
        model: an adapter on its base, or a whole model.
        card: the data card, as it lies beside the data.
        prompt: the format of prompts, see `worksmith.programs.prompting.forms.check_prompt`.
    """
    window = int(model.config.max_position_embeddings)
    adapter = hasattr(model, "peft_config")
    if adapter:
        config = model.peft_config["default"]
        config.base_model_name_or_path, config.inference_mode = start.base.name, True
        model.save_pretrained(folder, selected_adapters=["default"], save_embedding_layers=False)
        (folder / "README.md").unlink(missing_ok=True)  # PEFT's, about itself
    else:
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if card is not None:
        (folder / DATA_CARD).write_bytes(card)
    write_manifest(
        folder,
        TrainedModel(
            weights="adapter" if adapter else "whole",
            base=start.base,
            files=file_digests(folder),
            prompt=prompt if prompt in (TEXT, JSON) else COMPACT,
            observation=compact_length(prompt, None) or OBSERVATION,
            context_window=window,
            data_card=None if card is None else hashlib.sha256(card).hexdigest(),
            licence=licence,
        ),
    )
