"""Reading files of JSON, whoever wrote them: one place for refusals and their messages.

Only regular files of a bounded size are read; see `worksmith.retrievers.strict_json` for the definition of
JSON. Every fault is an `InputError` with the file, the line and the field, and what to do.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from worksmith.retrievers import strict_json
from worksmith.retrievers.strict_json import open_regular, parse_json, read_regular
from worksmith.tools.errors import InputError, Notice

Model = TypeVar("Model", bound=BaseModel)


def read_json(path: Path, what: str, *, hint: str | None = None) -> Any:
    """The value in a file.

    Args:
        what: the file ought to be, with an article, e.g. `a trace bank`.
        hint: what to do if it is not.

    Raises:
        InputError: it cannot be read, or is not JSON.
    """
    return parsed(read_file(path, what, hint=hint), what, where=str(path), hint=hint)


def read_model(path: Path, model: type[Model], what: str, *, hint: str | None = None) -> Model:
    """The value in a file as a `model`; see `read_json`.

    Raises:
        InputError: it cannot be read, or is not one.
    """
    value = read_json(path, what, hint=hint)
    return validated(value, model, what, where=str(path), hint=hint)


def read_file(path: Path, what: str, *, hint: str | None = None) -> bytes:
    """The bytes of a regular file; see `read_json`.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return read_regular(path)
    except OSError as error:
        raise _unreadable(error, what, path, hint) from error


def read_lines(
    path: Path, what: str, *, hint: str | None = None, appended: bool = False
) -> Iterator[tuple[str, Any]]:
    """The values in a file of JSON lines, each with its place `FILE:LINE`; blank lines do not count.

    Args:
        what: a line ought to be, with an article.
        appended: the file is one that a process appends to. A last line without a line break is then the
            remains of a kill, and is left out; see `cut_torn_line`.

    Raises:
        InputError: it cannot be read, or a line is not JSON; raised when the iterator gets there.
    """
    try:
        for number, line in enumerate(strict_json.read_lines(path), start=1):
            where = f"{path}:{number}"
            if appended and not line.endswith(b"\n"):
                tell_torn(where, len(line))
            elif line.strip():
                yield where, parsed(line, what, where=where, hint=hint)
    except OSError as error:
        raise _unreadable(error, what, path, hint) from error


def read_models(
    path: Path, model: type[Model], what: str, *, hint: str | None = None, appended: bool = False
) -> Iterator[Model]:
    """The values in a file of JSON lines as `model`; see `read_lines`.

    Raises:
        InputError: it cannot be read, or a line is not one.
    """
    for where, value in read_lines(path, what, hint=hint, appended=appended):
        yield validated(value, model, what, where=where, hint=hint)


def parsed(data: bytes | str, what: str, *, where: str, hint: str | None = None) -> Any:
    """The value that `data` is; see `read_json`."""
    try:
        return parse_json(data.encode() if isinstance(data, str) else data)
    except ValueError as error:
        words = str(error).replace(
            " at line 1 column ", " at column "
        )  # of a file of lines it is another line
        raise InputError(f"not {what}: {words}", where=where, hint=hint) from error


def validated(value: Any, model: type[Model], what: str, *, where: str, hint: str | None = None) -> Model:
    """A value as a `model`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        # Pydantic names worksmith's class if there is no object.
        words = "an object is needed" if first["type"] == "model_type" else first["msg"]
        words = words.removeprefix("Value error, ")
        raise InputError(
            f"not {what}: {field}: {words}" if field else f"not {what}: {words}", where=where, hint=hint
        ) from error


def tell_torn(where: str, length: int) -> None:
    """Warn that the last line of a file is not whole."""
    message = f"{where}: the last line is not whole and is left out ({length:,} bytes): a run was killed"
    warnings.warn(Notice(message), stacklevel=2)


def cut_torn_line(path: Path) -> int:
    """Drop bytes after the last line break of a file, so that an appended line starts a new line.

    Returns:
        How many bytes that were.

    Raises:
        OSError: it cannot be read or changed, or is not a regular file.
    """
    with open_regular(path) as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        while end:
            begin = max(0, end - 2**16)
            file.seek(begin)
            block = file.read(end - begin)
            if (found := block.rfind(b"\n")) >= 0:
                end = begin + found + 1
                break
            end = begin
    if end != size:
        os.truncate(path, end)
    return size - end


def _unreadable(error: OSError, what: str, path: Path, hint: str | None) -> InputError:
    reason = error.strerror or str(error)
    return InputError(f"cannot read {what}: {reason}", where=str(path), hint=hint)
