"""Making an index and opening it: embed what is new, keep what is not, forget what is gone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrievers import arrays
from retrievers.chunks import MOST, passages_of
from retrievers.documents import Document, Documents, by_key, digest_of, fingerprint
from retrievers.embedding import Embedder, open_embedder
from retrievers.errors import RetrievalError
from retrievers.library import FORMAT, MANIFEST, REINDEX, read_manifest
from retrievers.store import Passage, Store, StoredCollection, is_server, prefix_for

_PORTION = 512
"""Passages embedded and stored at once: what a kill costs."""

_FOLDER = "chroma"


class Progress(NamedTuple):
    """How far indexing has come. Work is counted in characters, since long texts take longer."""

    source: str
    done: int
    total: int


@dataclass
class IndexReport:
    """What indexing did.

    Attributes:
        documents: records in the index.
        passages: vectors in the index.
        embedded: records that were embedded now.
        kept: records that were in the index already.
        removed: records that were in it and are gone.
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
    """What is to do for one source."""

    source: str
    documents: dict[str, Document]
    collection: StoredCollection
    todo: list[Document]
    stale: list[str]
    digest: str


def build_index(
    directory: Path | str,
    documents: Documents,
    *,
    embedder: Embedder | str = "minilm",
    version: str = "",
    store: str | None = None,
    device: str = "cpu",
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> IndexReport:
    """Bring the index in `directory` up to date. Killed and started again, it embeds only the rest.

    Args:
        documents: the documents of each source.
        version: content address of what they are made from, which `Library` compares.
        store: `http://host:port` of a Chroma server; default is the folder itself.
        device: where the model runs.

    Raises:
        RetrievalError: the model or the store cannot be used, or two documents have one key.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    embedder = open_embedder(embedder) if isinstance(embedder, str) else embedder
    address, prefix = _place(directory, store)
    opened = Store(address or str(directory / _FOLDER), prefix)
    model = {"embedder": embedder.name, "embedder_digest": embedder.digest}
    plans = [_plan(opened, source, make(), model) for source, make in documents.items()]
    for source in set(opened.sources()) - set(documents):
        opened.drop(source)
    report = IndexReport(**_measured(directory, embedder))
    _embed(plans, embedder, device, report, on_progress)
    collections = {plan.source: _finish(directory, plan, report) for plan in plans}
    manifest = {
        "format": FORMAT,
        "version": version,
        "store": address,
        "prefix": prefix,
        "embedder": {
            "name": embedder.name,
            "digest": embedder.digest,
            "dimension": embedder.dimension,
            "precision": report.precision,
            "agreement": report.agreement,
        },
        "collections": collections,
    }
    data = json.dumps(manifest, indent=1).encode()
    arrays.replace(directory / MANIFEST, lambda file: file.write(data))
    arrays.tidy(directory, {entry["arrays"] for entry in collections.values()})
    return report


def check_index(directory: Path | str, documents: Documents) -> dict[str, dict[str, int]]:
    """For each source how many records of the index are `sound`, `missing`, `changed` or `extra`.

    Compares the store itself with the documents, record by record.

    Raises:
        RetrievalError: there is no index, or its store cannot be opened.
    """
    directory = Path(directory)
    manifest = _manifest(directory)
    opened = _store(directory, manifest)
    counts = {}
    for source, make in documents.items():
        wanted = {key: fingerprint(document) for key, document in by_key(source, make()).items()}
        there = opened.open(source, _model(manifest)).present()
        same = sum(there.get(key) == mark for key, mark in wanted.items())
        missing = len(wanted.keys() - there.keys())
        counts[source] = {
            "sound": same,
            "missing": missing,
            "changed": len(wanted) - same - missing,
            "extra": len(there.keys() - wanted.keys()),
        }
    return counts


def open_store(directory: Path) -> tuple[Store, dict[str, Any]]:
    """The store of the index in `directory` and what is said of the index."""
    manifest = _manifest(directory)
    return _store(directory, manifest), manifest


def _manifest(directory: Path) -> dict[str, Any]:
    manifest = read_manifest(directory)
    if not manifest:
        raise RetrievalError(
            "there is no finished index", where=str(directory), hint="`worksmith index` makes one"
        )
    return manifest


def _store(directory: Path, manifest: Mapping[str, Any]) -> Store:
    address = manifest["store"] or str(directory / _FOLDER)
    if not is_server(address) and not Path(address).is_dir():
        raise RetrievalError("the vector store is gone", where=address, hint=REINDEX)
    return Store(address, manifest["prefix"])


def _model(manifest: Mapping[str, Any]) -> dict[str, str]:
    embedder = manifest["embedder"]
    return {"format": FORMAT, "embedder": embedder["name"], "embedder_digest": embedder["digest"]}


def _place(directory: Path, store: str | None) -> tuple[str, str]:
    """Address and prefix: those of the index that is there, if it is in the same place."""
    if store is not None and not is_server(store):
        raise RetrievalError("is no address of a server", where=store, hint="write http://host:port")
    address = (store or "").rstrip("/")
    before = _before(directory)
    if before and before["store"] == address:
        return address, str(before["prefix"])
    return address, prefix_for(directory, bool(address))


def _before(directory: Path) -> dict[str, Any]:
    """What is said of the index that is there; nothing of one that is damaged, which is made again."""
    try:
        return read_manifest(directory)
    except RetrievalError:
        return {}


def _measured(directory: Path, embedder: Embedder) -> dict[str, Any]:
    """What was found when the index that is there was embedded; it still holds for what is kept of it."""
    before = _before(directory).get("embedder", {})
    if before.get("digest") != embedder.digest:
        return {}
    return {"precision": before["precision"], "agreement": before["agreement"]}


def _plan(store: Store, source: str, made: Any, model: Mapping[str, str]) -> _Plan:
    documents = by_key(source, made)
    marks = {key: fingerprint(document) for key, document in documents.items()}
    collection = store.begin(source, model)
    there = collection.present()
    todo = [document for key, document in documents.items() if there.get(key) != marks[key]]
    # What is changed goes too: it may have had more passages than it has now.
    stale = [key for key in there if marks.get(key) != there[key]]
    digest = digest_of([model["embedder_digest"], *marks.values()])
    return _Plan(source, documents, collection, todo, stale, digest)


def _embed(
    plans: Sequence[_Plan],
    embedder: Embedder,
    device: str,
    report: IndexReport,
    on_progress: Callable[[Progress], None],
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
        for portion in _portions(plan.todo):
            assert embed is not None
            texts = [text for _, passages in portion for text in passages]
            plan.collection.put(_passages(portion, embed(texts)))
            done += sum(len(document.text) for document, _ in portion)
            on_progress(Progress(plan.source, done, total))


def _embedding(
    embedder: Embedder, device: str, report: IndexReport
) -> Callable[[Sequence[str]], NDArray[np.float32]]:
    """How to embed many texts: on all cores, in half precision where it is sound, each text once."""
    if embedder.name == "static":
        return embedder.embed
    from retrievers.light import packaged
    from retrievers.sentences import SentenceModel, cores

    name = str(packaged()) if embedder.name == "minilm" else embedder.name
    model = SentenceModel(name, device, cores())
    model.halve()
    report.precision, report.agreement = model.precision, model.agreement

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        different = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(different)}
        return model.embed(different)[[places[text] for text in texts]]

    return embed


def _portions(documents: Sequence[Document]) -> Iterator[list[tuple[Document, list[str]]]]:
    """Documents with their passages, of like length together, so that batches have little padding."""
    portion: list[tuple[Document, list[str]]] = []
    size = 0
    for document in sorted(documents, key=lambda document: (len(document.text), document.key)):
        passages = passages_of(document.text, MOST)
        portion.append((document, passages))
        size += len(passages)
        if size >= _PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _passages(
    portion: Sequence[tuple[Document, list[str]]], vectors: NDArray[np.float32]
) -> Iterator[Passage]:
    rows = iter(vectors)
    for document, passages in portion:
        for number in range(len(passages)):
            yield Passage(document, number, len(passages), next(rows))


def _finish(directory: Path, plan: _Plan, report: IndexReport) -> dict[str, Any]:
    """Make the array files of a source from the store, and say that it is whole."""
    name = f"{plan.source}-{plan.digest[:16]}"
    made = arrays.read(directory, name)
    if made is None or plan.todo or plan.stale:
        texts = {key: document.text for key, document in plan.documents.items()}
        made = arrays.assemble(texts, *plan.collection.rows())
        arrays.write(directory, name, made)
    plan.collection.finish(plan.digest)
    report.documents += len(made.keys)
    report.passages += len(made.owners)
    return {
        "documents": len(made.keys),
        "passages": len(made.owners),
        "digest": plan.digest,
        "arrays": name,
    }
