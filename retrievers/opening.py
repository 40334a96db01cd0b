"""Opening one source of an index that was built."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrievers import arrays
from retrievers.collection import Collection
from retrievers.documents import Documents, by_key, digest_of, fingerprint
from retrievers.embedding import Embedder, open_embedder
from retrievers.errors import RetrievalError
from retrievers.exact import ExactVectors, Vectors
from retrievers.library import FORMAT, REINDEX

if TYPE_CHECKING:
    from retrievers.library import Engine, Mode


def stored(
    directory: Path,
    manifest: Mapping[str, Any],
    source: str,
    documents: Documents,
    mode: Mode,
    engine: Engine,
) -> Collection:
    """The index of one source from its files; from the store where they are missing.

    Raises:
        RetrievalError: the store is gone too, or does not fit the documents.
    """
    entry = manifest["collections"][source]
    model = manifest["embedder"]
    if not manifest["version"]:
        _compare(directory, source, documents, model["digest"], entry["digest"])
    made = arrays.read(directory, entry["arrays"])
    if made is None or len(made.owners) != entry["passages"]:
        made = _from_store(directory, source, documents, entry)
    vectors: Vectors = ExactVectors(made.matrix, made.owners)
    if engine == "chroma":
        from retrievers.building import open_store
        from retrievers.store import StoreVectors

        collection = open_store(directory)[0].open(source, _identity(manifest, entry))
        counts = np.bincount(made.owners, minlength=len(made.keys)).astype(np.int32)
        vectors = StoreVectors(collection, made.keys, counts)
    opener = partial(_embedder, model["name"], model["digest"], str(directory))
    return Collection(source, made.keys, made.words, mode, vectors, opener)


def _compare(directory: Path, source: str, documents: Documents, model: str, digest: str) -> None:
    found = by_key(source, documents[source]())
    if digest_of([model, *(fingerprint(document) for document in found.values())]) != digest:
        raise RetrievalError(
            f"the documents of {source} have changed since", where=str(directory), hint=REINDEX
        )


def _from_store(
    directory: Path, source: str, documents: Documents, entry: Mapping[str, Any]
) -> arrays.Arrays:
    """Read the vectors from the store and keep them as files for the next time."""
    from retrievers.building import open_store

    store, manifest = open_store(directory)
    rows = store.open(source, _identity(manifest, entry)).rows()
    texts = {key: document.text for key, document in by_key(source, documents[source]()).items()}
    if set(rows[0]) != set(texts):
        raise RetrievalError(f"the store holds other records of {source}", where=str(directory), hint=REINDEX)
    made = arrays.assemble(texts, *rows)
    # A folder may be one that can only be read; then the next process reads the store again.
    with suppress(OSError):
        arrays.write(directory, entry["arrays"], made)
    return made


def _identity(manifest: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, str]:
    embedder = manifest["embedder"]
    return {
        "format": FORMAT,
        "embedder": embedder["name"],
        "embedder_digest": embedder["digest"],
        "digest": entry["digest"],
    }


@cache
def _embedder(name: str, digest: str, directory: str) -> Embedder:
    embedder = open_embedder(name)
    if embedder.digest != digest:
        raise RetrievalError(
            f"was made with another version of the model {name}", where=directory, hint=REINDEX
        )
    return embedder
