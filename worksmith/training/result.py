"""The files of a trained model."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from worksmith.jobs.settings.training import Form
from worksmith.models.transformer.manifest import (
    DATA_CARD,
    DIFFERENCE,
    TrainedModel,
    WeightsForm,
    file_digests,
    write_manifest,
)
from worksmith.programs.prompting.forms import COMPACT, JSON, OBSERVATION, TEXT, compact_length
from worksmith.training.start import Start, open_base


def write_model(
    folder: Path,
    model: Any,
    tokenizer: Any,
    start: Start,
    card: bytes | None,
    *,
    prompt: str,
    licence: str,
    form: Form,
) -> None:
    """Write weights, tokenizer, data card and manifest into a new folder.

    Args:
        model: an adapter on its base, or a whole model.
        form: in which a whole model is written.
        card: the data card, as it lies beside the data.
        prompt: the format of prompts, see `worksmith.programs.prompting.forms.check_prompt`.
    """
    from safetensors.torch import save_file

    from worksmith.models.transformer.difference import encoded

    window = int(model.config.max_position_embeddings)
    weights: WeightsForm = "adapter" if hasattr(model, "peft_config") else form
    if weights == "adapter":
        config = model.peft_config["default"]
        config.base_model_name_or_path, config.inference_mode = start.base.name, True
        model.save_pretrained(folder, selected_adapters=["default"], save_embedding_layers=False)
        (folder / "README.md").unlink(missing_ok=True)  # PEFT's, about itself
    elif weights == "difference":
        save_file(encoded(open_base(start), model), folder / DIFFERENCE)
    else:
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if card is not None:
        (folder / DATA_CARD).write_bytes(card)
    write_manifest(
        folder,
        TrainedModel(
            weights=weights,
            base=start.base,
            files=file_digests(folder),
            prompt=prompt if prompt in (TEXT, JSON) else COMPACT,
            observation=compact_length(prompt, None) or OBSERVATION,
            context_window=window,
            data_card=None if card is None else hashlib.sha256(card).hexdigest(),
            licence=licence,
        ),
    )
