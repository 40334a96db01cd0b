"""What searches read: the vectors and words of one source as array files, which open in a moment.

They are made from the store and the documents and can be made again from them at any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrievers.words import WordIndex, index_words

FOLDER = "arrays"


class Arrays(NamedTuple):
    """One source, ready to be searched.

    Attributes:
        keys: of the records, in order.
        owners: the record of each passage; the passages of a record stand together.
        matrix: the vector of each passage.
    """

    keys: tuple[str, ...]
    owners: NDArray[np.int32]
    matrix: NDArray[np.float32]
    words: WordIndex


def assemble(
    texts: dict[str, str], keys: Sequence[str], numbers: Sequence[int], vectors: NDArray[np.float32]
) -> Arrays:
    """Put passages, in any order, into the order of their records.

    Args:
        texts: by key, in order of the keys.
        keys: the record of each passage.
        numbers: its number within the record.
    """
    places = {key: place for place, key in enumerate(texts)}
    owners = np.asarray([places[key] for key in keys], dtype=np.int32)
    order = np.lexsort((np.asarray(numbers, dtype=np.int64), owners))
    matrix = np.ascontiguousarray(vectors[order]) if len(keys) else vectors
    return Arrays(tuple(texts), owners[order], matrix, WordIndex(index_words(list(texts.values()))))


def write(directory: Path, name: str, arrays: Arrays) -> None:
    """Write the files of `name`."""
    keys = np.frombuffer(json.dumps(arrays.keys).encode(), dtype=np.uint8)
    tables: dict[str, Any] = {"keys": keys, "owners": arrays.owners, **arrays.words.arrays}
    folder = directory / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / f"{name}.npy", lambda file: np.save(file, arrays.matrix))
    replace(folder / f"{name}.npz", lambda file: np.savez(file, **tables))


def read(directory: Path, name: str) -> Arrays | None:
    """The arrays of `name`; None where the files are missing or damaged.

    The vectors are mapped: processes that read the same file share its memory.
    """
    folder = directory / FOLDER
    try:
        with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
            content = {part: file[part] for part in file.files}
        matrix = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        keys = tuple(json.loads(bytes(content.pop("keys"))))
        owners = content.pop("owners")
        arrays = Arrays(keys, owners, matrix, WordIndex(content))
    except (OSError, ValueError, KeyError, EOFError, UnicodeError):
        return None
    return arrays if len(matrix) == len(owners) else None


def tidy(directory: Path, wanted: set[str]) -> None:
    """Delete the files of everything but `wanted`."""
    for file in sorted((directory / FOLDER).glob("*.np[yz]")):
        if file.stem not in wanted:
            file.unlink()


def replace(path: Path, save: Callable[[BinaryIO], object]) -> None:
    """Write a file in one step, so that no other process reads half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            save(file)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
