"""The same through a Chroma server, which several worlds and machines may share."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from docs.snippets import forks
from tests.retrievers.servers import TOKEN, chroma_server, gateway
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.building import IndexReport, build_index
from worksmith.retrievers.index.checking import check_index
from worksmith.retrievers.index.library import Library
from worksmith.retrievers.index.server import parsed
from worksmith.retrievers.texts.documents import Document, Documents


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with chroma_server(tmp_path_factory.mktemp("server"), port) as address:
        yield address


def world(name: str, count: int = 6) -> Documents:
    return {"mail": lambda: [Document(f"{name}{n}", f"{name} mail {n}") for n in range(count)]}


def index(folder: Path, name: str, server: str, count: int = 6) -> IndexReport:
    return build_index(folder, world(name, count), embedder="static", version=name, store=server)


@pytest.mark.slow
def test_worlds_share_a_server_and_not_their_records(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("north", "south"):
        assert index(tmp_path / name, name, server).embedded == 6
    for name in ("north", "south"):
        documents = world(name)
        assert check_index(tmp_path / name, documents, server)["mail"]["sound"] == 6
        for engine in ("exact", "chroma"):
            library = Library(tmp_path / name, documents, version=name, engine=engine, store=server)
            hits = library.collection("mail").search("mail 3", 6)
            assert {hit.key for hit in hits} == {f"{name}{n}" for n in range(6)}
        with pytest.raises(RetrievalError, match="--store"):
            check_index(tmp_path / name, documents)
        again = index(tmp_path / name, name, server)
        assert (again.embedded, again.kept) == (0, 6)
    monkeypatch.setenv("WORKSMITH_STORE", server)
    assert check_index(tmp_path / "north", world("north"))["mail"]["sound"] == 6


@pytest.mark.slow
def test_the_same_world_on_another_machine_is_there_already(server: str, tmp_path: Path) -> None:
    index(tmp_path / "mine", "shared", server)
    yours = index(tmp_path / "yours", "shared", server)
    assert (yours.embedded, yours.kept) == (0, 6)
    # Containers have folders of the same names for different worlds.
    assert index(tmp_path / "mine", "another", server).embedded == 6
    assert check_index(tmp_path / "yours", world("shared"), server)["mail"]["sound"] == 6


@pytest.mark.slow
def test_an_address_must_answer(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match=r"vector store failed: .*refused"):
        build_index(tmp_path, {}, embedder="static", store="http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("somewhere", "http://host:port"),
        ("http://", "http://host:port"),
        ("http://host:x", "http://host:port"),
        ("https://me:secret@host", "CHROMA_API_KEY"),
    ],
)
def test_an_address_must_be_one(address: str, said: str) -> None:
    with pytest.raises(RetrievalError, match=said) as caught:
        parsed(address)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worksmith.retrievers.index.server.ANSWER", 1)
    began = time.monotonic()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(RetrievalError, match="no answer within 1 s"):
            build_index(tmp_path, {}, embedder="static", store=address)
    assert time.monotonic() - began < 10


@pytest.mark.slow
def test_a_token_tenant_and_database_come_from_the_environment(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import chromadb.config

    port = parsed(server).port
    admin = chromadb.AdminClient(
        chromadb.config.Settings(
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host="127.0.0.1",
            chroma_server_http_port=port,
        )
    )
    admin.create_tenant("team")
    admin.create_database("mine", "team")
    with gateway(server) as address:
        with pytest.raises(RetrievalError, match="CHROMA_API_KEY"):
            index(tmp_path, "guarded", address)
        monkeypatch.setenv("CHROMA_API_KEY", TOKEN)
        monkeypatch.setenv("CHROMA_TENANT", "team")
        monkeypatch.setenv("CHROMA_DATABASE", "mine")
        assert index(tmp_path, "guarded", address).embedded == 6
        library = Library(tmp_path, world("guarded"), version="guarded", engine="chroma", store=address)
        assert len(library.collection("mail").search("mail 3", 6)) == 6
    theirs = chromadb.HttpClient("127.0.0.1", port, tenant="team", database="mine")
    assert [each.count() for each in theirs.list_collections()] == [6]
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert TOKEN.encode() not in kept


def _write(place: str, name: str, server: str) -> tuple[int, int]:
    report = index(Path(place), name, server, count=100)
    return report.documents, report.passages


@pytest.mark.slow
def test_many_write_at_once_and_nothing_is_lost_or_twice(server: str, tmp_path: Path) -> None:
    names = ["one", "one", "one", "two", "three"]
    folders = [str(tmp_path / f"{number}") for number in range(len(names))]
    with forks().Pool(len(names)) as pool:
        jobs = [
            pool.apply_async(_write, each) for each in zip(folders, names, [server] * len(names), strict=True)
        ]
        assert [job.get(200) for job in jobs] == [(100, 100)] * len(names)
    for folder, name in zip(folders, names, strict=True):
        counts = check_index(Path(folder), world(name, 100), server)["mail"]
        assert {each: count for each, count in counts.items() if count} == {"sound": 100}
    arrays = {name: set[bytes]() for name in names}
    for folder, name in zip(folders, names, strict=True):
        (file,) = (Path(folder) / "arrays").glob("*.npy")
        arrays[name].add(file.read_bytes())
    assert {name: len(found) for name, found in arrays.items()} == dict.fromkeys(names, 1)
