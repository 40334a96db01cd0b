"""Checking an index: record by record against its documents, and the store against the arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index import arrays
from worksmith.retrievers.index.manifest import REINDEX, IndexManifest, collection_metadata, read_manifest
from worksmith.retrievers.index.store import Store, open_store
from worksmith.retrievers.index.store_check import StoreError
from worksmith.retrievers.texts.documents import Document, Documents, by_key, fingerprint

_ROUNDING = 1e-4
"""How far a vector may be off that the store has normalised; one that is another is off by much more."""

Rows = tuple[Sequence[str], Sequence[int], NDArray[np.float32]]
"""Record, number and vector of passages, in any order."""


def check_index(
    directory: Path | str, documents: Documents, store: str | None = None
) -> dict[str, dict[str, int]]:
    """For each source how many records of the index are `sound`, `missing`, `changed` or `extra`.

    Compares the store itself with the documents, record by record, and its vectors with those that are
    searched.

    Args:
        store: address of the Chroma server, if the vectors are on one.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    if manifest is None:
        raise RetrievalError(
            "there is no finished index", where=str(directory), hint="`worksmith index` makes one"
        )
    opened = open_store(directory, manifest, store)
    try:
        return {
            source: _checked(directory, manifest, opened, source, make())
            for source, make in documents.items()
        }
    finally:
        opened.close()


def _checked(
    directory: Path, manifest: IndexManifest, store: Store, source: str, made: Iterable[Document]
) -> dict[str, int]:
    wanted = {key: fingerprint(document) for key, document in by_key(source, made).items()}
    made_by = collection_metadata(manifest.embedder.name, manifest.embedder.digest)
    collection = store.open(source, made_by)
    there = collection.present()
    same = sum(there.get(key) == mark for key, mark in wanted.items())
    missing = len(wanted.keys() - there.keys())
    if same == len(wanted) == len(there) and source in manifest.collections:
        searched = arrays.read(directory, manifest.collections[source], manifest.embedder.dimension)
        compare(source, collection.rows(), searched, wanted.keys())
    return {
        "sound": same,
        "missing": missing,
        "changed": len(wanted) - same - missing,
        "extra": len(there.keys() - wanted.keys()),
    }


def compare(source: str, rows: Rows, searched: arrays.Arrays, kept: Set[str]) -> None:
    """See that the store's vectors of the records `kept` are those that are searched, where they are."""
    keys, numbers, vectors = rows
    kept = kept & set(searched.keys)
    stored = sorted(
        (key, number, row) for row, (key, number) in enumerate(zip(keys, numbers, strict=True)) if key in kept
    )
    owners = [searched.keys[owner] for owner in searched.owners]
    places = [place for place, key in enumerate(owners) if key in kept]
    same = [key for key, _, _ in stored] == [owners[place] for place in places]
    if same and places:
        found = vectors[[row for _, _, row in stored]]
        same = bool(np.allclose(found, searched.matrix[places], atol=_ROUNDING))
    if not same:
        raise StoreError("the vector store holds other vectors than are searched", where=source, hint=REINDEX)
