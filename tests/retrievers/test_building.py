"""An index is made once, updated cheaply, survives a kill, and is never used where it does not fit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrievers import building, opening
from retrievers.building import IndexReport, build_index, check_index
from retrievers.documents import Document, Documents
from retrievers.embedding import Embedder, open_embedder
from retrievers.errors import RetrievalError
from retrievers.library import MANIFEST, Library

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
    moved: Documents = {
        **WORLD,
        "posts": lambda: [Document("p1", POSTS["p1"], {"owner": "x"})],
    }

    assert index(fresh, moved).embedded == 1


def test_a_killed_build_goes_on_with_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = documents(mail={f"k{number:02}": f"mail number {number} about apples" for number in range(40)})
    monkeypatch.setattr(building, "_PORTION", 8)
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
    store, _ = building.open_store(fresh)
    collection = store.open("mail", {"embedder": "static"})
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


def test_array_files_are_made_again_from_the_store(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Library(fresh, WORLD, version="v1").collection("mail").search("kettle apples", 5)
    asked = recorded(monkeypatch)
    for file in (fresh / "arrays").iterdir():
        file.unlink() if file.suffix == ".npy" else file.write_bytes(b"damaged")

    assert expected == Library(fresh, WORLD, version="v1").collection("mail").search("kettle apples", 5)
    assert asked == []
    shutil.rmtree(fresh / "chroma")
    assert expected == Library(fresh, WORLD, version="v1").collection("mail").search("kettle apples", 5)


def test_files_and_store_gone_is_an_error(fresh: Path) -> None:
    shutil.rmtree(fresh / "arrays")
    shutil.rmtree(fresh / "chroma")

    with pytest.raises(RetrievalError, match="store is gone"):
        Library(fresh, WORLD, version="v1").collection("mail")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"format": "other/9"}'])
def test_a_damaged_manifest_is_named_and_can_be_made_again(fresh: Path, content: str) -> None:
    (fresh / MANIFEST).write_text(content)

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


def test_the_manifest_says_what_made_the_index(built: Path) -> None:
    manifest = json.loads((built / MANIFEST).read_text())

    assert manifest["embedder"]["digest"] == open_embedder("static").digest
    assert manifest["collections"]["mail"]["documents"] == 5
    assert manifest["collections"]["mail"]["passages"] > 5


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
