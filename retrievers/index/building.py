"""Building an index: new documents are embedded, unchanged ones kept, absent ones removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.embedding.models import Embedder, open_embedder
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index import arrays
from worksmith.retrievers.index.checking import compare
from worksmith.retrievers.index.manifest import (
    MANIFEST,
    EmbeddedBy,
    Entry,
    IndexManifest,
    collection_metadata,
    read_manifest,
)
from worksmith.retrievers.index.portions import numbered, portions
from worksmith.retrievers.index.server import parsed
from worksmith.retrievers.index.store import FOLDER, Store, StoredCollection, shared_identity, store_of
from worksmith.retrievers.index.store_check import StoreError
from worksmith.retrievers.texts.documents import Document, Documents, by_key, fingerprint, index_digest


class IndexProgress(NamedTuple):
    """Progress of indexing. Work is counted in characters, since long texts take longer."""

    source: str
    done: int
    total: int


@dataclass
class IndexReport:
    """The counts of an indexing run.

    Attributes:
        documents: records in the index.
        passages: vectors in the index.
        embedded: records that were embedded now.
        kept: records whose vectors were in the index already.
        removed: records that were in the index and are no longer among the documents.
        precision: of the model while embedding.
        agreement: least cosine of a fixed sample with its vectors in single precision.
    """

    documents: int = 0
    passages: int = 0
    embedded: int = 0
    kept: int = 0
    removed: int = 0
    precision: str = "float32"
    agreement: float = 1.0


@dataclass
class _Plan:
    """The work for one source.

    Attributes:
        todo: the documents to embed.
        stale: the keys of records whose passages are to be removed.
        digest: see `index_digest`.
        before: the entry of the present index, if the same model made it.
    """

    source: str
    documents: dict[str, Document]
    collection: StoredCollection
    todo: list[Document]
    stale: list[str]
    digest: str
    before: Entry | None


def build_index(
    directory: Path | str,
    documents: Documents,
    *,
    embedder: Embedder | str = "minilm",
    version: str = "",
    store: str | None = None,
    device: str = "cpu",
    download: bool = False,
    on_progress: Callable[[IndexProgress], None] = lambda _progress: None,
) -> IndexReport:
    """Bring the index in `directory` up to date. Killed and started again, it embeds only the rest.

    Damaged files are written again; a store in the folder that cannot be read is removed first.

    Args:
        directory: the folder of the index, made if absent.
        documents: by source a function that gives its documents.
        embedder: the model, or its name.
        version: content address of the data behind the documents, which `Library` compares.
        store: `http://host:port` of a Chroma server; default is the folder itself.
        device: where the model runs: `cpu` or `cuda`.
        download: whether a model that is not on this machine may be downloaded.
        on_progress: called after each portion of passages is stored.

    Returns:
        The counts of this run, and the precision of the model.

    Raises:
        RetrievalError: the model or the store cannot be used, or two documents have one key.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    if store is not None:
        parsed(store)
    embedder = open_embedder(embedder, download=download) if isinstance(embedder, str) else embedder
    build = _Build(directory, documents, embedder, version, store, device, on_progress)
    try:
        return build.run()
    except StoreError:
        if store is not None:
            raise
    _discard(directory / FOLDER)
    return build.run()


@dataclass
class _Build:
    directory: Path
    documents: Documents
    embedder: Embedder
    version: str
    server: str | None
    device: str
    on_progress: Callable[[IndexProgress], None]

    def run(self) -> IndexReport:
        identity = shared_identity(self.directory, self.version, self.embedder.digest)
        store = store_of(self.directory, self.server, identity)
        try:
            return self._into(store)
        finally:
            store.close()

    def _into(self, store: Store) -> IndexReport:
        directory, embedder = self.directory, self.embedder
        before = _before(directory, embedder)
        plans = [_plan(store, source, make(), embedder, before) for source, make in self.documents.items()]
        for source in set(store.sources()) - set(self.documents):
            store.drop(source)
        report = _measured(before)
        _embed(plans, embedder, self.device, report, self.on_progress)
        manifest = IndexManifest(
            version=self.version,
            server=self.server is not None,
            collections={plan.source: _finish(directory, plan, embedder, report) for plan in plans},
            embedder=EmbeddedBy(
                name=embedder.name,
                digest=embedder.digest,
                dimension=embedder.dimension,
                precision=report.precision,
                agreement=report.agreement,
            ),
        )
        data = manifest.model_dump_json(indent=1).encode()
        arrays.replace(directory / MANIFEST, lambda file: file.write(data))
        arrays.tidy(directory, {entry.arrays for entry in manifest.collections.values()})
        return report


def _discard(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise RetrievalError(
            f"the damaged vector store cannot be removed: {error.strerror}", where=str(folder)
        ) from error


def _before(directory: Path, embedder: Embedder) -> IndexManifest | None:
    """The manifest of the present index; None if it is damaged or another model's."""
    try:
        found = read_manifest(directory)
    except RetrievalError:
        return None
    return found if found and found.embedder.digest == embedder.digest else None


def _measured(before: IndexManifest | None) -> IndexReport:
    """The embedder's measured precision, taken over from the present index."""
    if before is None:
        return IndexReport()
    return IndexReport(precision=before.embedder.precision, agreement=before.embedder.agreement)


def _plan(store: Store, source: str, made: Any, embedder: Embedder, before: IndexManifest | None) -> _Plan:
    documents = by_key(source, made)
    marks = {key: fingerprint(document) for key, document in documents.items()}
    collection = store.begin(source, collection_metadata(embedder.name, embedder.digest))
    there = collection.present()
    todo = [document for key, document in documents.items() if there.get(key) != marks[key]]
    # Changed documents are removed too: the old version may have had more passages.
    stale = [key for key in there if marks.get(key) != there[key]]
    digest = index_digest(embedder.digest, marks.values())
    entry = before.collections.get(source) if before else None
    return _Plan(source, documents, collection, todo, stale, digest, entry)


def _embed(
    plans: Sequence[_Plan],
    embedder: Embedder,
    device: str,
    report: IndexReport,
    on_progress: Callable[[IndexProgress], None],
) -> None:
    total = sum(len(document.text) for plan in plans for document in plan.todo)
    done = 0
    embed = _embedding(embedder, device, report) if any(plan.todo for plan in plans) else None
    for plan in plans:
        report.embedded += len(plan.todo)
        report.kept += len(plan.documents) - len(plan.todo)
        report.removed += sum(key not in plan.documents for key in plan.stale)
        if plan.todo or plan.stale:
            plan.collection.finish("")
        plan.collection.remove(plan.stale)
        for portion in portions(plan.todo):
            assert embed is not None
            texts = [text for _, passages in portion for text in passages]
            plan.collection.put(numbered(portion, embed(texts)))
            done += sum(len(document.text) for document, _ in portion)
            on_progress(IndexProgress(plan.source, done, total))


def _embedding(
    embedder: Embedder, device: str, report: IndexReport
) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """An encoder for many texts: all cores, half precision where it is sound, each text once."""
    if embedder.name == "static":
        return embedder.embed
    from worksmith.retrievers.embedding.light import packaged
    from worksmith.retrievers.embedding.sentences import SentenceModel, cores

    name = str(packaged()) if embedder.name == "minilm" else embedder.name
    model = SentenceModel(name, device, cores())
    model.halve()
    report.precision, report.agreement = model.precision, model.agreement

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        different = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(different)}
        return model.embed(different)[[places[text] for text in texts]]

    return embed


def _finish(directory: Path, plan: _Plan, embedder: Embedder, report: IndexReport) -> Entry:
    """Write the array files of a source from the store unless they are sound, and mark it whole."""
    searched = _searched(directory, plan, embedder)
    name = f"{plan.source}-{plan.digest[:16]}"
    if plan.before and searched and plan.before.arrays == name and not (plan.todo or plan.stale):
        made, hashes, codes = searched, plan.before.hashes, plan.before.codes
    else:
        rows = plan.collection.rows()
        if searched:
            kept = plan.documents.keys() - {document.key for document in plan.todo}
            compare(plan.source, rows, searched, kept)
        made = arrays.assemble({key: each.text for key, each in plan.documents.items()}, *rows)
        hashes = arrays.write(directory, name, made)
        codes = arrays.write_codes(directory, name, made.matrix)
    plan.collection.finish(plan.digest)
    report.documents += len(made.keys)
    report.passages += len(made.owners)
    return Entry(
        documents=len(made.keys),
        passages=len(made.owners),
        digest=plan.digest,
        arrays=name,
        hashes=hashes,
        codes=codes,
    )


def _searched(directory: Path, plan: _Plan, embedder: Embedder) -> arrays.Arrays | None:
    """The array files of a source, if they are sound."""
    if plan.before is None:
        return None
    try:
        return arrays.read(directory, plan.before, embedder.dimension)
    except RetrievalError:
        return None
