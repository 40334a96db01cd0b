"""Search among many passages: the arrays of an index of one source, and the vector store beside them."""

from __future__ import annotations

import math
import statistics
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.scale.peak import mib, peak
from benchmarks.support.stages import At
from worksmith.retrievers.texts.documents import Document
from worksmith.tools.seeding import rng

_K = 10
_PEOPLE, _TEAMS = 12_600, 40
_DIMENSION = 384
_BATCH = 20_000
_PARTS = tomllib.loads(Path(__file__).with_name("mails.toml").read_text())


def passages(at: At) -> dict[str, Any]:
    """Texts of mails, embedded and written as an index of one source, without the store."""
    from worksmith.retrievers.embedding.models import open_embedder
    from worksmith.retrievers.index import arrays

    count, embedder = at.settings["count"], open_embedder("static")
    started = time.perf_counter()
    texts: dict[str, str] = {}
    fields = np.empty((count, 3), dtype=np.int32)
    matrix = np.empty((count, _DIMENSION), dtype=np.float32)
    for number, document in enumerate(_documents(count)):
        texts[document.key] = document.text
        fields[number] = [int(value.rpartition("_")[2]) for value in document.fields.values()]
    every = list(texts.values())
    for start in range(0, count, _BATCH):
        matrix[start : start + _BATCH] = embedder.embed(every[start : start + _BATCH])
    embedded = time.perf_counter()
    made = arrays.assemble(texts, list(texts), [0] * count, matrix)
    hashes, codes = arrays.write(at.folder, "mail", made), arrays.write_codes(at.folder, "mail", matrix)
    np.save(at.folder / "fields.npy", fields)
    return {
        "digest": hashes["npy"],
        "hashes": hashes,
        "codes": codes,
        "embed_s": round(embedded - started, 1),
        "write_s": round(time.perf_counter() - embedded, 1),
        "code_mib": mib(sum((at.folder / "arrays" / f"mail.{end}").stat().st_size for end in codes)),
        "vector_mib": mib((at.folder / "arrays" / "mail.npy").stat().st_size),
        "peak_mib": peak(),
    }


def search(at: At) -> dict[str, Any]:
    """Searches by vectors, and by vectors and words, under filters; recall against every allowed vector."""
    from worksmith.retrievers.embedding.models import open_embedder
    from worksmith.retrievers.index import arrays
    from worksmith.retrievers.index.collection import Collection
    from worksmith.retrievers.index.manifest import Entry
    from worksmith.retrievers.ranking.coded import CodedVectors

    ((name, made),) = at.results.items()
    count, embedder = at.settings["count"], open_embedder("static")
    before, started = peak(), time.perf_counter()
    entry = Entry(
        documents=count, passages=count, digest="", arrays="mail", hashes=made["hashes"], codes=made["codes"]
    )
    opened = arrays.read(at.folders[name], entry, _DIMENSION)
    assert opened.codes is not None
    vectors = CodedVectors(opened.matrix, opened.owners, opened.codes)
    collection = Collection("mail", opened.keys, opened.words, "hybrid", vectors, lambda: embedder)
    figures: dict[str, Any] = {"digest": "", "open_s": round(time.perf_counter() - started, 2)}
    texts = list(_queries(at.settings["queries"]))
    queries = embedder.embed(texts, query=True)
    places: dict[str, list[NDArray[np.intp]]] = {}
    for filtered, mask in _masks(at.folders[name]).items():
        places[filtered] = []

        def near(query: Any, mask: Any = mask, found: Any = places[filtered]) -> None:
            found.append(vectors.nearest(query, _K, mask).places)

        def both(text: str, mask: Any = mask) -> object:
            return collection.search(text, _K, allowed=mask)

        figures[filtered] = {
            "allowed": int(mask.sum()),
            "hybrid": _timed(both, texts),
            "vectors": _timed(near, queries),
        }
    figures |= {"start_mib": before, "peak_mib": peak()}
    for filtered, mask in _masks(at.folders[name]).items():
        figures[filtered]["recall"] = _recall(opened.matrix, queries, mask, places[filtered])
    return figures


def chroma(at: At) -> dict[str, Any]:
    """The store's own search, approximate and filtered by fields, over the first passages."""
    from worksmith.retrievers.embedding.models import open_embedder
    from worksmith.retrievers.index.store import Passage, Store

    (folder,) = at.folders.values()
    count = at.settings["count"]
    matrix = np.load(folder / "arrays" / "mail.npy", mmap_mode="r")[:count]
    fields = np.load(folder / "fields.npy")[:count]
    started = time.perf_counter()
    collection = Store(str(at.folder / "store"), "scale").begin("mail", {"embedder": "static"})
    for start in range(0, count, _BATCH):
        collection.put(
            Passage(Document(str(n), "", {"team": str(fields[n, 2])}), 0, 1, matrix[n])
            for n in range(start, min(count, start + _BATCH))
        )
    inserted = time.perf_counter() - started
    queries = open_embedder("static").embed(list(_queries(at.settings["queries"])), query=True)
    figures: dict[str, Any] = {"digest": "", "passages": count, "inserts_per_s": round(count / inserted)}
    everything = np.ones(count, dtype=np.bool_)
    for name, where, mask in (("all", None, everything), ("team", {"team": "7"}, fields[:, 2] == 7)):
        places: list[Any] = []

        def near(query: Any, where: Any = where, found: Any = places) -> None:
            found.append(np.asarray([int(key) for key, _ in collection.query(query, _K, where=where)]))

        timed = _timed(near, queries)
        figures[name] = {**timed, "recall": _recall(matrix, queries, mask, places)}
    return {**figures, "peak_mib": peak()}


def _masks(folder: Path) -> dict[str, NDArray[np.bool_]]:
    """Who may read what: one of the two people of a mail, a team, all but a team, everybody."""
    sender, recipient, team = np.load(folder / "fields.npy").T
    return {
        "participant": (sender == 7) | (recipient == 7),
        "team": team == 7,
        "broad": team != 7,
        "all": np.ones(len(team), dtype=np.bool_),
    }


def _documents(size: int) -> Iterator[Document]:
    """Mails: short texts, with sender, recipient and team."""
    for number in range(size):
        draw = rng(3, "document", number)
        sender, recipient = (f"emp_{draw.randrange(_PEOPLE):04}" for _ in range(2))
        fields = {"sender": sender, "recipient": recipient, "team": f"team_{draw.randrange(_TEAMS):02}"}
        yield Document(f"EM-{number:06}", _text(draw), fields)


def _queries(count: int) -> Iterator[str]:
    """What is searched for in the mails."""
    for number in range(count):
        draw = rng(3, "query", number)
        yield " ".join(draw.choice(_PARTS[part]) for part in ("asked", "subjects", "troubles"))


def _text(draw: Random) -> str:
    def one(part: str) -> str:
        return str(draw.choice(_PARTS[part]))

    sentences = [
        f"{one('openings')} {one('subjects')} {one('troubles')} {one('since')}.",
        f"{one('asks')} {one('subjects')} before {one('days')} {draw.randint(1, 28)}.",
        f"{one('closings')} {one('amounts').format(draw.randint(2, 9000))}.",
    ]
    return " ".join(sentences[: draw.randint(1, 3)])


def _timed(search: Callable[[Any], object], queries: Any) -> dict[str, float]:
    """Milliseconds of searches, and of the processor alone, which tells more where other work goes on."""
    walls, cpus = [], []
    for query in queries:
        wall, cpu = time.perf_counter(), time.thread_time()
        search(query)
        cpus.append((time.thread_time() - cpu) * 1000)
        walls.append((time.perf_counter() - wall) * 1000)
    return {
        "p50_ms": round(statistics.median(walls), 2),
        "p95_ms": _p95(walls),
        "cpu_p95_ms": _p95(cpus),
    }


def _p95(values: list[float]) -> float:
    return round(sorted(values)[math.ceil(0.95 * len(values)) - 1], 2)


def _recall(matrix: Any, queries: Any, mask: NDArray[np.bool_], places: list[Any]) -> float:
    """The share of the best found; who is as near as the last of them counts as one of them."""
    rows = np.flatnonzero(mask)
    found = wanted = 0
    for query, got in zip(queries, places, strict=True):
        scores = np.concatenate(
            [matrix[part] @ query for part in np.array_split(rows, len(rows) // 50_000 + 1)]
        )
        count = min(_K, len(rows))
        least = np.partition(scores, len(scores) - count)[len(scores) - count] - 1e-6
        wanted += count
        found += int(((matrix[got] @ query) >= least).sum()) if len(got) else 0
    return round(found / wanted, 4) if wanted else 1.0
