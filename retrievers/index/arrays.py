"""What searches read: the vectors and words of one source as array files, which open in a moment.

They are made from the store and the documents and can be made again from them at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.manifest import REINDEX, Entry
from worksmith.retrievers.ranking.coded import Codes, encode
from worksmith.retrievers.ranking.words import WordIndex, index_words
from worksmith.retrievers.strict_json import open_regular, parse_json

FOLDER = "arrays"

CODED = 20_000
"""The passages from which a source has codes beside its vectors; fewer vectors are fast to read."""

_CODES = {"head": "head.npy", "tail": "tail.npy", "rest": "codes.npz"}
"""The files of codes by their ending: the mapped ones, and one for all else."""


class Arrays(NamedTuple):
    """One source, ready to be searched.

    Attributes:
        keys: of the records, in order.
        owners: the record of each passage; the passages of a record stand together.
        matrix: the vector of each passage.
        codes: of the vectors, where there are many.
    """

    keys: tuple[str, ...]
    owners: NDArray[np.int32]
    matrix: NDArray[np.float32]
    words: WordIndex
    codes: Codes | None = None


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


def write(directory: Path, name: str, arrays: Arrays) -> dict[str, str]:
    """Write the files of `name`.

    Returns:
        The SHA-256 of each, by its ending.
    """
    keys = np.frombuffer(json.dumps(arrays.keys).encode(), dtype=np.uint8)
    tables: dict[str, Any] = {"keys": keys, "owners": arrays.owners, **arrays.words.arrays}
    folder = directory / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    matrix, rest = folder / f"{name}.npy", folder / f"{name}.npz"
    replace(matrix, lambda file: np.save(file, arrays.matrix))
    replace(rest, lambda file: np.savez(file, **tables))
    return {"npy": _hash(matrix), "npz": _hash(rest)}


def write_codes(directory: Path, name: str, matrix: NDArray[np.float32]) -> dict[str, str]:
    """Write codes of the vectors of `name`, if they are many.

    Returns:
        The SHA-256 of each file, by its ending; empty for few vectors.
    """
    if len(matrix) < CODED:
        return {}
    codes = encode(matrix)
    folder = directory / FOLDER
    small = {part: getattr(codes, part) for part in Codes._fields if part not in ("head", "tail")}
    replace(folder / f"{name}.{_CODES['head']}", lambda file: np.save(file, codes.head))
    replace(folder / f"{name}.{_CODES['tail']}", lambda file: np.save(file, codes.tail))
    replace(folder / f"{name}.{_CODES['rest']}", lambda file: np.savez(file, **small))
    return {ending: _hash(folder / f"{name}.{ending}") for ending in _CODES.values()}


def read(directory: Path, entry: Entry, dimension: int) -> Arrays:
    """The arrays of a source.

    The vectors are mapped: processes that read the same file share its memory.

    Args:
        dimension: of the vectors.
    """
    hashes = {**entry.hashes, **entry.codes}
    endings = ("npz", "npy", *(_CODES.values() if entry.codes else ()))
    files = {ending: directory / FOLDER / f"{entry.arrays}.{ending}" for ending in endings}
    for ending, file in files.items():
        try:
            found = _hash(file)
        except OSError as error:
            raise RetrievalError(
                f"cannot be read: {error.strerror}", where=str(file), hint=REINDEX
            ) from error
        if found != hashes.get(ending):
            raise RetrievalError("is damaged: its hash is another", where=str(file), hint=REINDEX)
    try:
        with np.load(files["npz"], allow_pickle=False) as file:
            content = {part: file[part] for part in file.files}
        matrix = np.load(files["npy"], mmap_mode="r", allow_pickle=False)
        keys = tuple(parse_json(bytes(content.pop("keys"))))
        owners = content.pop("owners")
        arrays = Arrays(keys, owners, matrix, WordIndex(content), _codes(files) if entry.codes else None)
        _check(arrays, entry, dimension)
    except Exception as error:  # the writer of the hashes may have written anything
        said = str(error).partition("\n")[0]
        where = str(files["npz"])
        raise RetrievalError(
            f"is not an array file of an index: {said}", where=where, hint=REINDEX
        ) from error
    return arrays


def _codes(files: dict[str, Path]) -> Codes:
    head, tail = (
        np.load(files[_CODES[part]], mmap_mode="r", allow_pickle=False) for part in ("head", "tail")
    )
    with np.load(files[_CODES["rest"]], allow_pickle=False) as file:
        return Codes(head, tail, **{part: file[part] for part in file.files})


def _check(arrays: Arrays, entry: Entry, dimension: int) -> None:
    """See that the arrays fit each other, so that no search can fail on them."""
    keys, owners, matrix, words, codes = arrays
    if (len(keys), len(owners)) != (entry.documents, entry.passages):
        raise ValueError("other numbers of records or passages")
    # Of nothing there is nothing to be wrong with; an empty matrix has no width.
    if matrix.shape[0] != len(owners) or (len(owners) and matrix.shape != (len(owners), dimension)):
        raise ValueError("vectors of another shape")
    if matrix.dtype != np.float32 or not np.issubdtype(owners.dtype, np.integer):
        raise ValueError("values of another type")
    if len(owners) and (owners[0] < 0 or owners[-1] >= len(keys) or (np.diff(owners) < 0).any()):
        raise ValueError("passages of no record")
    if not all(isinstance(key, str) for key in keys) or len(set(keys)) != len(keys):
        raise ValueError("invalid keys")
    words.check(len(keys))
    if codes is not None:
        codes.check(len(owners), dimension)


def tidy(directory: Path, wanted: set[str]) -> None:
    """Delete all array files but `wanted`."""
    for file in sorted((directory / FOLDER).glob("*.np[yz]")):
        if file.name.partition(".")[0] not in wanted:
            file.unlink()


def _hash(path: Path) -> str:
    with open_regular(path) as file:
        content = hashlib.sha256()
        while block := file.read(2**20):
            content.update(block)
    return content.hexdigest()


def replace(path: Path, save: Callable[[BinaryIO], object]) -> None:
    """Write a file in one step, so that no process reads half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            save(file)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
