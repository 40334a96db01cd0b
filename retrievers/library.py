"""The search indexes over the sources of one world: cheap to make, loaded when they are first searched."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from retrievers.documents import Documents
from retrievers.errors import RetrievalError

if TYPE_CHECKING:
    from retrievers.collection import Collection

FORMAT = "worksmith-index/1"
MANIFEST = "index.json"
REINDEX = "index again with `worksmith index`"

Mode = Literal["hybrid", "vector", "lexical"]
Engine = Literal["exact", "chroma"]


class Library:
    """What can be searched. Thread-safe, shared by reference, never copied.

    Where no index was built, the sources are still searched by their words, indexed in memory.

    Args:
        directory: the folder of the index, whether it exists or not; None is no index.
        documents: the documents of each source that can be searched.
        version: content address of what the documents are made from; an index built over another is
            refused. Where it is empty, the documents themselves are compared when their source is loaded.
        mode: how searches rank that do not say; default is hybrid where there is an index.
        engine: `exact` searches all vectors in memory, `chroma` asks the store, for what does not fit.

    Raises:
        RetrievalError: the index was built over something else.
    """

    def __init__(
        self,
        directory: Path | str | None,
        documents: Documents,
        *,
        version: str = "",
        mode: Mode | None = None,
        engine: Engine = "exact",
    ) -> None:
        self._directory = None if directory is None else Path(directory)
        self._documents = documents
        self._lock = threading.Lock()
        self._collections: dict[str, Collection] = {}
        self._manifest = read_manifest(self._directory)
        self._engine: Engine = engine
        self._check(version)
        self.mode: Mode = mode or ("hybrid" if self._manifest else "lexical")

    @property
    def sources(self) -> tuple[str, ...]:
        """What can be searched."""
        return tuple(self._documents)

    @property
    def indexed(self) -> bool:
        """Whether there are vectors; otherwise only words are searched."""
        return bool(self._manifest)

    @property
    def digest(self) -> str:
        """Content address of all that searches depend on besides the documents themselves."""
        embedder = self._manifest.get("embedder", {}).get("digest", "")
        return f"{self.mode}/{self._engine}/{embedder}"

    def collection(self, source: str) -> Collection:
        """The index of one source; loads it at first, which takes a moment.

        Raises:
            RetrievalError: there is no such source, or its index is damaged.
        """
        found = self._collections.get(source)
        if found is None:
            # Without the lock every worker would load the vectors when the first queries come in.
            with self._lock:
                found = self._collections.get(source)
                if found is None:
                    found = self._collections[source] = self._load(source)
        return found

    def _load(self, source: str) -> Collection:
        if source not in self._documents:
            raise RetrievalError(
                f"no source {source!r} to search", hint=f"there are {', '.join(self._documents)}"
            )
        from retrievers.collection import in_memory, stored

        if self._directory is None or not self._manifest:
            return in_memory(source, self._documents[source](), self.mode)
        return stored(self._directory, self._manifest, source, self._documents, self.mode, self._engine)

    def _check(self, version: str) -> None:
        if not self._manifest:
            return
        built_over = self._manifest["version"]
        if version and version != built_over:
            raise RetrievalError(
                "the index was built over another version of the world",
                where=str(self._directory),
                hint=REINDEX,
            )
        missing = [source for source in self._documents if source not in self._manifest["collections"]]
        if missing:
            raise RetrievalError(
                f"not in the index: {', '.join(missing)}", where=str(self._directory), hint=REINDEX
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Library:
        return self


def read_manifest(directory: Path | None) -> dict[str, Any]:
    """What is said of the index in `directory`; empty if none was finished.

    Raises:
        RetrievalError: the manifest is damaged or of another format.
    """
    if directory is None or not (directory / MANIFEST).is_file():
        return {}
    where = str(directory / MANIFEST)
    try:
        manifest = json.loads((directory / MANIFEST).read_bytes())
    except (OSError, ValueError) as error:
        raise RetrievalError(f"cannot be read: {error}", where=where, hint=REINDEX) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RetrievalError(f"is not of the format {FORMAT}", where=where, hint=REINDEX)
    return manifest
