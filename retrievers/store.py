"""The vector store: ChromaDB, in a folder or on a server. It is the truth of which array files are made."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from retrievers.documents import Document, fingerprint
from retrievers.errors import RetrievalError
from retrievers.exact import Nearest
from retrievers.library import FORMAT, REINDEX

_PAGE = 2000
"""Rows read at once; the local store allows no more variables in one statement than some thousands."""

_ROOM = 4
"""Passages asked for per record wanted: a record may have several among the nearest."""


class Passage(NamedTuple):
    """One passage of a record, as the store keeps it."""

    document: Document
    number: int
    of: int
    vector: NDArray[np.float32]


class Store:
    """A database of collections, one for each source.

    Args:
        address: `http://host:port` of a Chroma server, or a folder.
        prefix: of the names of the collections, so that several worlds can share a server.

    Raises:
        RetrievalError: no server answers, or the folder holds no database.
    """

    def __init__(self, address: str, prefix: str) -> None:
        self._prefix = prefix
        self._address = address
        self._client = _client(address)
        self.batch = int(self._client.get_max_batch_size())

    def sources(self) -> list[str]:
        """What has a collection."""
        names = sorted(collection.name for collection in self._client.list_collections())
        return [
            name.removeprefix(f"{self._prefix}.") for name in names if name.startswith(f"{self._prefix}.")
        ]

    def open(self, source: str, identity: Mapping[str, str]) -> StoredCollection:
        """The finished collection of `source`.

        Args:
            identity: what its metadata has to say: model, format, digest of the documents.

        Raises:
            RetrievalError: there is none, or it is another one.
        """
        import chromadb.errors

        where = f"{self._address}, collection {source}"
        try:
            collection = self._client.get_collection(self._name(source), embedding_function=None)
        except (chromadb.errors.NotFoundError, ValueError) as error:
            raise RetrievalError("is not in the store", where=where, hint=REINDEX) from error
        found = collection.metadata or {}
        for name, value in identity.items():
            if found.get(name) != value:
                said = "it was not finished" if name == "digest" and not found.get(name) else f"other {name}"
                raise RetrievalError(f"does not fit: {said}", where=where, hint=REINDEX)
        return StoredCollection(collection, self.batch)

    def begin(self, source: str, model: Mapping[str, str]) -> StoredCollection:
        """The collection of `source` to write into; whatever another model made of it is dropped."""
        name = self._name(source)
        fresh = {"format": FORMAT, **model}
        collection = self._client.get_or_create_collection(
            name, metadata=fresh, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        found = collection.metadata or {}
        if any(found.get(key) != value for key, value in fresh.items()):
            self._client.delete_collection(name)
            return self.begin(source, model)
        return StoredCollection(collection, self.batch)

    def drop(self, source: str) -> None:
        """Remove the collection of `source`."""
        self._client.delete_collection(self._name(source))

    def _name(self, source: str) -> str:
        return f"{self._prefix}.{source}"


class StoredCollection:
    """The passages of one source in the store."""

    def __init__(self, collection: Any, batch: int) -> None:
        self._collection = collection
        self._batch = batch

    def present(self) -> dict[str, str]:
        """For each record the fingerprint of its document; empty where only a part of it is there."""
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
            self._collection.upsert(
                ids=[_identity(p.document.key, p.number) for p in batch],
                embeddings=np.stack([p.vector for p in batch]),
                metadatas=[_metadata(p) for p in batch],
            )

    def remove(self, keys: Iterable[str]) -> None:
        """Remove all passages of these records."""
        for batch in _batches(list(keys), _PAGE):
            self._collection.delete(where={"_key": {"$in": batch}})

    def finish(self, digest: str) -> None:
        """Say that everything is there; an empty digest says that it is being changed."""
        metadata = {key: value for key, value in self._collection.metadata.items() if key != "digest"}
        self._collection.modify(metadata={**metadata, "digest": digest})

    def rows(self) -> tuple[list[str], list[int], NDArray[np.float32]]:
        """Record and number of every passage with its vector, in the store's order."""
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
        """Record and similarity of the nearest passages, by the store's own (approximate) search.

        Args:
            ids: only these passages; None is all.
            where: only passages whose fields satisfy this condition of the store.
        """
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
            page = self._collection.get(include=include, limit=_PAGE, offset=offset)
            if not page["ids"]:
                return
            yield page["metadatas"], page["embeddings"] if vectors else None
            offset += len(page["ids"])


class StoreVectors:
    """Nearest neighbours by the store's own search, for sources that do not fit into memory.

    Approximate where many records are eligible. What may be found goes to the store as a list of what it
    may return, and what it returns is checked against that again.

    Args:
        keys: of the records, in order.
        counts: passages of each.
    """

    def __init__(self, collection: StoredCollection, keys: Sequence[str], counts: NDArray[np.int32]) -> None:
        self._collection = collection
        self._keys = keys
        self._places = {key: place for place, key in enumerate(keys)}
        self._counts = counts

    def nearest(self, query: NDArray[np.float32], k: int, eligible: NDArray[np.bool_] | None) -> Nearest:
        """The `k` records whose best passage is nearest, ties in order of place."""
        ids = None if eligible is None else self._ids(eligible)
        total = int(self._counts.sum()) if ids is None else len(ids)
        best: dict[int, float] = {}
        count = min(total, k * _ROOM)
        while count:
            for key, score in self._collection.query(query, count, ids):
                place = self._places[key]
                if eligible is None or eligible[place]:
                    best[place] = max(score, best.get(place, -1.0))
            if len(best) >= k or count == total:
                break
            count = min(total, count * _ROOM)
        order = sorted(best.items(), key=lambda pair: (-round(pair[1], 6), pair[0]))[:k]
        return Nearest(
            np.asarray([place for place, _ in order], dtype=np.intp),
            np.asarray([round(score, 6) for _, score in order]),
        )

    def _ids(self, eligible: NDArray[np.bool_]) -> list[str]:
        return [
            _identity(self._keys[place], number)
            for place in np.flatnonzero(eligible).tolist()
            for number in range(int(self._counts[place]))
        ]


def prefix_for(directory: Path, server: bool) -> str:
    """Names of collections in a folder of their own need no distinction; on a server each world is apart."""
    if not server:
        return "worksmith"
    return "worksmith-" + hashlib.blake2b(str(directory.resolve()).encode(), digest_size=6).hexdigest()


def is_server(address: str) -> bool:
    """Whether a store's address is a server's."""
    return address.startswith(("http://", "https://"))


def _client(address: str) -> Any:
    import chromadb
    from chromadb.config import Settings

    # It reports to its makers otherwise, and logs that it could not.
    settings = Settings(anonymized_telemetry=False)
    logging.getLogger("chromadb.telemetry").setLevel(logging.CRITICAL)
    try:
        if not is_server(address):
            # It keeps clients by this text; a relative one would lead into an earlier working folder.
            return chromadb.PersistentClient(Path(address).resolve(), settings=settings)
        parts = urlsplit(address)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 8000)
        return chromadb.HttpClient(str(parts.hostname), port, ssl=secure, settings=settings)
    except Exception as error:  # it raises anything, pyo3 panics included
        hint = None if is_server(address) else "if it is damaged, remove the folder and index again"
        raise RetrievalError(
            f"the vector store cannot be opened: {error}", where=address, hint=hint
        ) from error


def _identity(key: str, number: int) -> str:
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
