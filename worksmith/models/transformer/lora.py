"""LoRA adapters, as PEFT writes them, merged into the weights of their base."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field
from safetensors import SafetensorError
from safetensors.torch import load_file

from worksmith.models.transformer.manifest import ADAPTER
from worksmith.tools.errors import InputError
from worksmith.tools.files.json_files import read_model

_KEY = re.compile(r"base_model\.model\.(.+)\.lora_([AB])\.weight")
_HINT = "train an adapter with worksmith train, or merge it into a whole model"


class LoraConfig(BaseModel):
    """The part of PEFT's configuration that decides the weights. Other forms of adapters are refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    peft_type: Literal["LORA"]
    r: int = Field(ge=1)
    lora_alpha: float = Field(allow_inf_nan=False)
    use_rslora: bool = False
    fan_in_fan_out: Literal[False] = False
    use_dora: Literal[False] = False
    use_qalora: Literal[False] = False
    lora_bias: Literal[False] = False
    bias: Literal["none"] = "none"
    rank_pattern: dict[str, int] = Field(default={}, max_length=0)
    alpha_pattern: dict[str, float] = Field(default={}, max_length=0)
    modules_to_save: None = None
    layer_replication: None = None
    trainable_token_indices: None = None
    alora_invocation_tokens: None = None
    arrow_config: None = None
    target_parameters: None = None

    @property
    def scale(self) -> float:
        return self.lora_alpha / (math.sqrt(self.r) if self.use_rslora else self.r)


def merge(model: Any, folder: Path) -> None:
    """Add an adapter to the weights of a model, in their precision.

    Raises:
        InputError: it is of another form, or does not fit the model.
    """
    config = read_model(folder / ADAPTER[0], LoraConfig, "a LoRA adapter", hint=_HINT)
    file = folder / ADAPTER[1]
    try:
        tensors = load_file(file)
    except (SafetensorError, OSError) as error:
        raise InputError(f"the adapter cannot be read: {error}", where=str(file)) from error
    pairs: dict[str, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        found = _KEY.fullmatch(key)
        if found is None:
            raise InputError(f"the adapter changes more than LoRA does: {key}", where=str(file), hint=_HINT)
        pairs.setdefault(found[1], {})[found[2]] = tensor
    tied = model.get_input_embeddings().weight
    for name, pair in pairs.items():
        weight = _weight(model, name)
        if weight is None or weight is tied or _shapes(pair) != _shapes_for(weight, config.r):
            raise InputError(f"the adapter does not fit its base: {name}", where=str(file), hint=_HINT)
        with torch.no_grad():
            weight += config.scale * (pair["B"].to(weight) @ pair["A"].to(weight))


def _shapes(pair: dict[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
    return {half: tuple(tensor.shape) for half, tensor in pair.items()}


def _shapes_for(weight: torch.Tensor, rank: int) -> dict[str, tuple[int, ...]]:
    return {"A": (rank, weight.shape[1]), "B": (weight.shape[0], rank)}


def _weight(model: Any, name: str) -> Any:
    """The weights of a linear layer; None for another layer."""
    try:
        layer = model.get_submodule(name)
    except AttributeError:
        return None
    return layer.weight if isinstance(layer, torch.nn.Linear) else None
