"""A GGUF file as a model."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from worksmith.models.transformer.chat import call_form
from worksmith.models.transformer.gguf.conversion import (
    FORM,
    check_convertible,
    check_memory,
    converted,
    file_digest,
    folder_of,
)
from worksmith.models.transformer.gguf.header import read_header
from worksmith.models.transformer.transformer_engine import TransformerEngine
from worksmith.models.transformer.weights import Weights, device_in_use
from worksmith.tools.errors import InputError
from worksmith.tools.seeding import digest

EXACT = "float32"
"""The precision in which a reply does not depend on its batch."""

_SMALL = 300_000_000
"""The most weights of a model that is exact by default."""


def gguf_model(file: Path, *, precision: str | None = None, window: int | None = None) -> TransformerEngine:
    """The model in a file: one in a process for the same settings, so that its weights are in memory once.

    Its weights are converted at the first request, and read then.

    Args:
        precision: `float32` or `bfloat16`; None for the former up to 300 million weights, else the latter.
        window: tokens of prompt and reply together; None for the window of the file.

    Raises:
        InputError: a package is missing, the file is not a chat model for this machine, or the window is too
            large.
    """
    return _engine(file.resolve(), file_digest(file), precision, window)


@cache
def _engine(file: Path, sha256: str, precision: str | None, window: int | None) -> TransformerEngine:
    from jinja2 import TemplateError

    device, header = device_in_use(), read_header(file)
    if window is not None and window > header.window:
        message = f"the context_window is larger than the model's, {header.window:,} tokens"
        raise InputError(message, where=str(file), hint="set a smaller one, or leave it out")
    dtype = precision or (EXACT if header.parameters <= _SMALL else "bfloat16")
    try:
        calls = call_form(header.template)
    except (TemplateError, RecursionError) as error:
        message = f"the chat template cannot be read: {error}"
        raise InputError(message, where=str(file), hint="take another file of the model") from error
    folder = folder_of(sha256, dtype)
    check_memory(file, header, dtype, device)
    if not folder.is_dir():
        check_convertible(file, header, folder, dtype, calls=calls is not None)
    return TransformerEngine(
        partial(_weights, file, sha256, dtype),
        digest([sha256, FORM, dtype, device, window or header.window], length=12),
        window=window or header.window,
        device=device,
        calls=calls,
        precision=dtype,
    )


def _weights(file: Path, sha256: str, dtype: str) -> Weights:
    return Weights(converted(file, sha256, dtype), dtype=dtype)
