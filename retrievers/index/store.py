"""The vector store: ChromaDB, in a folder or on a server. Array files for search are made from it."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.extras import check_vectors
from worksmith.retrievers.index.manifest import MANIFEST, REINDEX, IndexManifest
from worksmith.retrievers.index.server import ADDRESS, failure, is_server, server_client
from worksmith.retrievers.index.store_check import StoreError, check_store
from worksmith.retrievers.texts.documents import Document, fingerprint

_PAGE = 2000
"""Rows that are read at once; the local store allows some thousand variables in a statement."""

FOLDER = "chroma"
"""The folder of the store, in that of the index."""


class Passage(NamedTuple):
    """A passage of a document and its vector.

    Attributes:
        number: its number among the document's passages, from 0.
        of: the number of the document's passages.
        vector: of shape (dimension,), of length 1.
    """

    document: Document
    number: int
    of: int
    vector: NDArray[np.float32]


class Store:
    """A database of collections, one for each source.

    Args:
        address: `http://host:port` of a Chroma server, or a folder.
        prefix: the prefix of the names of collections, so that several worlds can share a server.

    Raises:
        RetrievalError: no server answers, the folder holds no database, or the extra `vectors` is not
            installed.
    """

    def __init__(self, address: str, prefix: str) -> None:
        self._prefix = prefix
        self._address = address
        if not is_server(address):
            check_store(Path(address))
        with _asking(address):
            self._client = _client(address)
            self.batch = int(self._client.get_max_batch_size())

    def close(self) -> None:
        """Close the files or the connection; the folder can be removed afterwards."""
        with _asking(self._address):
            self._client.close()

    def sources(self) -> list[str]:
        """The sources that have a collection."""
        with _asking(self._address):
            names = sorted(collection.name for collection in self._client.list_collections())
        return [
            name.removeprefix(f"{self._prefix}.") for name in names if name.startswith(f"{self._prefix}.")
        ]

    def open(self, source: str, identity: Mapping[str, str]) -> StoredCollection:
        """The finished collection of `source`.

        Args:
            identity: the metadata that it must have: model, format, digest of the documents.
        """
        import chromadb.errors

        where = f"{self._address}, collection {source}"
        try:
            with _asking(self._address, chromadb.errors.NotFoundError, ValueError):
                collection = self._client.get_collection(self._name(source), embedding_function=None)
        except (chromadb.errors.NotFoundError, ValueError) as error:
            raise RetrievalError("is not in the store", where=where, hint=REINDEX) from error
        found = collection.metadata or {}
        for name, value in identity.items():
            if found.get(name) != value:
                fault = "it was not finished" if name == "digest" and not found.get(name) else f"other {name}"
                raise RetrievalError(f"does not fit: {fault}", where=where, hint=REINDEX)
        return StoredCollection(collection, self.batch, self._address)

    def begin(self, source: str, model: Mapping[str, str]) -> StoredCollection:
        """The collection of `source` to write into; made if absent, emptied if another model wrote it.

        Args:
            model: the metadata of the model.
        """
        name = self._name(source)
        with _asking(self._address):
            collection = self._client.get_or_create_collection(
                name,
                metadata=dict(model),
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
            )
        found = collection.metadata or {}
        if any(found.get(key) != value for key, value in model.items()):
            self.drop(source)
            return self.begin(source, model)
        return StoredCollection(collection, self.batch, self._address)

    def drop(self, source: str) -> None:
        with _asking(self._address):
            self._client.delete_collection(self._name(source))

    def _name(self, source: str) -> str:
        return f"{self._prefix}.{source}"


class StoredCollection:
    """The passages of one source in the store."""

    def __init__(self, collection: Any, batch: int, address: str) -> None:
        self._collection = collection
        self._batch = batch
        self._address = address

    def present(self) -> dict[str, str]:
        """The fingerprint of each record's document by key; empty if passages are missing."""
        marks: dict[str, list[str]] = {}
        counts: dict[str, int] = {}
        for metadatas, _ in self._pages(vectors=False):
            for entry in metadatas:
                marks.setdefault(entry["_key"], []).append(entry["_fingerprint"])
                counts[entry["_key"]] = int(entry["_count"])
        return {key: found[0] if found == [found[0]] * counts[key] else "" for key, found in marks.items()}

    def put(self, passages: Iterable[Passage]) -> None:
        """Write passages; those of a batch are written together or not at all."""
        for batch in _batches(list(passages), self._batch):
            with _asking(self._address):
                self._collection.upsert(
                    ids=[passage_id(p.document.key, p.number) for p in batch],
                    embeddings=np.stack([p.vector for p in batch]),
                    metadatas=[_metadata(p) for p in batch],
                )

    def remove(self, keys: Iterable[str]) -> None:
        """Remove all passages of these records."""
        for batch in _batches(list(keys), _PAGE):
            with _asking(self._address):
                self._collection.delete(where={"_key": {"$in": batch}})

    def finish(self, digest: str) -> None:
        """Mark the collection whole; an empty digest marks it as changing."""
        metadata = {key: value for key, value in self._collection.metadata.items() if key != "digest"}
        with _asking(self._address):
            self._collection.modify(metadata={**metadata, "digest": digest})

    def rows(self) -> tuple[list[str], list[int], NDArray[np.float32]]:
        """The keys, numbers and vectors (passages, dimension) of all passages, in the store's order."""
        keys: list[str] = []
        numbers: list[int] = []
        blocks: list[NDArray[np.float32]] = []
        for metadatas, vectors in self._pages(vectors=True):
            keys += [entry["_key"] for entry in metadatas]
            numbers += [int(entry["_passage"]) for entry in metadatas]
            blocks.append(np.asarray(vectors, dtype=np.float32))
        matrix = np.concatenate(blocks) if blocks else np.empty((0, 0), dtype=np.float32)
        return keys, numbers, matrix

    def query(
        self,
        vector: NDArray[np.float32],
        count: int,
        ids: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[tuple[str, float]]:
        """Find the nearest passages by the store's own (approximate) search.

        Args:
            vector: the query, of shape (dimension,).
            count: the most passages.
            ids: the passages to search, by id; None searches all.
            where: a condition of the store on the fields of passages.

        Returns:
            The record's key and the cosine similarity of each passage, nearest first.
        """
        with _asking(self._address):
            found = self._collection.query(
                query_embeddings=vector[None, :],
                n_results=count,
                ids=None if ids is None else list(ids),
                where=None if where is None else dict(where),
                include=["metadatas", "distances"],
            )
        return [
            (str(entry["_key"]), 1 - float(distance))
            for entry, distance in zip(found["metadatas"][0], found["distances"][0], strict=True)
        ]

    def _pages(self, *, vectors: bool) -> Iterator[tuple[list[Any], Any]]:
        include = ["metadatas", "embeddings"] if vectors else ["metadatas"]
        offset = 0
        while True:
            with _asking(self._address):
                page = self._collection.get(include=include, limit=_PAGE, offset=offset)
            if not page["ids"]:
                return
            yield page["metadatas"], page["embeddings"] if vectors else None
            offset += len(page["ids"])


def open_store(directory: Path, manifest: IndexManifest, server: str | None) -> Store:
    """The store of the index in `directory`."""
    server = server or os.environ.get(ADDRESS)
    if manifest.server and server is None:
        hint = f"name it: --store http://host:port, or set {ADDRESS}"
        raise RetrievalError("the vectors are on a server", where=str(directory / MANIFEST), hint=hint)
    if not manifest.server and not (directory / FOLDER).is_dir():
        raise RetrievalError("the vector store is gone", where=str(directory / FOLDER), hint=REINDEX)
    identity = shared_identity(directory, manifest.version, manifest.embedder.digest)
    return store_of(directory, server if manifest.server else None, identity)


def store_of(directory: Path, server: str | None, identity: str = "") -> Store:
    """The store of an index, made if absent: in its folder, or on a server.

    Args:
        identity: distinguishes the collections of this index from others on a server.
    """
    if server is None:
        return Store(str(directory / FOLDER), "worksmith")
    prefix = "worksmith-" + hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
    return Store(server.rstrip("/"), prefix)


def shared_identity(directory: Path, version: str, model: str) -> str:
    """The common name of indexes of the same world by the same model, on any machine.

    Folders have the same names on many machines, so a folder distinguishes only indexes without a version.
    """
    return f"{version or directory.resolve()} {model}"


def _client(address: str) -> Any:
    check_vectors()
    import chromadb
    from chromadb.config import Settings

    # It reports to its makers otherwise, and logs that it could not.
    settings = Settings(anonymized_telemetry=False)
    logging.getLogger("chromadb.telemetry").setLevel(logging.CRITICAL)
    if not is_server(address):
        # It keeps clients by this text; a relative one would lead into an earlier working folder.
        return chromadb.PersistentClient(Path(address).resolve(), settings=settings)
    return server_client(address, settings)


@contextmanager
def _asking(address: str, *known: type[Exception]) -> Iterator[None]:
    """Turn all errors of Chroma, panics included, into `StoreError`, except those that are `known`."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, (RetrievalError, KeyboardInterrupt, SystemExit, GeneratorExit, *known)):
            raise
        if is_server(address):
            raise failure(error, address) from error
        said = str(error).strip().partition("\n")[0]
        raise StoreError(f"the vector store failed: {said}", where=address, hint=REINDEX) from error


def passage_id(key: str, number: int) -> str:
    return f"{key}#{number}"


def _metadata(passage: Passage) -> dict[str, str | int]:
    return {
        **passage.document.fields,
        "_key": passage.document.key,
        "_fingerprint": fingerprint(passage.document),
        "_passage": passage.number,
        "_count": passage.of,
    }


def _batches(items: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
