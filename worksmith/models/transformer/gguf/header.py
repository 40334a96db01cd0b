"""The header of a GGUF file: what the model is and how large, without its weights."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.tools.errors import InputError

_MAGIC, _VERSIONS = b"GGUF", (2, 3)

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The forms of numbers, by the types of values."""

_TEXT, _LIST = 8, 9

_APART = 32
"""Weights begin at multiples of so many bytes, unless the file says otherwise."""

_DIMENSIONS = 4
"""The most that a tensor has."""

_TEMPLATE, _TOKENS = "tokenizer.chat_template", "tokenizer.ggml.tokens"

_AGAIN = "get the file again, and compare its size with that of its source"


class Header(NamedTuple):
    """What a file says of its model.

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
        InputError: it is no GGUF file, it is cut off, or it lacks what a chat needs.
    """
    try:
        with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:4] != _MAGIC:
                raise InputError("not a GGUF file", where=str(file), hint="name a file of llama.cpp's format")
            reader = _Reader(data)
            fields, tensors = reader.header()
            start, size = reader.place, len(data)
    except (OSError, ValueError) as error:
        said = "it is empty" if isinstance(error, ValueError) else error.strerror or error
        raise InputError(f"cannot read the model: {said}", where=str(file)) from error
    except (struct.error, OverflowError, MemoryError) as error:
        raise InputError("the GGUF file is cut off or damaged", where=str(file), hint=_AGAIN) from error
    return _checked(file, fields, tensors, start=start, size=size)


def _checked(
    file: Path, fields: dict[str, Any], tensors: list[tuple[int, ...]], *, start: int, size: int
) -> Header:
    from gguf import GGML_QUANT_SIZES

    apart = fields.get("general.alignment", _APART)
    start += -start % apart if isinstance(apart, int) and apart > 0 else 0
    needs = [(offset, _bytes(kind, elements, GGML_QUANT_SIZES)) for offset, kind, elements in tensors]
    end = start + max((offset + length for offset, length in needs), default=0)
    if not tensors or end > size:
        missing = f": {size:,} bytes of at least {end:,}" if tensors else ""
        raise InputError(f"the GGUF file is cut off{missing}", where=str(file), hint=_AGAIN)
    architecture = str(fields.get("general.architecture", ""))
    window = fields.get(f"{architecture}.context_length")
    for name, value, hint in (
        ("architecture", architecture, "name a file with a language model"),
        ("context length", isinstance(window, int) and window > 0, "name a file with a language model"),
        ("tokenizer", fields.get(_TOKENS), "name a file that was made with its tokenizer"),
        ("chat template", fields.get(_TEMPLATE), "name the file of an instruction-tuned model"),
    ):
        if not value:
            raise InputError(f"the GGUF file has no {name}", where=str(file), hint=hint)
    return Header(architecture, int(window or 0), str(fields[_TEMPLATE]), sum(each[2] for each in tensors))


def _bytes(kind: int, elements: int, sizes: Any) -> int:
    """The size of a tensor; of an unknown kind at least nothing."""
    block, length = sizes.get(kind, (1, 0))
    return elements // int(block) * int(length)


class _Reader:
    """Reads one value after the other. The lengths in the file are not believed: no list is allocated."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.place = len(_MAGIC)

    def header(self) -> tuple[dict[str, Any], list[tuple[int, ...]]]:
        """The fields, and of each tensor its offset from the first one, its kind and its length."""
        version, tensors, fields = self._numbers("IQQ")
        if version not in _VERSIONS:
            raise struct.error("a version that nobody knows")
        found = {self._text(): self._value(self._number("I")) for _ in range(fields)}
        return found, list(self._tensors(tensors))

    def _tensors(self, count: int) -> Iterator[tuple[int, ...]]:
        for _ in range(count):
            self._text()
            dimensions = self._number("I")
            if dimensions > _DIMENSIONS:
                raise struct.error("more dimensions than a tensor has")
            elements = prod(self._number("Q") for _ in range(dimensions))
            kind, offset = self._numbers("IQ")
            yield offset, kind, elements

    def _value(self, kind: int) -> Any:
        """A number, a text, or the length of a list."""
        if kind == _TEXT:
            return self._text()
        if kind != _LIST:
            return self._number(_form(kind))
        inner, count = self._numbers("IQ")
        if inner == _TEXT:
            for _ in range(count):
                self._skip(self._number("Q"))
        else:
            self._skip(count * struct.calcsize(_form(inner)))
        return count

    def _text(self) -> str:
        start = self.place + 8
        self._skip(self._number("Q"))
        return self._data[start : self.place].decode("utf-8", "replace")

    def _skip(self, length: int) -> None:
        self.place += length
        if self.place > len(self._data):
            raise struct.error("beyond the end")

    def _number(self, form: str) -> Any:
        return self._numbers(form)[0]

    def _numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self.place)
        self._skip(struct.calcsize(f"<{form}"))
        return found


def _form(kind: int) -> str:
    if kind not in _NUMBERS:
        raise struct.error("a kind of value that nobody knows")
    return _NUMBERS[kind]
