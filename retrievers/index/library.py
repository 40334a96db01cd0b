"""The search indexes over the sources of one world: cheap to make, loaded when they are first searched."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.extras import check_vectors
from worksmith.retrievers.index.manifest import REINDEX, IndexManifest, check_model, read_manifest
from worksmith.retrievers.texts.documents import Documents

if TYPE_CHECKING:
    from worksmith.retrievers.index.collection import Collection, Mode
    from worksmith.retrievers.index.opening import Engine


class Library:
    """What can be searched. Thread-safe, shared by reference, never copied.

    Where no index was built, the sources are still searched by their words, indexed in memory.

    Args:
        directory: the folder of the index, whether it exists or not; None without an index.
        documents: the documents of each source that can be searched.
        version: content address of the documents' source; an index built over another is
            refused. Where it is empty, the documents themselves are compared when their source is loaded.
        mode: the default ranking of searches; default is hybrid where there is an index.
        engine: `exact` searches all vectors in memory, `chroma` asks the store, for what does not fit.
        store: address of the Chroma server, for that engine, if the vectors are on one.
    """

    def __init__(
        self,
        directory: Path | str | None,
        documents: Documents,
        *,
        version: str = "",
        mode: Mode | None = None,
        engine: Engine = "exact",
        store: str | None = None,
    ) -> None:
        self.directory = None if directory is None else Path(directory)
        self.documents = documents
        self._lock = threading.Lock()
        self._collections: dict[str, Collection] = {}
        self._engine: Engine = engine
        self._store = store
        self._version = version
        self._mode = mode

    @property
    def mode(self) -> Mode:
        """The default ranking of searches."""
        return self._mode or ("hybrid" if self._manifest else "lexical")

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self.documents)

    @property
    def indexed(self) -> bool:
        """Whether there are vectors; otherwise only words are searched."""
        return bool(self._manifest)

    @property
    def embedder(self) -> str | None:
        """The name of the vectors' model; None without vectors."""
        return self._manifest.embedder.name if self._manifest else None

    @property
    def digest(self) -> str:
        """Content address of all that searches depend on, but for the documents."""
        return f"{self.mode}/{self._engine}/{self._manifest.digest if self._manifest else ''}"

    def collection(self, source: str) -> Collection:
        """The index of one source; loads it at first, which takes some time.

        Raises:
            RetrievalError: the source is unknown, `check` fails, or the index is damaged.
        """
        found = self._collections.get(source)
        if found is None:
            # Without the lock every worker would load the vectors when the first queries come in.
            with self._lock:
                found = self._collections.get(source)
                if found is None:
                    found = self._collections[source] = self._load(source)
        return found

    @cached_property
    def _manifest(self) -> IndexManifest | None:
        """Read on first use, so that a damaged index can be built again."""
        return read_manifest(self.directory)

    def check(self) -> None:
        """See whether the index can be searched, without reading much.

        Raises:
            RetrievalError: it does not fit (see `check_fit`), its model may not be loaded, or the extra
                `vectors` is not installed.
        """
        self.check_fit()
        if self._manifest and self.directory is not None:
            check_vectors()
            check_model(self._manifest.embedder.name, self.directory)

    def check_fit(self) -> None:
        """See whether the index was built over these documents, without reading much.

        Raises:
            RetrievalError: it was built over something else, or its manifest is damaged.
        """
        if not self._manifest:
            return
        where = str(self.directory)
        if self._version and self._manifest.version != self._version:
            raise RetrievalError(
                "the index was built over another version of the world", where=where, hint=REINDEX
            )
        missing = [source for source in self.documents if source not in self._manifest.collections]
        if missing:
            raise RetrievalError(f"not in the index: {', '.join(missing)}", where=where, hint=REINDEX)

    def _load(self, source: str) -> Collection:
        if source not in self.documents:
            raise RetrievalError(
                f"no source {source!r} to search", hint=f"there are {', '.join(self.documents)}"
            )
        self.check()
        if self.directory is None or not self._manifest:
            from worksmith.retrievers.index.collection import in_memory

            return in_memory(source, self.documents[source](), self.mode)
        from worksmith.retrievers.index.opening import stored

        return stored(
            self.directory, self._manifest, source, self.documents, self.mode, self._engine, self._store
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Library:
        return self
