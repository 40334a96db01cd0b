"""An index may come from somebody else: it chooses no model, runs no code and has nothing downloaded."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from worksmith.retrievers.embedding.light import packaged
from worksmith.retrievers.embedding.models import open_embedder
from worksmith.retrievers.errors import RetrievalError
from worksmith.retrievers.index.building import build_index
from worksmith.retrievers.index.checking import check_index
from worksmith.retrievers.index.library import Library
from worksmith.retrievers.index.manifest import ALLOWED, MANIFEST
from worksmith.retrievers.texts.documents import Document, Documents

WORLD: Documents = {"mail": lambda: [Document("a", "The kettle leaks"), Document("b", "Budget")]}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "index"
    build_index(folder, WORLD, embedder="static", version="v1")
    return folder


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """An index of its own, to be changed."""
    return shutil.copytree(built, tmp_path / "index")


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Stands where models would be downloaded from; never answers, and knows whether anybody came."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        yield server


def nobody_came(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except TimeoutError:
        return True
    return False


def edit(index: Path, **changes: Any) -> None:
    manifest = json.loads((index / MANIFEST).read_text())
    for part, value in changes.items():
        manifest[part] = {**manifest[part], **value} if isinstance(value, dict) else value
    (index / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["model", "./index/model", "/tmp/model", "acme/model", "minilm,acme", ""])
def test_a_model_that_the_user_has_not_named_is_not_loaded(
    index: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(index, embedder={"name": name})
    library = Library(index, WORLD, version="v1")

    for use in (library.check, lambda: library.collection("mail")):
        with pytest.raises(RetrievalError, match="does not come with worksmith") as error:
            use()
        assert ALLOWED in (error.value.hint or "")
    monkeypatch.setenv(ALLOWED, "another/model")
    with pytest.raises(RetrievalError, match="does not come with worksmith"):
        library.check()


@pytest.mark.slow
def test_a_model_that_the_user_has_named_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = str(packaged())
    build_index(tmp_path, WORLD, embedder=name, version="v1")
    with pytest.raises(RetrievalError, match="does not come with worksmith"):
        Library(tmp_path, WORLD, version="v1").check()

    monkeypatch.setenv(ALLOWED, f"acme/model,{name}")
    [hit] = Library(tmp_path, WORLD, version="v1").collection("mail").search("kettle", 1)
    assert hit.key == "a"


@pytest.mark.slow
def test_code_beside_a_model_is_not_run_even_if_the_model_is_named(tmp_path: Path) -> None:
    model, told = tmp_path / "model", tmp_path / "ran"
    shutil.copytree(packaged(), model)
    (model / "evil.py").write_text(
        f"import pathlib, torch\npathlib.Path({str(told)!r}).touch()\nclass Evil(torch.nn.Identity): pass\n"
    )
    modules = json.loads((model / "modules.json").read_text())
    modules[-1]["type"] = "evil.Evil"
    (model / "modules.json").write_text(json.dumps(modules))

    with pytest.raises(RetrievalError, match="cannot be loaded"):
        build_index(tmp_path / "index", WORLD, embedder=str(model))
    assert not told.exists()


@pytest.mark.slow
def test_nothing_is_downloaded_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    def nowhere(host: str, *_: Any, **__: Any) -> Any:
        looked_up.append(host)
        raise OSError("there is no network")

    monkeypatch.setattr("socket.getaddrinfo", nowhere)
    monkeypatch.setenv("HF_ENDPOINT", "http://models.example")
    # As the command line has it: the library asks its server about the caller otherwise.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)
    with pytest.raises(RetrievalError, match="acme/model: is not on this machine"):
        open_embedder("acme/model")
    assert looked_up == []
    with pytest.raises(RetrievalError, match="cannot be reached"):
        open_embedder("acme/model", download=True)
    assert looked_up == ["models.example"]


def test_no_address_from_a_manifest_is_contacted(index: Path, listener: socket.socket) -> None:
    address = os.environ["HF_ENDPOINT"]
    edit(index, server=True)
    with pytest.raises(RetrievalError, match=r"the vectors are on a server.*--store"):
        check_index(index, WORLD)
    edit(index, store=address)
    with pytest.raises(RetrievalError, match="store: Extra inputs"):
        check_index(index, WORLD)

    assert nobody_came(listener)


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc/passwd", "a/b", "", "."])
def test_no_path_from_a_manifest_is_opened(index: Path, name: str) -> None:
    entry = json.loads((index / MANIFEST).read_text())["collections"]["mail"]
    edit(index, collections={"mail": {**entry, "arrays": name}})

    with pytest.raises(RetrievalError, match=r"collections\.mail\.arrays"):
        Library(index, WORLD, version="v1").check()


EVIL = {
    "type": "known",
    "name": "sentence_transformer",
    "config": {
        "model_name": "MODEL",
        "device": "cpu",
        "normalize_embeddings": False,
        "kwargs": {"trust_remote_code": True},
    },
}
"""What Chroma makes a model of that runs code beside it."""


@pytest.mark.parametrize("column", ["schema_str", "config_json_str"])
def test_a_store_chooses_no_model(index: Path, tmp_path: Path, column: str) -> None:
    """It is made anew, by the model that the user has named, and nobody makes the other one."""
    from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction as Made

    made: list[Any] = []
    database = index / "chroma" / "chroma.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        for key, text in connection.execute(f"SELECT id, {column} FROM collections").fetchall():
            settings = json.loads(text)
            if column == "schema_str":
                vectors = settings["keys"]["#embedding"]["float_list"]["vector_index"]
                vectors["config"]["embedding_function"] = EVIL
            else:
                settings["embedding_function"] = EVIL
            connection.execute(
                f"UPDATE collections SET {column} = ? WHERE id = ?", (json.dumps(settings), key)
            )
        connection.commit()
    more: Documents = {"mail": lambda: [*WORLD["mail"](), Document("c", "A third")]}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Made, "build_from_config", staticmethod(made.append))
        with pytest.raises(RetrievalError, match="names an embedding model"):
            check_index(index, WORLD)
        build_index(index, more, embedder="static", version="v2")
    assert made == []
    [hit] = Library(index, more, version="v2").collection("mail").search("third", 1)
    assert hit.key == "c"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON embeddings_queue BEGIN UPDATE collections SET name = 'x'; END",
        "CREATE VIEW evil AS SELECT 1",
    ],
)
def test_a_store_has_no_statements_of_its_own(index: Path, statement: str) -> None:
    with closing(sqlite3.connect(index / "chroma" / "chroma.sqlite3")) as connection:
        connection.execute(statement)
        connection.commit()

    with pytest.raises(RetrievalError, match=r"it has a (trigger|view), evil"):
        check_index(index, WORLD)
