"""An index is made once, updated cheaply, survives a kill, and is never used where it does not fit."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worksmith.retrievers.embedding.models import Embedder, open_embedder
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index import arrays, opening, portions
from worksmith.retrievers.index.building import IndexReport, build_index
from worksmith.retrievers.index.checking import check_index
from worksmith.retrievers.index.library import Library
from worksmith.retrievers.index.manifest import MANIFEST
from worksmith.retrievers.index.store import store_of
from worksmith.retrievers.texts.documents import Document, Documents

LONG = "\n".join(
    f"Line {number} of a report on the harvest of {number * 3} tons of apples." for number in range(60)
)


def documents(**texts: dict[str, str]) -> Documents:
    def make(source: str) -> list[Document]:
        return [Document(key, text, {"owner": key[0]}) for key, text in texts[source].items()]

    return {source: (lambda source=source: make(source)) for source in texts}  # type: ignore[misc]


MAIL = {
    "a1": "The kettle leaks",
    "a2": "Budget for the third quarter",
    "b1": LONG,
    "b2": "",
    "b3": "The kettle leaks",
}
POSTS = {"p1": "Summer party in the garden"}
WORLD = documents(mail=MAIL, posts=POSTS, empty={})


def index(directory: Path, wanted: Documents = WORLD, version: str = "v1") -> IndexReport:
    return build_index(directory, wanted, embedder="static", version=version)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("built") / "index"
    report = index(directory)
    assert (report.documents, report.embedded, report.kept) == (6, 6, 0)
    return directory


@pytest.fixture
def fresh(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "index")
    return tmp_path / "index"


def keys(library: Library, text: str, k: int = 2, **options: Any) -> list[str]:
    return [hit.key for hit in library.collection("mail").search(text, k, **options)]


def test_searches_by_both_and_finds_long_texts_by_any_passage(built: Path) -> None:
    library = Library(built, WORLD, version="v1")

    assert library.indexed
    assert library.mode == "hybrid"
    assert keys(library, "leaking kettle") == ["a1", "b3"]
    assert keys(library, "177 tons of apples", 1, mode="vector") == ["b1"]
    assert library.collection("empty").search("anything", 3) == []
    with pytest.raises(RetrievalError, match="no source 'sales'"):
        library.collection("sales")


def test_the_store_itself_finds_the_same(built: Path) -> None:
    exact, chroma = (Library(built, WORLD, version="v1", engine=engine) for engine in ("exact", "chroma"))

    for text in ("kettle", "apples", "third quarter money", "zzz"):
        for allowed in (["a1", "a2", "b1", "b2", "b3"], ["b1", "a2"], ["b2"], []):
            mask = exact.collection("mail").mask(allowed)
            expected = exact.collection("mail").search(text, 3, allowed=mask, mode="vector")
            found = chroma.collection("mail").search(text, 3, allowed=mask, mode="vector")
            assert [hit.key for hit in expected] == [hit.key for hit in found]
            assert np.allclose([hit.score for hit in expected], [hit.score for hit in found], atol=1e-5)


def test_only_what_is_new_or_changed_is_embedded(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {**MAIL, "a2": "Budget for the fourth quarter", "c1": "A new mail", "b1": "short now"}
    del changed["b2"]
    asked = recorded(monkeypatch)

    report = index(fresh, documents(mail=changed, posts=POSTS), "v2")

    assert (report.embedded, report.kept, report.removed) == (3, 3, 1)
    assert sorted(asked) == ["A new mail", "Budget for the fourth quarter", "short now"]
    library = Library(fresh, documents(mail=changed), version="v2")
    assert keys(library, "fourth quarter", 1) == ["a2"]
    assert keys(library, "short now", 1) == ["b1"]
    counts = check_index(fresh, documents(mail=changed))
    assert counts["mail"] == {"sound": 5, "missing": 0, "changed": 0, "extra": 0}
    assert len(list((fresh / "arrays").glob("*.npy"))) == 2


def test_fields_count_as_changes(fresh: Path) -> None:
    moved: Documents = {**WORLD, "posts": lambda: [Document("p1", POSTS["p1"], {"owner": "x"})]}

    assert index(fresh, moved).embedded == 1


def test_a_killed_build_goes_on_with_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = documents(mail={f"k{number:02}": f"mail number {number} about apples" for number in range(40)})
    monkeypatch.setattr(portions, "_SIZE", 8)
    asked = recorded(monkeypatch, fail_after=20)

    with pytest.raises(KeyboardInterrupt):
        index(tmp_path, many)
    assert not Library(tmp_path, many).indexed
    before = len(asked)
    asked = recorded(monkeypatch)
    report = index(tmp_path, many)

    assert before + len(asked) == 40
    assert before == report.kept == 16
    assert check_index(tmp_path, many)["mail"] == {"sound": 40, "missing": 0, "changed": 0, "extra": 0}


def test_a_record_of_which_a_part_is_there_is_made_again(fresh: Path) -> None:
    collection = store_of(fresh, None).open("mail", {"embedder": "static"})
    collection._collection.delete(ids=["b1#1"])

    assert check_index(fresh, WORLD)["mail"]["changed"] == 1
    assert index(fresh).embedded == 1
    assert check_index(fresh, WORLD)["mail"]["sound"] == 5


def test_another_model_makes_all_of_it_again(fresh: Path) -> None:
    static = open_embedder("static")
    other = Embedder("static", "another-digest", static)

    assert build_index(fresh, WORLD, embedder=other, version="v1").embedded == 6
    with pytest.raises(RetrievalError, match="another version of the model static"):
        keys(Library(fresh, WORLD, version="v1"), "kettle")


def test_an_index_of_another_world_is_refused(built: Path) -> None:
    for stale in (Library(built, WORLD, version="v2"), Library(built, {**WORLD, "tickets": list})):
        with pytest.raises(RetrievalError, match="worksmith index"):
            stale.check()
        with pytest.raises(RetrievalError, match="worksmith index"):
            stale.collection("mail")


def test_without_a_version_the_documents_are_compared(fresh: Path) -> None:
    index(fresh, version="")
    assert keys(Library(fresh, WORLD), "kettle", 1) == ["a1"]

    other = documents(mail={**MAIL, "a1": "changed"}, posts=POSTS, empty={})
    with pytest.raises(RetrievalError, match="have changed"):
        Library(fresh, other).collection("mail")


def arrays_of(directory: Path, ending: str) -> Path:
    entry = json.loads((directory / MANIFEST).read_text())["collections"]["mail"]
    return directory / "arrays" / f"{entry['arrays']}.{ending}"


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize("damage", [flip_a_bit, truncate, Path.unlink, lambda file: file.write_bytes(b"")])
def test_damaged_array_files_are_named_and_made_again_from_the_store(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, ending: str, damage: Callable[[Path], object]
) -> None:
    expected = Library(fresh, WORLD, version="v1").collection("mail").search("kettle apples", 5)
    damage(arrays_of(fresh, ending))

    with pytest.raises(RetrievalError, match=f"{ending}: .*build the index again"):
        Library(fresh, WORLD, version="v1").collection("mail")
    with pytest.raises(RetrievalError, match=f"{ending}: .*build the index again"):
        check_index(fresh, WORLD)
    asked = recorded(monkeypatch)
    index(fresh)
    assert asked == []
    assert expected == Library(fresh, WORLD, version="v1").collection("mail").search("kettle apples", 5)
    assert check_index(fresh, WORLD)["mail"]["sound"] == 5


@pytest.mark.parametrize(
    "change",
    [
        lambda tables: tables.update(owners=tables["owners"] + 9),
        lambda tables: tables.update(owners=tables["owners"][:-1]),
        lambda tables: tables.update(owners=np.asarray([{}] * len(tables["owners"]))),
        lambda tables: tables.update(places=tables["places"] + 9),
        lambda tables: tables.update(places=tables["places"][:-1]),
        lambda tables: tables.update(starts=tables["starts"][::-1]),
        lambda tables: tables.update(lengths=tables["lengths"][:-1]),
        lambda tables: tables.update(keys=np.frombuffer(b"[" * 100_000, dtype=np.uint8)),
        lambda tables: tables.update(keys=np.frombuffer(b"[1, 2, 3, 4, 5]", dtype=np.uint8)),
        lambda tables: tables.pop("counts"),
        lambda tables: tables.clear(),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_no_index(
    fresh: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    """Somebody may have written hashes of nonsense; it is told before a search fails on it."""
    file = arrays_of(fresh, "npz")
    tables = dict(np.load(file))
    change(tables)
    np.savez(file, **tables)
    manifest = json.loads((fresh / MANIFEST).read_text())
    manifest["collections"]["mail"]["hashes"]["npz"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (fresh / MANIFEST).write_text(json.dumps(manifest))

    with pytest.raises(RetrievalError, match="is not an array file of an index"):
        Library(fresh, WORLD, version="v1").collection("mail")
    assert index(fresh).embedded == 0
    assert keys(Library(fresh, WORLD, version="v1"), "kettle", 1) == ["a1"]


def test_what_is_searched_is_in_the_digest(fresh: Path) -> None:
    before = Library(fresh, WORLD, version="v1").digest
    manifest = json.loads((fresh / MANIFEST).read_text())
    manifest["collections"]["mail"]["hashes"]["npy"] = "0" * 64
    (fresh / MANIFEST).write_text(json.dumps(manifest))

    assert Library(fresh, WORLD, version="v1").digest != before


DATABASE = Path("chroma") / "chroma.sqlite3"


def scribbled(folder: Path) -> None:
    """A database that would end the process that reads it."""
    data = bytearray((folder / DATABASE).read_bytes())
    data[3 * 4096 :: 997] = b"\xff" * len(data[3 * 4096 :: 997])
    (folder / DATABASE).write_bytes(data)


def waiting(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        file = next(iter((folder / "chroma").rglob(name)), folder / "chroma" / name)
        file.unlink(missing_ok=True)
        os.mkfifo(file)

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        *((lambda folder, size=size: os.truncate(folder / DATABASE, size), "build the index again")
          for size in (0, 10, 4096, 200_000)),
        *((waiting(name), "not a regular file") for name in ("chroma.sqlite3", "length.bin")),
        (scribbled, "is damaged"),
        (lambda folder: shutil.rmtree(folder / "chroma"), "store is gone"),
    ],
)  # fmt: skip
def test_a_damaged_store_is_named_and_built_again(
    fresh: Path, damage: Callable[[Path], object], said: str
) -> None:
    damage(fresh)

    with pytest.raises(RetrievalError, match=said):
        check_index(fresh, WORLD)
    assert keys(Library(fresh, WORLD, version="v1"), "kettle", 1) == ["a1"], "the arrays are whole"
    assert index(fresh).embedded == 6
    assert check_index(fresh, WORLD)["mail"] == {"sound": 5, "missing": 0, "changed": 0, "extra": 0}


def test_vectors_of_the_store_that_are_not_those_that_are_searched_are_found(fresh: Path) -> None:
    store = store_of(fresh, None)
    collection = store.open("mail", {"embedder": "static"})._collection
    vectors = collection.get(ids=["a1#0", "a2#0"], include=["embeddings"])["embeddings"]
    collection.update(ids=["a1#0", "a2#0"], embeddings=vectors[::-1])
    store.close()

    with pytest.raises(RetrievalError, match="other vectors"):
        check_index(fresh, WORLD)
    changed = documents(mail={**MAIL, "c1": "A new mail"}, posts=POSTS, empty={})
    assert index(fresh, changed).embedded == 7
    assert check_index(fresh, changed)["mail"]["sound"] == 6


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"format": "other/9"}', "[" * 100_000, "\udcff", '{"store": "http://a"}']
)
def test_a_damaged_manifest_is_named_and_can_be_made_again(fresh: Path, content: str) -> None:
    (fresh / MANIFEST).write_text(content, errors="surrogateescape")

    with pytest.raises(RetrievalError, match=MANIFEST):
        Library(fresh, WORLD, version="v1").check()
    assert index(fresh).embedded == 0
    Library(fresh, WORLD, version="v1").check()


def test_all_threads_share_what_one_loads(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load = opening.stored

    def counted(*arguments: Any) -> Any:
        loaded.append(arguments[2])
        return load(*arguments)

    monkeypatch.setattr(opening, "stored", counted)
    library = Library(built, WORLD, version="v1")

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: tuple(keys(library, "kettle")), range(64)))

    assert loaded == ["mail"]
    assert len(found) == 1


def recorded(monkeypatch: pytest.MonkeyPatch, fail_after: int | None = None) -> list[str]:
    """The texts that are embedded from now on."""
    asked: list[str] = []
    embed = open_embedder("static")._encoder.embed

    def record(texts: Sequence[str], *, query: bool = False) -> Any:
        if fail_after is not None and len(asked) + len(texts) > fail_after:
            raise KeyboardInterrupt
        asked.extend(texts)
        return embed(texts)

    monkeypatch.setattr(open_embedder("static"), "embed", record)
    return asked


def test_many_vectors_have_codes_that_change_no_result(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "CODED", 2)
    index(tmp_path)
    coded, plain = Library(tmp_path, WORLD), Library(built, WORLD)
    (codes,) = (tmp_path / "arrays").glob("mail-*.head.npy")

    assert coded.digest == plain.digest
    found = coded.collection("mail").search("a leaking kettle", 4)
    assert found == plain.collection("mail").search("a leaking kettle", 4)
    assert index(tmp_path).embedded == 0

    codes.write_bytes(codes.read_bytes()[:-1])
    with pytest.raises(RetrievalError, match="damaged"):
        Library(tmp_path, WORLD).collection("mail")
    index(tmp_path)
    assert Library(tmp_path, WORLD).collection("mail").search("a leaking kettle", 4) == found
