"""Opening one source of an index that was built."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Literal

import numpy as np

from worksmith.retrievers.embedding.models import Embedder, open_embedder
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index import arrays
from worksmith.retrievers.index.collection import Collection, Mode
from worksmith.retrievers.index.manifest import REINDEX, IndexManifest
from worksmith.retrievers.ranking.coded import CodedVectors
from worksmith.retrievers.ranking.exact import ExactVectors, Vectors
from worksmith.retrievers.texts.documents import Documents, by_key, fingerprint, index_digest

Engine = Literal["exact", "chroma"]


def stored(
    directory: Path,
    manifest: IndexManifest,
    source: str,
    documents: Documents,
    mode: Mode,
    engine: Engine,
    store: str | None,
) -> Collection:
    """The index of one source from its files.

    Raises:
        RetrievalError: they are missing, damaged, or do not fit the documents.
    """
    entry = manifest.collections[source]
    model = manifest.embedder
    if not manifest.version:
        _compare(directory, source, documents, model.digest, entry.digest)
    made = arrays.read(directory, entry, model.dimension)
    vectors: Vectors = (
        ExactVectors(made.matrix, made.owners)
        if made.codes is None
        else CodedVectors(made.matrix, made.owners, made.codes)
    )
    if engine == "chroma":
        from worksmith.retrievers.index.store import open_store
        from worksmith.retrievers.index.store_vectors import StoreVectors

        collection = open_store(directory, manifest, store).open(source, manifest.identity(source))
        counts = np.bincount(made.owners, minlength=len(made.keys)).astype(np.int32)
        vectors = StoreVectors(collection, made.keys, counts)
    opener = partial(_embedder, model.name, model.digest, str(directory))
    return Collection(source, made.keys, made.words, mode, vectors, opener)


def _compare(directory: Path, source: str, documents: Documents, model: str, digest: str) -> None:
    found = by_key(source, documents[source]())
    if index_digest(model, map(fingerprint, found.values())) != digest:
        raise RetrievalError(
            f"the documents of {source} have changed since", where=str(directory), hint=REINDEX
        )


@cache
def _embedder(name: str, digest: str, directory: str) -> Embedder:
    embedder = open_embedder(name)
    if embedder.digest != digest:
        raise RetrievalError(
            f"was made with another version of the model {name}", where=directory, hint=REINDEX
        )
    return embedder
