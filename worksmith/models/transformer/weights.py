"""The files that a language model is read from."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from worksmith.tools.errors import missing_extra

TRUSTED = {"local_files_only": True, "trust_remote_code": False}
"""Arguments of transformers' loaders: nothing is fetched, and no code of a model is run."""


class Weights(NamedTuple):
    """The folders of a model.

    Attributes:
        folder: of the weights and the configuration.
        tokenizer: that of the tokenizer; None for `folder`.
        adapter: that of a LoRA adapter, which is merged into the weights.
        difference: that of a two-bit difference, which is added to the weights.
        dtype: of the computation, by torch's name.
    """

    folder: Path
    tokenizer: Path | None = None
    adapter: Path | None = None
    difference: Path | None = None
    dtype: str = "float32"


def device_in_use() -> str:
    """`cuda` where there is a GPU, else `cpu`.

    Raises:
        InputError: the packages that run models are not installed.
    """
    if not all(map(find_spec, ("torch", "transformers"))):
        raise missing_extra("a model on this machine", "small")
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
