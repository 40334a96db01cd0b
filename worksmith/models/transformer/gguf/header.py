"""The header of a GGUF file: the kind and size of the model, without its weights."""

from __future__ import annotations

import struct
from math import prod
from pathlib import Path
from typing import NamedTuple

from worksmith.tools.errors import InputError


class Header(NamedTuple):
    """The description of the model in a file.

    Attributes:
        architecture: such as `qwen2`.
        window: tokens of prompt and reply together.
        template: of chats, in Jinja.
        parameters: the number of weights.
    """

    architecture: str
    window: int
    template: str
    parameters: int


def read_header(file: Path) -> Header:
    """The header of a file.

    Raises:
        InputError: it is not a GGUF file, is cut off, or lacks parts for a chat.
    """
    from transformers.integrations.gguf.reader import GgufHeader, read_gguf_metadata

    try:
        fields, _ = read_gguf_metadata(str(file))
        found = GgufHeader.from_file(str(file))
        size = file.stat().st_size
    except OSError as error:
        raise InputError(f"cannot read the model: {error.strerror or error}", where=str(file)) from error
    except (ValueError, ArithmeticError, LookupError, TypeError, MemoryError, struct.error) as error:
        said = str(error).replace(str(file), "it")
        raise InputError(
            f"not a whole GGUF file: {said}",
            where=str(file),
            hint="name a file of llama.cpp's format, or get it again",
        ) from error
    end = max((found.data_start + each.offset + each.nbytes for each in found.tensors), default=0)
    window, template = (
        fields.get(f"{found.architecture}.context_length"),
        fields.get("tokenizer.chat_template"),
    )
    for missing, said, hint in (
        (not end or end > size, f"is cut off: {size:,} bytes of at least {end:,}", "get it again"),
        (not isinstance(window, int) or window < 1, "has no context length", "name that of a language model"),
        (not fields.get("tokenizer.ggml.tokens"), "has no tokenizer", "name one that was made with it"),
        (not isinstance(template, str), "has no chat template", "name that of an instruction-tuned model"),
    ):
        if missing:
            raise InputError(f"the GGUF file {said}", where=str(file), hint=hint)
    parameters = sum(prod(each.shape) for each in found.tensors)
    return Header(found.architecture, window, template, parameters)
