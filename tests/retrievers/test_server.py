"""The same through a Chroma server, which several worlds may share."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrievers.errors import RetrievalError
from retrievers.index.building import build_index
from retrievers.index.checking import check_index
from retrievers.index.library import Library
from retrievers.texts.documents import Document


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("server")
    program = Path(sys.executable).with_name("chroma")
    command = [str(program), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
def test_worlds_share_a_server_and_not_their_records(server: str, tmp_path: Path) -> None:
    worlds = {
        name: {"mail": (lambda name=name: [Document(f"{name}{n}", f"{name} mail {n}") for n in range(6)])}
        for name in ("north", "south")
    }
    for name, documents in worlds.items():
        report = build_index(tmp_path / name, documents, embedder="static", version=name, store=server)
        assert report.embedded == 6
    for name, documents in worlds.items():
        assert check_index(tmp_path / name, documents, server)["mail"]["sound"] == 6
        for engine in ("exact", "chroma"):
            library = Library(tmp_path / name, documents, version=name, engine=engine, store=server)
            hits = library.collection("mail").search("mail 3", 6)
            assert {hit.key for hit in hits} == {f"{name}{n}" for n in range(6)}
        with pytest.raises(RetrievalError, match="--store"):
            check_index(tmp_path / name, documents)
        again = build_index(tmp_path / name, documents, embedder="static", version=name, store=server)
        assert (again.embedded, again.kept) == (0, 6)


@pytest.mark.slow
def test_an_address_must_be_one_and_answer(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="http://host:port"):
        build_index(tmp_path, {}, embedder="static", store="somewhere")
    with pytest.raises(RetrievalError, match="vector store failed"):
        build_index(tmp_path, {}, embedder="static", store="http://127.0.0.1:9")


def _wait(port: int) -> None:
    for _ in range(150):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the Chroma server does not answer")
