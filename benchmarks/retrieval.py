"""What filtered search costs and finds: the store's own against exact search over the same vectors."""

from __future__ import annotations

import statistics
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worksmith.retrievers.embedding.models import open_embedder
from worksmith.retrievers.index.store import Passage, Store, StoredCollection
from worksmith.retrievers.ranking.exact import ExactVectors
from worksmith.retrievers.texts.documents import Document
from worksmith.tools.seeding import rng

NAME = "retrieval"
DESCRIPTION = "milliseconds and recall of filtered search: ChromaDB with `where` and exact masked search"

_SIZE = 50_000
_QUICK_SIZE = 12_000
_K = 5
_PEOPLE = 1_260
_TEAMS = 40

_PARTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

Matrix = NDArray[np.float32]
Filter = tuple[str, dict[str, Any], Callable[[Document], bool]]


def run(quick: bool) -> dict[str, Any]:
    """Search the same vectors under the same filters both ways, against comparing with every vector."""
    size = _QUICK_SIZE if quick else _SIZE
    mails = list(documents(size))
    # The word table's vectors: of real texts, with the neighbours that texts have, and made in seconds.
    embedder = open_embedder("static")
    matrix = embedder.embed([document.text for document in mails])
    asked = embedder.embed(list(queries(20 if quick else 60)), query=True)
    with tempfile.TemporaryDirectory() as folder:
        collection = Store(folder, "benchmark").begin("mail", {"embedder": "static"})
        start = time.perf_counter()
        collection.put(Passage(document, 0, 1, row) for document, row in zip(mails, matrix, strict=True))
        inserts = size / (time.perf_counter() - start)
        figures = {
            name: _compared(mails, matrix, asked, collection, where, allows)
            for name, where, allows in _filters()
        }
    return {
        "ratio": min(entry["ratio"] for entry in figures.values()),
        "recall": min(entry["recall"] for entry in figures.values()),
        "chroma_recall": min(entry["chroma_recall"] for entry in figures.values()),
        "documents": size,
        "filters": figures,
        "inserts_per_s": round(inserts),
        "embedding": _embedding(mails, 64 if quick else 512),
    }


def _compared(
    documents: list[Document],
    matrix: Matrix,
    queries: Matrix,
    collection: StoredCollection,
    where: dict[str, Any],
    allows: Callable[[Document], bool],
) -> dict[str, float]:
    """Both ways under one filter: median milliseconds, their ratio, the share of the best that they find."""
    exact = ExactVectors(matrix, np.arange(len(documents), dtype=np.int32))
    places = {document.key: place for place, document in enumerate(documents)}
    mask = np.asarray([allows(document) for document in documents])

    def by_chroma(query: Matrix) -> list[int]:
        return [places[key] for key, _ in collection.query(query, _K, where=where)]

    def by_mask(query: Matrix) -> list[int]:
        return [int(place) for place in exact.nearest(query, _K, mask).places]

    best = [_brute_force(matrix, query, mask) for query in queries]
    chroma_ms, chroma_recall = _measured(by_chroma, queries, best)
    exact_ms, exact_recall = _measured(by_mask, queries, best)
    return {
        "share_allowed": round(float(mask.mean()), 4),
        "ratio": round(chroma_ms / exact_ms, 1),
        "chroma_ms": round(chroma_ms, 3),
        "exact_ms": round(exact_ms, 3),
        "recall": exact_recall,
        "chroma_recall": chroma_recall,
    }


def _measured(
    search: Callable[[Matrix], list[int]], queries: Matrix, best: list[set[int]]
) -> tuple[float, float]:
    search(queries[0])
    times, found = [], 0
    for query, wanted in zip(queries, best, strict=True):
        start = time.perf_counter()
        places = search(query)
        times.append(time.perf_counter() - start)
        found += len(wanted.intersection(places))
    return statistics.median(times) * 1000, round(found / (_K * len(queries)), 4)


def _brute_force(matrix: Matrix, query: Matrix, mask: NDArray[np.bool_]) -> set[int]:
    """Allowed records at least as near as the k-th nearest, by comparing with each vector, one at a time."""
    scores = {place: round(float(np.dot(matrix[place], query)), 5) for place in np.flatnonzero(mask).tolist()}
    least = sorted(scores.values())[-_K:][0]
    return {place for place, score in scores.items() if score >= least}


def _filters() -> Iterator[Filter]:
    """Who may read what: the participants, a whole team, everybody but one team."""
    me, team = "emp_0007", "team_07"
    yield (
        "participant",
        {"$or": [{"sender": me}, {"recipient": me}]},
        lambda document: me in (document.fields["sender"], document.fields["recipient"]),
    )
    yield "team", {"team": team}, lambda document: document.fields["team"] == team
    others = sorted({f"team_{number:02}" for number in range(_TEAMS)} - {team})
    yield "broad", {"team": {"$in": others}}, lambda document: document.fields["team"] != team


def documents(size: int, people: int = _PEOPLE, teams: int = _TEAMS) -> Iterator[Document]:
    """Mails: short texts, with sender, recipient and team."""
    for number in range(size):
        draw = rng(3, "document", number)
        sender, recipient = (f"emp_{draw.randrange(people):04}" for _ in range(2))
        fields = {"sender": sender, "recipient": recipient, "team": f"team_{draw.randrange(teams):02}"}
        yield Document(f"EM-{number:06}", _text(draw), fields)


def queries(count: int) -> Iterator[str]:
    """What is searched for in `documents`."""
    for number in range(count):
        draw = rng(3, "query", number)
        yield " ".join(draw.choice(_PARTS[part]) for part in ("asked", "subjects", "troubles"))


def _text(draw: Any) -> str:
    def one(part: str) -> str:
        return str(draw.choice(_PARTS[part]))

    sentences = [
        f"{one('openings')} {one('subjects')} {one('troubles')} {one('since')}.",
        f"{one('asks')} {one('subjects')} before {one('days')} {draw.randint(1, 28)}.",
        f"{one('closings')} {one('amounts').format(draw.randint(2, 9000))}.",
    ]
    return " ".join(sentences[: draw.randint(1, 3)])


def _embedding(documents: list[Document], count: int) -> dict[str, Any]:
    """Texts a second of the packaged model, in single precision and as an index is made."""
    from worksmith.retrievers.embedding.light import packaged
    from worksmith.retrievers.embedding.sentences import SentenceModel, cores

    texts = [document.text for document in documents[:count]]
    model = SentenceModel(str(packaged()), workers=cores())
    single = _rate(model, texts)
    model.halve()
    return {
        "per_s_float32": single,
        "per_s": _rate(model, texts),
        "precision": model.precision,
        "agreement": model.agreement,
    }


def _rate(model: Any, texts: list[str]) -> float:
    model.embed(texts[:8])
    start = time.perf_counter()
    model.embed(texts)
    return round(len(texts) / (time.perf_counter() - start), 1)
